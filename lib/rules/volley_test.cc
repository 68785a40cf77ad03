#include "lib/rules/volley.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/rules/test_match.h"

namespace naval::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RuleSet FleetB() { return Chosen({.rule_set = "salvo", .fleet_b = true, .volley = true}); }

Square At(absl::string_view name) { return Square::Parse(name).value(); }

// One ship a row, from column A on: acorazado in row 1, crucero 3, destructores 5 and 7.
Sea SeaOfRows() {
  return Sea(FleetB(), ParseFleet(FleetB(),
                                  "acorazado A1 right, crucero A3 right, destructor-1 A5 right, "
                                  "destructor-2 A7 right")
                           .value());
}

void FireAt(Sea& sea, SquareSet squares) {
  for (const Square square : squares) sea.Record(square, sea.Probe(square));
}

// rule: S-06
TEST(VolleySize, IsWhatTheShipsAfloatGive) {
  EXPECT_EQ(VolleySize(FleetB(), nullptr, nullptr), 7);
  Sea own = SeaOfRows();
  EXPECT_EQ(VolleySize(FleetB(), &own, &own), 7);
  FireAt(own, {At("A3"), At("B3")});
  EXPECT_EQ(VolleySize(FleetB(), &own, &own), 7) << "it is hit, not sunk";
  FireAt(own, {At("C3")});
  EXPECT_EQ(VolleySize(FleetB(), &own, &own), 5);
  FireAt(own, {At("A5"), At("B5")});
  EXPECT_EQ(VolleySize(FleetB(), &own, &own), 4);
}

TEST(VolleySize, IsAFixedNumberWhereTheRulesSaySo) {
  RuleSet rules = FleetB();
  rules.shots_per_turn = 3;
  Sea own = SeaOfRows();
  FireAt(own, {At("A3"), At("B3"), At("C3")});
  EXPECT_EQ(VolleySize(rules, &own, nullptr), 3);
}

// rule: S-06
TEST(VolleySize, IsNeverMoreThanTheOpenSquaresLeft) {
  const Sea own = SeaOfRows();
  Sea target = SeaOfRows();
  FireAt(target, SquareSet::Board(10) - SquareSet{At("J9"), At("J10")});
  EXPECT_EQ(VolleySize(FleetB(), &own, &target), 2);
  RuleSet rules = FleetB();
  rules.shots_per_turn = 3;
  EXPECT_EQ(VolleySize(rules, &own, &target), 2);
}

// rule: S-09
TEST(AnswerVolley, CountsHitsByClassAndNamesWhatSankInTheOrderOfTheFleet) {
  Sea target = SeaOfRows();
  const SquareSet first = {At("A7"), At("B7"), At("A5"), At("A1"), At("J10")};
  EXPECT_EQ(AnswerVolley(FleetB(), target, Seat::kFirst, 1, first),
            (VolleyAnswered{Seat::kFirst, 1, first, {1, 0, 3}, {3}}));
  // The ship of the first column sinks before that of the others, but stands after them.
  const SquareSet second = {At("B5"), At("B1"), At("C1"), At("D1"), At("E1")};
  const VolleyAnswered answer = AnswerVolley(FleetB(), target, Seat::kFirst, 2, second);
  EXPECT_THAT(answer.hits, ElementsAre(4, 0, 1));
  EXPECT_THAT(answer.sunk_ships, ElementsAre(0, 2));
  const VolleyAnswered water = AnswerVolley(FleetB(), target, Seat::kFirst, 3, {At("J1")});
  EXPECT_THAT(water.hits, ElementsAre(0, 0, 0));
  EXPECT_THAT(water.sunk_ships, IsEmpty());
}

}  // namespace
}  // namespace naval::rules
