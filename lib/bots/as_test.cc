#include "lib/bots/as.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/bots/test_range.h"
#include "lib/rules/test_match.h"

namespace naval::bots {
namespace {

using rules::Square;
using ::testing::ElementsAre;

// Every square that As may choose after these shots at the fleet.
std::set<std::string> ChoicesAfter(const rules::RuleSet& rules, const std::string& fleet,
                                   const std::string& shots) {
  Range range(rules, fleet);
  range.FireAll(shots);
  const rules::GameView view = range.view();
  base::SeededRandom random(1);
  std::set<std::string> choices;
  for (int i = 0; i < 1000; ++i) choices.insert(As().ChooseShots(view, random).ToString());
  return choices;
}

constexpr char kRows[] =
    "portaaviones A1 right, acorazado A3 right, fragata A5 right, submarino A7 right, "
    "lancha A9 right";

TEST(As, TriesTheNeighboursOfAHitThenTheEndsOfTheLine) {
  EXPECT_THAT(ChoicesAfter(rules::Tablu(), kRows, "C3"), ElementsAre("B3", "C2", "C4", "D3"));
  EXPECT_THAT(ChoicesAfter(rules::Tablu(), kRows, "C3 D3"), ElementsAre("B3", "E3"));
  EXPECT_THAT(ChoicesAfter(rules::Tablu(), kRows, "C3 D3 E3"), ElementsAre("B3"));
  EXPECT_THAT(ChoicesAfter(rules::Tablu(), kRows, "A1"), ElementsAre("A2", "B1"));
}

TEST(As, TurnsToTheSidesOfALineWhoseEndsAreWaterWhereShipsMayTouch) {
  rules::RuleSet rules = rules::Tablu();
  rules.ships_may_touch = true;
  rules.ring_closed = false;
  // Two ships side by side, hit across.
  rules.ships = {{"long", 3}, {"short", 2}};
  EXPECT_THAT(ChoicesAfter(rules, "long A1 right, short A2 right", "A1 A2 A3"),
              ElementsAre("B1", "B2"));
}

// The colours of the squares, on a board of so many.
std::set<int> ColoursOf(const std::set<std::string>& squares, int colours) {
  std::set<int> of;
  for (const std::string& name : squares) {
    const Square square = Square::Parse(name).value();
    of.insert((square.column() + square.row()) % colours);
  }
  return of;
}

TEST(As, SearchesTheBoardByOneColourOfAsManyAsTheSmallestShipHasSquares) {
  const std::set<std::string> chequered = ChoicesAfter(rules::Tablu(), kRows, "J10");
  EXPECT_EQ(chequered.size(), 49U);
  EXPECT_EQ(ColoursOf(chequered, 2).size(), 1U);
  // The lancha is gone: every third square along a line meets whatever is left.
  const std::set<std::string> wider = ChoicesAfter(rules::Tablu(), kRows, "A9 B9");
  EXPECT_LE(wider.size(), 34U);
  EXPECT_EQ(ColoursOf(wider, 3).size(), 1U);
}

TEST(As, SearchesTheNextColourWhenOneIsUsedUp) {
  rules::RuleSet rules = rules::Tablu();
  rules.board_size = 2;
  rules.ships_may_touch = true;
  rules.ring_closed = false;
  rules.ships = {{"dot", 1}, {"pair", 2}};
  EXPECT_THAT(ChoicesAfter(rules, "dot B1 right, pair A1 down", "B1"), ElementsAre("A1", "B2"));
  EXPECT_THAT(ChoicesAfter(rules, "dot B1 right, pair A1 down", "B1 B2"), ElementsAre("A1"));
}

TEST(As, ChasesWhatASinkingLeavesOver) {
  rules::RuleSet rules = rules::Tablu();
  rules.board_size = 5;
  rules.ships_may_touch = true;
  rules.ring_closed = false;
  rules.sunk_report = rules::SunkReport::kClass;
  rules.ships = {{"long", 3}, {"pair", 2}};
  // The pair has taken A1 and B1; A2 is of the other.
  EXPECT_THAT(ChoicesAfter(rules, "long A2 right, pair A1 right", "A2 A1 B1"),
              ElementsAre("A3", "B2"));
}

rules::RuleSet Volleys(int board_size, int shots, const std::vector<rules::Ship>& ships) {
  rules::RuleSet rules = rules::Chosen({.rule_set = "salvo", .volley = true});
  rules.board_size = board_size;
  rules.shots_per_turn = shots;
  rules.ships = ships;
  return rules;
}

TEST(As, ChasesWhereTheAnswersLeaveTheMostPlacesToAShipThatWasHit) {
  const rules::RuleSet one = Volleys(5, 1, {{"long", 3}, {"pair", 2}});
  EXPECT_THAT(ChoicesAfter(one, "long A1 right, pair E4 down", "A1"),
              ElementsAre("A2", "A3", "B1", "C1"));
  EXPECT_THAT(ChoicesAfter(one, "long B1 right, pair E4 down", "C1"), ElementsAre("B1", "D1"));
  // The hit is on B2 or on D2, so that C2, between them, has the most places.
  const rules::RuleSet two = Volleys(5, 2, {{"long", 2}, {"pair", 2}});
  EXPECT_THAT(ChoicesAfter(two, "long A2 right, pair E4 down", "B2 D2"),
              ::testing::AllOf(::testing::SizeIs(6), ::testing::Each(::testing::HasSubstr("C2"))));
}

TEST(As, LeavesAloneWhatMustBeWaterAlsoWhereItIsNotClosed) {
  rules::RuleSet rules = rules::Tablu();
  rules.ring_closed = false;
  rules.board_size = 3;
  rules.ships = {{"dot", 1}, {"other", 1}};
  EXPECT_THAT(ChoicesAfter(rules, "dot A1 right, other C3 right", "A1"),
              ElementsAre("A3", "B3", "C1", "C2", "C3"));
}

TEST(As, NeedsAsManyShotsAsAPractisedPerson) {
  constexpr int kFleets = 200;
  // A deviation of 6.7 a fleet, so 0.5 of their mean.
  EXPECT_NEAR(MeanShots(As(), rules::Tablu(), kFleets, /*seed=*/1), 44.4, 1.6);
}

}  // namespace
}  // namespace naval::bots
