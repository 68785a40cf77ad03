#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/rule_set.h"
#include "tests/comparison/effort.h"
#include "tests/comparison/small_world.h"
#include "tests/comparison/twin_match.h"
#include "tests/oracle/say.h"

// Everything that can happen on four by four squares, by the engine and by the oracle: with
// NAVAL_WORLDS=whole in the environment, as `tools/long/games` has it, or else a part that takes
// seconds.

namespace naval::comparison {
namespace {

bool Whole() {
  const char* value = std::getenv("NAVAL_WORLDS");
  return value != nullptr && std::string(value) == "whole";
}

// "hit again, ring" as the name of a test.
std::string TestName(const std::string& world) {
  return absl::StrReplaceAll(world, {{",", ""}, {" ", "_"}});
}

// The worlds to explore. Under sanitizers every ninth, which leaves no turn order and no clock out.
std::vector<SmallWorld> Worlds() {
  const std::vector<SmallWorld> all = SmallWorlds();
  std::vector<SmallWorld> some;
  for (std::size_t i = 0; i < all.size(); i += kSanitized ? 9 : 1) some.push_back(all[i]);
  return some;
}

// Of the ships of two squares and of one.
constexpr int kShotsOfAllShips = 3;

// One test a world, for a run of several processes to share them out.
class SmallWorldsTest : public ::testing::TestWithParam<SmallWorld> {
 protected:
  // Stops at the first difference.
  static void Explore(const SmallWorld& world, const Bounds& bounds) {
    const Explored explored = comparison::Explore(world, bounds);
    ASSERT_EQ(explored.difference, "");
    // Or the world would say little: each first shot, or volley, leads to a position of its own.
    const int first = world.words->rules().shots_per_turn.value_or(kShotsOfAllShips);
    ASSERT_GE(explored.positions, bounds.shots < first ? 1 : 16);
    ASSERT_GT(explored.commands, 10 * explored.positions);
    if (!Whole()) return;
    std::cout << explored.positions << " positions, " << explored.commands << " commands\n";
  }
};

INSTANTIATE_TEST_SUITE_P(Every, SmallWorldsTest, ::testing::ValuesIn(Worlds()),
                         [](const auto& world) { return TestName(world.param.name); });

bool ServerPlays(const SmallWorld& world) {
  return world.words->rules().clock_end == rules::ClockEnd::kServerPlays;
}

// Whole: every way to fire at every square of one sea, by every turn order, ring and report, be
// touching allowed or not. Where a clock's end does something else than in such a world, the first
// three shots: its end is tried after each of them. Of volleys by ships the first two rounds. In
// part: the first shot.
TEST_P(SmallWorldsTest, GoesTheSameWayWhateverIsFiredAt) {
  const std::optional<int> volley = GetParam().words->rules().shots_per_turn;
  const int part = ServerPlays(GetParam()) && volley == 1 ? 1 : 0;
  const int whole = !volley ? 6 : ServerPlays(GetParam()) ? 16 : 3;
  Explore(GetParam(), {.shots = Whole() ? whole : part});
}

TEST_P(SmallWorldsTest, GoesTheSameWayHoweverClocksEnd) {
  Explore(GetParam(), {.shots = Whole() ? 2 : 0, .clocks = true});
}

class SmallWorldsOfEveryFleetTest : public SmallWorldsTest {};

// In part: that each square of each fleet is what it is.
std::vector<SmallWorld> WorldsOfEveryFleet() {
  std::vector<SmallWorld> some;
  for (const SmallWorld& world : Worlds()) {
    const bool part = ServerPlays(world) && world.words->rules().shots_per_turn == 1;
    if (Whole() || part) some.push_back(world);
  }
  return some;
}

INSTANTIATE_TEST_SUITE_P(Every, SmallWorldsOfEveryFleetTest,
                         ::testing::ValuesIn(WorldsOfEveryFleet()),
                         [](const auto& world) { return TestName(world.param.name); });

TEST_P(SmallWorldsOfEveryFleetTest, GoTheSameWay) {
  const std::vector<SmallWorld> others = WithEveryFleet(GetParam());
  for (std::size_t i = 0; i < others.size(); i += kSanitized ? 9 : 1) {
    Explore(others[i], {.shots = Whole() ? 2 : 0});
    if (HasFatalFailure()) return;
  }
}

// ---- Fleets

// Gives one command to a match of its own, whose seats have done nothing yet.
std::string DifferenceOf(const std::shared_ptr<const Words>& words,
                         const std::vector<rules::Command>& commands, absl::Duration wait) {
  base::SeededRandom random(1);
  TwinMatch twins(words, rules::Seat::kFirst, absl::UnixEpoch());
  for (const rules::Command& command : commands) {
    const absl::Time now = absl::UnixEpoch() + wait;
    const std::string difference = twins.Do(command, now, rules::Chance{random, random});
    if (!difference.empty()) return absl::StrCat(Say(*words, command), "\n", difference);
  }
  return "";
}

// Each ship on each square in either direction, past the edge too, or not there.
std::vector<rules::Fleet> EveryFleet(const rules::RuleSet& rules) {
  std::vector<rules::Fleet> fleets = {{}};
  for (int ship = 0; ship < static_cast<int>(rules.ships.size()); ++ship) {
    const std::vector<rules::Fleet> before = fleets;
    for (const rules::Fleet& fleet : before) {
      for (const rules::Square bow : rules::SquareSet::Board(rules.board_size)) {
        for (const auto way : {rules::Orientation::kHorizontal, rules::Orientation::kVertical}) {
          fleets.push_back(fleet);
          fleets.back().push_back({ship, bow, way});
        }
      }
    }
  }
  return fleets;
}

// All but under sanitizers.
std::vector<rules::Fleet> Some(const std::vector<rules::Fleet>& fleets) {
  std::vector<rules::Fleet> some;
  for (std::size_t i = 0; i < fleets.size(); i += kSanitized ? 9 : 1) some.push_back(fleets[i]);
  return some;
}

TEST(SmallFleets, AreJudgedAlike) {
  for (const bool may_touch : {false, true}) {
    for (const auto cost : {rules::IllegalFleet::kRefused, rules::IllegalFleet::kLoses}) {
      rules::RuleSet rules =
          SmallRules(Whole() ? std::vector<int>{3, 2, 1} : std::vector<int>{3, 2});
      rules.ships_may_touch = may_touch;
      rules.ring_closed = !may_touch;
      rules.illegal_fleet = cost;
      const auto words = std::make_shared<const Words>(rules, InOracleWords(rules));
      for (const rules::Fleet& fleet : Some(EveryFleet(rules))) {
        const rules::Command confirm = rules::ConfirmFleet{rules::Seat::kSecond, fleet};
        ASSERT_EQ(DifferenceOf(words, {confirm}, absl::ZeroDuration()), "");
      }
    }
  }
}

// So crowded that many drafts leave no room: asked for, and completed at the end of the clock.
TEST(SmallFleets, AreCompletedAlike) {
  for (const bool may_touch : {false, true}) {
    rules::RuleSet rules =
        SmallRules(may_touch ? std::vector<int>{4, 4, 4, 3} : std::vector<int>{3, 2, 1});
    rules.ships_may_touch = may_touch;
    rules.ring_closed = !may_touch;
    const auto words = std::make_shared<const Words>(rules, InOracleWords(rules));
    rules::RuleSet two = rules;
    two.ships.resize(2);
    for (const rules::Fleet& draft : Some(EveryFleet(two))) {
      const rules::Command propose = rules::ProposeFleet{rules::Seat::kFirst, draft};
      ASSERT_EQ(DifferenceOf(words, {propose}, absl::ZeroDuration()), "");
      const rules::Command place = rules::PlaceFleet{rules::Seat::kFirst, draft};
      ASSERT_EQ(DifferenceOf(words, {place, rules::Tick{}}, absl::Seconds(90)), "");
    }
  }
}

}  // namespace
}  // namespace naval::comparison
