#include "lib/bots/lay_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "lib/rules/test_match.h"

namespace naval::bots {
namespace {

// The squares that ships stand on or that they tell of when they sink, on average.
double MeanSquaresTold(const rules::RuleSet& rules, bool by_bot) {
  constexpr std::uint64_t kSeed = 2;
  constexpr int kFleets = 30;
  base::SeededRandom random(kSeed);
  double squares = 0;
  for (int i = 0; i < kFleets; ++i) {
    const rules::Fleet fleet =
        by_bot ? LayFleet(rules, random) : rules::CompleteFleet(rules, {}, random).value();
    const rules::SquareSet ships = rules::FleetSquareSet(rules, fleet);
    squares += (ships | Ring(ships)).size();
  }
  return squares / kFleets;
}

TEST(LayFleet, LaysLegalFleetsEachAnother) {
  constexpr std::uint64_t kSeed = 1;
  base::SeededRandom random(kSeed);
  for (const char* id : {"tablu", "salvo"}) {
    const rules::RuleSet rules = rules::Chosen({.rule_set = id});
    std::set<std::string> fleets;
    for (int i = 0; i < 20; ++i) {
      const rules::Fleet fleet = LayFleet(rules, random);
      EXPECT_THAT(rules::CheckFleet(rules, fleet), ::testing::IsEmpty()) << id << ", " << i;
      fleets.insert(rules::FleetText(rules, fleet));
    }
    EXPECT_EQ(fleets.size(), 20U) << id;
  }
}

TEST(LayFleet, LaysFleetsThatNearlyFillTheBoard) {
  constexpr std::uint64_t kSeed = 4;
  base::SeededRandom random(kSeed);
  for (const bool may_touch : {false, true}) {
    rules::RuleSet rules = rules::Tablu();
    rules.ships_may_touch = may_touch;
    rules.ring_closed = false;
    rules.ships.clear();
    // The most for which there is room apart (CanAllBePlaced), and the most that a table may have.
    for (int ship = 0; ship < (may_touch ? 15 : 12); ++ship) {
      rules.ships.push_back({absl::StrCat("ship-", ship), may_touch ? 6 : 3});
    }
    EXPECT_THAT(rules::CheckFleet(rules, LayFleet(rules, random)), ::testing::IsEmpty());
  }
}

TEST(LayFleet, TellsOfFewSquaresWhenShipsSink) {
  // A deviation of 5 a fleet; out of sixteen the least is about two of them below.
  const rules::RuleSet rules = rules::Tablu();
  EXPECT_NEAR(MeanSquaresTold(rules, /*by_bot=*/false), 61.6, 3);
  EXPECT_LT(MeanSquaresTold(rules, /*by_bot=*/true), 56);
}

TEST(LayFleet, KeepsOffTheMiddleWhereShipsMayTouch) {
  constexpr std::uint64_t kSeed = 3;
  base::SeededRandom random(kSeed);
  const rules::RuleSet rules = rules::Chosen({.rule_set = "salvo"});
  rules::SquareSet middle;
  for (const rules::Square square : rules::SquareSet::Board(10)) {
    const bool within = square.column() / 2 % 4 != 0 && square.row() / 2 % 4 != 0;
    if (within) middle.Add(square);
  }
  int squares = 0;
  for (int i = 0; i < 20; ++i) {
    squares += (rules::FleetSquareSet(rules, LayFleet(rules, random)) & middle).size();
  }
  // At random it would be above 0.17 * 36 a fleet.
  EXPECT_LT(squares / 20.0, 5);
}

}  // namespace
}  // namespace naval::bots
