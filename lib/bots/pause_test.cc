#include "lib/bots/pause.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/test_match.h"

namespace naval::bots {
namespace {

std::vector<absl::Duration> SortedPauses(rules::Phase phase, std::optional<absl::Duration> clock) {
  constexpr std::uint64_t kSeed = 1;
  base::SeededRandom random(kSeed);
  rules::GameView view{.viewer = rules::Viewer::kFirst, .rules = rules::Tablu(), .phase = phase};
  view.rules.shot_duration = clock;
  view.rules.placement_duration = clock;
  std::vector<absl::Duration> pauses(10'000);
  for (absl::Duration& pause : pauses) pause = DrawPause(view, random);
  std::sort(pauses.begin(), pauses.end());
  return pauses;
}

TEST(DrawPause, TakesASecondOrTwoAndAtTimesMuchMore) {
  const std::vector<absl::Duration> shots = SortedPauses(rules::Phase::kBattle, std::nullopt);
  EXPECT_GE(shots.front(), absl::Milliseconds(500));
  EXPECT_NEAR(absl::ToDoubleSeconds(shots[5000]), 0.5 + 0.9 * 0.693, 0.05);
  EXPECT_GT(shots[9500], absl::Seconds(3));
  EXPECT_EQ(shots.back(), absl::Seconds(4));
  const std::vector<absl::Duration> fleets = SortedPauses(rules::Phase::kPlacement, std::nullopt);
  EXPECT_GE(fleets.front(), absl::Seconds(2));
  EXPECT_EQ(fleets.back(), absl::Seconds(8));
}

TEST(DrawPause, LeavesThreeQuartersOfTheClock) {
  for (const rules::Phase phase : {rules::Phase::kBattle, rules::Phase::kPlacement}) {
    EXPECT_EQ(SortedPauses(phase, absl::Seconds(6)).back(), absl::Milliseconds(1500));
  }
}

}  // namespace
}  // namespace naval::bots
