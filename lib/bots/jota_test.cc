#include "lib/bots/jota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "lib/base/random.h"
#include "lib/bots/test_range.h"
#include "lib/rules/test_match.h"

namespace naval::bots {
namespace {

TEST(Jota, NeedsAsManyShotsAsChanceAloneAndNeverFiresAtAKnownSquare) {
  // What shooting at random needs where rings are closed: 86.8, with a deviation of 6 a fleet.
  EXPECT_NEAR(MeanShots(Jota(), rules::Tablu(), /*fleets=*/200, /*seed=*/1), 86.8, 1.7);
}

TEST(Jota, ChoosesEachOpenSquareAsOften) {
  constexpr std::uint64_t kSeed = 1;
  base::SeededRandom random(kSeed);
  const rules::GameView view = Range(rules::Tablu(), rules::RowsFleet()).view();
  std::map<rules::Square, int> count;
  for (int i = 0; i < 100'000; ++i) ++count[Jota().ChooseShots(view, random).Nth(0)];
  EXPECT_EQ(count.size(), 100U);
  for (const auto& [square, times] : count) {
    EXPECT_NEAR(times, 1000, 130) << square.ToString() << ", seed " << kSeed;
  }
}

}  // namespace
}  // namespace naval::bots
