#include "lib/wire/state_wire.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "lib/rules/rule_sets.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::StatusIs;
using rules::Seat;

const rules::RuleSet& Tablu() { return (*rules::FindPreset("tablu"))->rules; }

const absl::Time kDeadline = absl::FromUnixMicros(1'795'819'039'123'456);

rules::Fleet LegalFleet() {
  return {{.ship = 0, .bow = rules::Square(0, 0)},
          {.ship = 1, .bow = rules::Square(0, 2)},
          {.ship = 2, .bow = rules::Square(0, 4), .orientation = rules::Orientation::kVertical},
          {.ship = 3, .bow = rules::Square(9, 7), .orientation = rules::Orientation::kVertical},
          {.ship = 4, .bow = rules::Square(5, 5)}};
}

// With something in every field, which no game has.
rules::GameState FullState() {
  return {.sides = {{{.fleet = LegalFleet(),
                      .confirmed = true,
                      .shots = {rules::Square(9, 9), rules::Square(0, 0)},
                      .volley = rules::SquareSet{rules::Square(1, 1), rules::Square(9, 8)},
                      .strikes = 2},
                     {.fleet = {{.ship = 4, .bow = rules::Square(9, 9)}}}}},
          .volley_sizes = {10, 7},
          .deadline = kDeadline,
          .idle_deadline = kDeadline + absl::Hours(24),
          .starter = Seat::kFirst,
          .turn = Seat::kSecond,
          .phase = rules::Phase::kBattle,
          .round = 2};
}

match::log::v1::GameState Stored(const rules::GameState& state) {
  match::log::v1::GameState proto;
  ToLog(state, proto);
  return proto;
}

TEST(StateWire, RoundTrips) {
  for (const rules::GameState& state : {FullState(), rules::GameState()}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::GameState read, FromLog(Tablu(), Stored(state)));
    EXPECT_EQ(read, state);
  }
}

TEST(StateWire, TellsNothingHiddenByHowLongAStateMayBe) {
  std::vector<rules::GameState> alike(4, FullState());
  alike[1].sides[1].fleet = {};
  alike[2].sides[1].fleet = LegalFleet();
  alike[3].sides[0].fleet.back().bow = rules::Square(9, 0);
  alike[3].sides[0].volley = {rules::Square(3, 0), rules::Square(3, 1)};
  for (const rules::GameState& state : alike) {
    EXPECT_EQ(LongestGameState(Tablu(), state), LongestGameState(Tablu(), alike[0]));
    EXPECT_LE(Stored(state).ByteSizeLong(), LongestGameState(Tablu(), state));
  }
}

// One thing of a stored state that no version wrote, and the part that is named.
struct Damage {
  std::string part;
  std::function<void(match::log::v1::GameState&)> damage;
};

TEST(StateWire, RefusesWhatNoVersionWrote) {
  using Proto = match::log::v1::GameState;
  const std::string no_square(1, static_cast<char>(rules::kMaxSquares));
  const std::vector<Damage> damages = {
      {"phase", [](Proto& proto) { proto.clear_phase(); }},
      {"phase", [](Proto& proto) { proto.set_phase(match::v1::PHASE_OVER); }},
      {"sides", [](Proto& proto) { proto.mutable_sides()->RemoveLast(); }},
      {"sides", [](Proto& proto) { proto.add_sides(); }},
      {"starter", [](Proto& proto) { proto.set_starter(static_cast<match::v1::Seat>(3)); }},
      {"turn", [](Proto& proto) { proto.set_turn(static_cast<match::v1::Seat>(3)); }},
      {"deadline", [](Proto& proto) { proto.mutable_deadline()->set_nanos(-1); }},
      {"idle_deadline", [](Proto& proto) { proto.mutable_idle_deadline()->set_nanos(-1); }},
      {"fleet", [](Proto& proto) { proto.mutable_sides(0)->mutable_fleet()->pop_back(); }},
      {"fleet", [](Proto& proto) { proto.mutable_sides(0)->set_fleet(std::string("\x0a\0", 2)); }},
      {"fleet", [&](Proto& proto) { proto.mutable_sides(0)->set_fleet("\x01" + no_square); }},
      {"shots", [&](Proto& proto) { proto.mutable_sides(1)->set_shots(no_square); }},
      {"volley", [&](Proto& proto) { proto.mutable_sides(0)->set_volley(no_square); }},
      {"volley", [](Proto& proto) { proto.mutable_sides(0)->set_volley("\x02\x01"); }},
      {"volley", [](Proto& proto) { proto.mutable_sides(0)->set_volley("\x01\x01"); }}};
  for (const auto& [part, damage] : damages) {
    Proto proto = Stored(FullState());
    damage(proto);
    const auto read = FromLog(Tablu(), proto);
    ASSERT_THAT(read, StatusIs(absl::StatusCode::kDataLoss)) << part;
    EXPECT_TRUE(absl::StrContains(read.status().message(), part)) << part << read.status();
  }
}

TEST(StateWire, RefusesSquaresOutsideASmallerBoard) {
  rules::RuleSet small = Tablu();
  small.board_size = 8;
  EXPECT_THAT(FromLog(small, Stored(FullState())), StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace naval::wire
