#include "lib/bots/jota.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "lib/rules/test_match.h"

namespace naval::bots {
namespace {

using rules::Seat;

rules::GameView ViewOfSea(const rules::Sea& sea) {
  rules::GameView view;
  view.viewer = rules::Viewer::kFirst;
  view.seas[static_cast<std::size_t>(SeatIndex(Seat::kSecond))].open = sea.open();
  return view;
}

// Shots until a random fleet is sunk.
int ShotsToSinkAll(base::Random& random) {
  const rules::RuleSet rules = rules::Tablu();
  rules::Sea sea(rules, rules::CompleteFleet(rules, {}, random).value());
  const Jota jota;
  while (!sea.destroyed()) {
    const rules::Square square = jota.ChooseShot(ViewOfSea(sea), random);
    EXPECT_TRUE(sea.open().Contains(square)) << square.ToString();
    sea.Record(square, sea.Probe(square));
  }
  return static_cast<int>(sea.shots().size());
}

TEST(Jota, NeedsAsManyShotsAsChanceAloneAndNeverFiresAtAKnownSquare) {
  constexpr std::uint64_t kSeed = 1;
  constexpr int kFleets = 1000;
  base::SeededRandom random(kSeed);
  double shots = 0;
  for (int i = 0; i < kFleets; ++i) shots += ShotsToSinkAll(random);
  // What shooting at random needs where rings are closed: 86.8, with a deviation of 6 a fleet.
  EXPECT_NEAR(shots / kFleets, 86.8, 0.8) << "seed " << kSeed;
}

TEST(Jota, ChoosesEachOpenSquareAsOften) {
  constexpr std::uint64_t kSeed = 1;
  base::SeededRandom random(kSeed);
  const rules::Sea sea(rules::Tablu(), rules::RowsFleet());
  std::map<rules::Square, int> count;
  for (int i = 0; i < 100'000; ++i) ++count[Jota().ChooseShot(ViewOfSea(sea), random)];
  EXPECT_EQ(count.size(), 100U);
  for (const auto& [square, times] : count) {
    EXPECT_NEAR(times, 1000, 130) << square.ToString() << ", seed " << kSeed;
  }
}

TEST(Jota, PlaysWholeMatchesAgainstItself) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    const rules::RuleSet rules = rules::Tablu();
    rules::TestMatch match({rules, {}}, seed);
    match.ConfirmBoth(rules::CompleteFleet(rules, {}, random).value(),
                      rules::CompleteFleet(rules, {}, random).value());
    while (match.game().phase() == rules::Phase::kBattle) {
      const Seat turn = match.game().turn().value();
      const rules::GameView view = rules::ViewOf(match.game(), rules::ViewerAt(turn));
      ASSERT_TRUE(match.Do(rules::FireShots{turn, {Jota().ChooseShot(view, random)}}).ok());
    }
    EXPECT_EQ(match.game().result()->reason, rules::EndReason::kFleetDestroyed);
  }
}

}  // namespace
}  // namespace naval::bots
