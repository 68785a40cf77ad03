#include "lib/rules/game_state.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "lib/base/check.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "lib/rules/volley.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::StatusIs;

Square At(absl::string_view name) { return Square::Parse(name).value(); }

GameSettings TabluSettings() { return {Tablu(), Seat::kFirst}; }

GameSettings SalvoSettings() {
  return {Chosen({.rule_set = "salvo", .volley = true}), Seat::kSecond};
}

TestMatch Placement() {
  TestMatch match(TabluSettings());
  NAVAL_CHECK(match.Do(ConfirmFleet{Seat::kSecond, RowsFleet()}).ok());
  NAVAL_CHECK(match.Do(PlaceFleet{Seat::kFirst, {{4, At("J10"), Orientation::kVertical}}}).ok());
  return match;
}

// Two hits and water by the first seat, and what follows until the second seat has two strikes.
TestMatch Battle() {
  TestMatch match(TabluSettings());
  match.ConfirmBoth(RowsFleet(), RowsFleet());
  for (const char* const square : {"A1", "B1", "J10"}) {
    NAVAL_CHECK(match.Do(FireShots{Seat::kFirst, {At(square)}}).ok());
  }
  while (match.game().strikes(Seat::kSecond) < 2) {
    if (match.game().turn() == Seat::kFirst) {
      const Square any = match.game().sea(Seat::kSecond)->open().Nth(50);
      NAVAL_CHECK(match.Do(FireShots{Seat::kFirst, {any}}).ok());
    }
    match.Wait(absl::Seconds(25));
  }
  return match;
}

// The first squares that are open.
FireShots FirstVolley(const Game& game, Seat seat) {
  FireShots volley{seat, {}, game.round()};
  const Sea& target = *game.sea(Rival(seat));
  const int size = VolleySize(game.rules(), game.sea(seat), &target);
  for (int i = 0; i < size; ++i) volley.squares.push_back(target.open().Nth(i));
  return volley;
}

// Two rounds, and the first seat's volley of the third.
TestMatch Volleys() {
  TestMatch match(SalvoSettings());
  base::SeededRandom random(1);
  const Fleet fleet = CompleteFleet(match.game().rules(), {}, random).value();
  match.ConfirmBoth(fleet, fleet);
  for (const Seat seat : {Seat::kFirst, Seat::kSecond, Seat::kSecond, Seat::kFirst, Seat::kFirst}) {
    NAVAL_CHECK(match.Do(FirstVolley(match.game(), seat)).ok());
  }
  return match;
}

TEST(GameState, RestoresAGame) {
  const TestMatch matches[] = {TestMatch(TabluSettings()), Placement(), Battle(), Volleys()};
  for (const TestMatch& match : matches) {
    const GameState state = match.game().State();
    NAVAL_ASSERT_OK_AND_ASSIGN(const Game game, Game::FromState(match.game().settings(), state));
    EXPECT_EQ(game.State(), state);
    EXPECT_EQ(StateOf(game), StateOf(match.game()));
  }
}

// One thing of a state that makes it impossible, and the part that is named.
struct Damage {
  std::string part;
  std::function<void(GameState&)> damage;
};

void ExpectRefused(const Game& game, const std::vector<Damage>& damages) {
  for (const auto& [part, damage] : damages) {
    GameState state = game.State();
    damage(state);
    const auto read = Game::FromState(game.settings(), state);
    ASSERT_THAT(read, StatusIs(absl::StatusCode::kDataLoss)) << part;
    EXPECT_TRUE(absl::StrContains(read.status().message(), part)) << part << read.status();
  }
}

TEST(GameState, RefusesAPlacementThatCannotBe) {
  const TestMatch match = Placement();
  ExpectRefused(
      match.game(),
      {{"phase", [](GameState& state) { state.phase = Phase::kCreated; }},
       {"phase", [](GameState& state) { state.phase = Phase::kOver; }},
       {"phase", [](GameState& state) { state.phase = Phase::kBattle; }},
       {"phase", [](GameState& state) { state.sides[0] = state.sides[1]; }},
       {"fleet of the first", [](GameState& state) { state.sides[0].fleet[0].ship = 5; }},
       {"fleet of the first", [](GameState& state) { state.sides[0].fleet[0].ship = -1; }},
       {"fleet of the second", [](GameState& state) { state.sides[1].fleet.pop_back(); }},
       {"fleet of the second", [](GameState& state) { state.sides[1].fleet[0].bow = At("J1"); }},
       {"shots of the second", [](GameState& state) { state.sides[1].shots = {At("A1")}; }},
       {"volley of the first", [](GameState& state) { state.sides[0].volley = {At("A1")}; }},
       {"strikes of the first", [](GameState& state) { state.sides[0].strikes = 1; }},
       {"starter", [](GameState& state) { state.starter = Seat::kFirst; }},
       {"turn", [](GameState& state) { state.turn = Seat::kFirst; }},
       {"round", [](GameState& state) { state.round = 1; }},
       {"volley sizes",
        [](GameState& state) {
          state.volley_sizes = {1, 1};
        }},
       {"deadline", [](GameState& state) { state.deadline.reset(); }},
       {"idle deadline", [](GameState& state) { state.idle_deadline = absl::UnixEpoch(); }}});
}

TEST(GameState, RefusesABattleThatCannotBe) {
  const TestMatch match = Battle();
  ExpectRefused(
      match.game(),
      {{"phase", [](GameState& state) { state.phase = Phase::kPlacement; }},
       {"phase", [](GameState& state) { state.sides[0].confirmed = false; }},
       {"shots of the second", [](GameState& state) { state.sides[1].shots[1] = At("A1"); }},
       {"shots of the first", [](GameState& state) { state.sides[1].shots.pop_back(); }},
       // One more the second seat may fire, but not two, as there is only water.
       {"shots of the first",
        [](GameState& state) {
          state.sides[0].shots.insert(state.sides[0].shots.end(), {At("J8"), At("J9")});
        }},
       // Water would have passed the turn.
       {"shots", [](GameState& state) { state.sides[1].shots[0] = At("J9"); }},
       {"volley of the first", [](GameState& state) { state.sides[0].volley = {At("J1")}; }},
       {"strikes of the second", [](GameState& state) { state.sides[1].strikes = -1; }},
       {"strikes of the second", [](GameState& state) { state.sides[1].strikes = 99; }},
       {"starter", [](GameState& state) { state.starter.reset(); }},
       {"starter", [](GameState& state) { state.starter = Seat::kSecond; }},
       {"turn", [](GameState& state) { state.turn = Rival(*state.turn); }},
       {"turn", [](GameState& state) { state.turn.reset(); }},
       {"round", [](GameState& state) { state.round = 1; }},
       {"volley sizes",
        [](GameState& state) {
          state.volley_sizes = {1, 1};
        }},
       {"deadline", [](GameState& state) { state.deadline.reset(); }}});
}

TEST(GameState, RefusesABattleThatWouldBeOver) {
  TestMatch match({Tablu(), Seat::kFirst});
  match.ConfirmBoth(RowsFleet(), RowsFleet());
  ExpectRefused(match.game(), {{"shots of the second", [](GameState& state) {
                                  const SquareSet ships =
                                      FleetSquareSet(Tablu(), state.sides[1].fleet);
                                  state.sides[1].shots = {ships.begin(), ships.end()};
                                }}});
}

TEST(GameState, RefusesRoundsThatCannotBe) {
  const TestMatch match = Volleys();
  ExpectRefused(
      match.game(),
      {{"round", [](GameState& state) { state.round = 2; }},
       {"round", [](GameState& state) { state.round = 0; }},
       {"round", [](GameState& state) { state.volley_sizes.clear(); }},
       {"volley sizes", [](GameState& state) { state.volley_sizes.push_back(1); }},
       {"volley sizes", [](GameState& state) { --state.volley_sizes[1]; }},
       {"shots of the first", [](GameState& state) { state.sides[0].shots.pop_back(); }},
       {"shots of the first", [](GameState& state) { state.sides[0].shots.push_back(At("J9")); }},
       {"shots of the second",
        [](GameState& state) { std::swap(state.sides[1].shots[0], state.sides[1].shots[1]); }},
       {"volley of the first", [](GameState& state) { state.sides[0].volley->Add(At("J10")); }},
       {"volley of the first", [](GameState& state) { state.sides[0].volley = SquareSet(); }},
       {"volley", [](GameState& state) { state.sides[1].volley = state.sides[0].volley; }},
       {"strikes of the first", [](GameState& state) { state.sides[0].strikes = 4; }},
       {"starter", [](GameState& state) { state.starter = Seat::kFirst; }},
       {"turn", [](GameState& state) { state.turn = Seat::kFirst; }}});
}

}  // namespace
}  // namespace naval::rules
