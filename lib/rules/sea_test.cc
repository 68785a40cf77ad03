#include "lib/rules/sea.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/rules/test_match.h"

namespace naval::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Square At(absl::string_view name) { return Square::Parse(name).value(); }

Impact Fire(Sea& sea, absl::string_view name) {
  const Impact impact = sea.Probe(At(name));
  sea.Record(At(name), impact);
  return impact;
}

TEST(Sea, AnswersWaterHitAndSunk) {
  Sea sea(Tablu(), RowsFleet());
  EXPECT_EQ(Fire(sea, "J10").result, ShotResult::kWater);
  EXPECT_EQ(Fire(sea, "A9").result, ShotResult::kHit);
  const Impact sunk = Fire(sea, "B9");
  EXPECT_EQ(sunk.result, ShotResult::kSunk);
  EXPECT_EQ(sunk.sunk_ship, RowsFleet()[4]);
  EXPECT_THAT(sea.shots(), ElementsAre(ShotMark{At("J10"), ShotResult::kWater},
                                       ShotMark{At("A9"), ShotResult::kHit},
                                       ShotMark{At("B9"), ShotResult::kSunk}));
  EXPECT_THAT(sea.sunk_ships(), ElementsAre(RowsFleet()[4]));
  EXPECT_FALSE(sea.IsAfloat(4));
  EXPECT_TRUE(sea.IsAfloat(3));
}

TEST(Sea, ProbingChangesNothing) {
  Sea sea(Tablu(), RowsFleet());
  sea.Probe(At("A9"));
  sea.Probe(At("B9"));
  EXPECT_THAT(sea.shots(), IsEmpty());
  EXPECT_EQ(sea.open().size(), 100);
  EXPECT_EQ(sea.Probe(At("B9")).result, ShotResult::kHit);
}

TEST(Sea, ClosesTheSquaresAroundASunkShipThatWereStillOpen) {
  Sea sea(Tablu(), RowsFleet());
  Fire(sea, "C9");
  Fire(sea, "B9");
  const Impact sunk = Fire(sea, "A9");
  EXPECT_EQ(sunk.ring.ToString(), "A8 A10 B8 B10 C8 C10");
  EXPECT_EQ(sea.ring(), sunk.ring);
  EXPECT_EQ(sea.open(),
            SquareSet::Board(10) - sunk.ring - SquareSet({At("A9"), At("B9"), At("C9")}));
}

TEST(Sea, TwoShipsMayCloseTheSameSquareOnce) {
  Sea sea(Tablu(), RowsFleet());
  Fire(sea, "A9");
  Fire(sea, "B9");
  Fire(sea, "A7");
  Fire(sea, "B7");
  EXPECT_EQ(Fire(sea, "C7").ring.ToString(), "A6 B6 C6 D6 D7 D8");
}

TEST(Sea, ClosesNothingWhereTheRuleSetSaysSo) {
  RuleSet rules = Tablu();
  rules.ring_closed = false;
  Sea sea(rules, RowsFleet());
  Fire(sea, "A9");
  EXPECT_TRUE(Fire(sea, "B9").ring.empty());
  EXPECT_EQ(sea.open().size(), 98);
}

TEST(Sea, KeepsWithinASmallerBoard) {
  RuleSet rules;
  rules.board_size = 3;
  rules.ships = {{"barca", 2}};
  Sea sea(rules, {{0, At("B3"), Orientation::kHorizontal}});
  EXPECT_EQ(sea.open().size(), 9);
  Fire(sea, "B3");
  EXPECT_EQ(Fire(sea, "C3").ring.ToString(), "A2 A3 B2 C2");
}

TEST(Sea, IsDestroyedWhenItsLastShipSinks) {
  Sea sea(Tablu(), RowsFleet());
  for (const char* name : {"A1", "B1", "C1", "D1", "E1", "A3", "B3", "C3", "D3", "A5", "B5", "C5",
                           "A7", "B7", "C7", "A9"}) {
    EXPECT_NE(Fire(sea, name).result, ShotResult::kWater) << name;
    EXPECT_FALSE(sea.destroyed()) << name;
  }
  Fire(sea, "B9");
  EXPECT_TRUE(sea.destroyed());
}

}  // namespace
}  // namespace naval::rules
