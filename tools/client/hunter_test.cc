#include "tools/client/hunter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "lib/base/random.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;
using ::testing::AnyOf;
using ::testing::ElementsAre;

v1::Match Battle() {
  v1::Match match;
  match.mutable_rule_set()->set_board_size(10);
  match.set_phase(v1::PHASE_BATTLE);
  match.set_viewer_seat(v1::SEAT_FIRST);
  match.add_sides()->set_seat(v1::SEAT_FIRST);
  match.add_sides()->set_seat(v1::SEAT_SECOND);
  return match;
}

void Mark(v1::Match& match, const std::string& square, v1::ShotResult result) {
  v1::ShotMark& mark = *match.mutable_sides(1)->add_shots();
  mark.set_square(square);
  mark.set_result(result);
}

TEST(Hunter, FiresBesideAHit) {
  v1::Match match = Battle();
  Mark(match, "A1", v1::SHOT_RESULT_HIT);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    base::SeededRandom random(seed);
    EXPECT_THAT(ChooseShots(match, random), ElementsAre(AnyOf("A2", "B1")));
  }
}

TEST(Hunter, FollowsTheLineOfTwoHits) {
  v1::Match match = Battle();
  Mark(match, "E5", v1::SHOT_RESULT_HIT);
  Mark(match, "F5", v1::SHOT_RESULT_HIT);
  Mark(match, "G5", v1::SHOT_RESULT_WATER);
  base::SeededRandom random(1);
  EXPECT_THAT(ChooseShots(match, random), ElementsAre("D5"));
}

TEST(Hunter, LeavesAShipThatSankAlone) {
  v1::Match match = Battle();
  Mark(match, "A1", v1::SHOT_RESULT_HIT);
  Mark(match, "A2", v1::SHOT_RESULT_SUNK);
  v1::SunkShip& ship = *match.mutable_sides(1)->add_sunk_ships();
  for (const char* square : {"A1", "A2"}) ship.add_squares(square);
  for (const char* square : {"A3", "B1", "B2", "B3"}) {
    match.mutable_sides(1)->add_ring_squares(square);
  }
  for (uint64_t seed = 0; seed < 50; ++seed) {
    base::SeededRandom random(seed);
    EXPECT_THAT(ChooseShots(match, random),
                ElementsAre(::testing::Not(AnyOf("A1", "A2", "A3", "B1", "B2", "B3"))));
  }
}

TEST(Hunter, ReachesEverySquareOfAnEmptySeaAndNoneTwice) {
  v1::Match match = Battle();
  base::SeededRandom random(7);
  std::set<std::string> fired;
  for (int shot = 0; shot < 100; ++shot) {
    const std::string square = ChooseShots(match, random).at(0);
    EXPECT_TRUE(fired.insert(square).second) << square;
    Mark(match, square, v1::SHOT_RESULT_WATER);
  }
  EXPECT_EQ(fired.size(), 100u);
}

TEST(Hunter, FiresAVolleyOfDifferentSquaresAndMakesNothingOfUnknownResults) {
  v1::Match match = Battle();
  match.mutable_sides(0)->set_volley_size(7);
  Mark(match, "A1", v1::SHOT_RESULT_UNKNOWN);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    base::SeededRandom random(seed);
    const std::vector<std::string> shots = ChooseShots(match, random);
    EXPECT_EQ(std::set<std::string>(shots.begin(), shots.end()).size(), 7u);
    EXPECT_THAT(shots, ::testing::Each(::testing::Not(AnyOf("A1", "A2", "B1"))));
  }
}

}  // namespace
}  // namespace naval::client
