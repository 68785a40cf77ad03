#include "lib/wire/view_wire.h"

#include <gtest/gtest.h>

#include "lib/wire/rules_wire.h"
#include "lib/wire/test_values.h"
#include "tests/support/proto_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using rules::Seat;

// The message without the rule set, which rules_wire_test covers.
match::v1::Match WithoutRuleSet(const rules::GameView& view) {
  match::v1::Match proto = ToProto(view);
  proto.clear_rule_set();
  return proto;
}

rules::GameView Battle() {
  rules::GameView view;
  view.viewer = rules::Viewer::kFirst;
  view.rules = Tablu();
  view.phase = rules::Phase::kBattle;
  view.starter = Seat::kFirst;
  view.turn = Seat::kSecond;
  view.deadline = absl::FromUnixSeconds(1025);
  rules::SeaView& own = view.seas[0];
  own.ready = true;
  own.fleet = {{.ship = 4, .bow = rules::Square(2, 6)}};
  own.shots = {{.square = rules::Square(9, 9), .result = rules::ShotResult::kWater},
               {.square = rules::Square(2, 6), .result = rules::ShotResult::kHit}};
  own.ships_afloat = {0, 1, 2, 3, 4};
  rules::SeaView& rival = view.seas[1];
  rival.ready = true;
  rival.shots = {
      {.square = rules::Square(0, 0), .result = rules::ShotResult::kHit},
      {.square = rules::Square(1, 0), .result = rules::ShotResult::kSunk, .sunk_ship = 4}};
  rival.ring = {rules::Square(2, 0), rules::Square(0, 1)};
  rival.sunk_ships = {4};
  rival.sunk_placements = {{.ship = 4, .bow = rules::Square(0, 0)}};
  rival.ships_afloat = {0, 1, 2, 3};
  rival.strikes = 2;
  return view;
}

TEST(ViewWire, ShowsTheRuleSetThatIsPlayed) {
  EXPECT_THAT(ToProto(Battle()).rule_set(), EqualsProto(ToProto(Tablu()).ShortDebugString()));
}

TEST(ViewWire, ShowsABattleAsOnePlayerSeesIt) {
  EXPECT_THAT(WithoutRuleSet(Battle()), EqualsProto(R"pb(
                viewer_seat: SEAT_FIRST
                phase: PHASE_BATTLE
                sides {
                  seat: SEAT_FIRST
                  fleet_confirmed: true
                  fleet { ship_id: "lancha" bow: "C7" orientation: ORIENTATION_HORIZONTAL }
                  shots { square: "J10" result: SHOT_RESULT_WATER }
                  shots { square: "C7" result: SHOT_RESULT_HIT }
                  ships_afloat: "portaaviones"
                  ships_afloat: "acorazado"
                  ships_afloat: "fragata"
                  ships_afloat: "submarino"
                  ships_afloat: "lancha"
                }
                sides {
                  seat: SEAT_SECOND
                  fleet_confirmed: true
                  shots { square: "A1" result: SHOT_RESULT_HIT }
                  shots { square: "B1" result: SHOT_RESULT_SUNK sunk_ship_id: "lancha" }
                  ring_squares: "A2"
                  ring_squares: "C1"
                  sunk_ships { ship_id: "lancha" squares: "A1" squares: "B1" }
                  ships_afloat: "portaaviones"
                  ships_afloat: "acorazado"
                  ships_afloat: "fragata"
                  ships_afloat: "submarino"
                  strikes: 2
                }
                turn: SEAT_SECOND
                deadline { seconds: 1025 }
                starter: SEAT_FIRST
              )pb"));
}

TEST(ViewWire, NamesSunkShipsInTheOrderTheySankWhereTheirClassAloneIsTold) {
  rules::GameView view = Battle();
  view.rules.sunk_report = rules::SunkReport::kClass;
  view.seas[1].shots = {
      {.square = rules::Square(0, 0), .result = rules::ShotResult::kSunk, .sunk_ship = 4},
      {.square = rules::Square(9, 9), .result = rules::ShotResult::kSunk, .sunk_ship = 1}};
  view.seas[1].ships_afloat = {0, 2, 3};
  view.seas[1].sunk_ships = {4, 1};
  view.seas[1].sunk_placements.clear();
  const match::v1::Side sea = ToProto(view).sides(1);
  ASSERT_EQ(sea.sunk_ships_size(), 2);
  EXPECT_THAT(sea.sunk_ships(0), EqualsProto(R"pb(ship_id: "lancha")pb"));
  EXPECT_THAT(sea.sunk_ships(1), EqualsProto(R"pb(ship_id: "acorazado")pb"));
  EXPECT_EQ(sea.shots(0).sunk_ship_id(), "lancha");
  EXPECT_EQ(sea.shots(1).sunk_ship_id(), "acorazado");
}

TEST(ViewWire, GivesASpectatorNoSeat) {
  rules::GameView view = Battle();
  view.viewer = rules::Viewer::kSpectator;
  EXPECT_EQ(ToProto(view).viewer_seat(), match::v1::SEAT_UNSPECIFIED);
}

TEST(ViewWire, ShowsEveryPhase) {
  rules::GameView view;
  view.phase = rules::Phase::kPlacement;
  EXPECT_EQ(ToProto(view).phase(), match::v1::PHASE_PLACEMENT);
  view.phase = rules::Phase::kOver;
  EXPECT_EQ(ToProto(view).phase(), match::v1::PHASE_OVER);
}

TEST(ViewWire, ShowsAnEndWithoutTurnAndClock) {
  rules::GameView view = Battle();
  view.phase = rules::Phase::kOver;
  view.turn.reset();
  view.deadline.reset();
  view.result = rules::MatchEnded{.winner = Seat::kFirst, .reason = rules::EndReason::kTimedOut};
  const match::v1::Match proto = ToProto(view);
  EXPECT_EQ(proto.turn(), match::v1::SEAT_UNSPECIFIED);
  EXPECT_FALSE(proto.has_deadline());
  EXPECT_THAT(proto.result(), EqualsProto("winner: SEAT_FIRST reason: END_REASON_TIMED_OUT"));
}

TEST(ViewWire, ShowsWhatIsWrongWithAFleetThatLostTheMatch) {
  rules::GameView view;
  view.rules = Tablu();
  view.phase = rules::Phase::kOver;
  view.result = rules::MatchEnded{.winner = Seat::kFirst,
                                  .reason = rules::EndReason::kIllegalFleet,
                                  .illegal_fleet = {{.ship = 0, .bow = rules::Square(9, 0)},
                                                    {.ship = 1, .bow = rules::Square(0, 0)},
                                                    {.ship = 2, .bow = rules::Square(0, 1)},
                                                    {.ship = 3, .bow = rules::Square(0, 9)}}};
  const match::v1::Match proto = ToProto(view);
  ASSERT_EQ(proto.violations_size(), 3);
  EXPECT_EQ(proto.violations(0).kind(), match::v1::FLEET_VIOLATION_KIND_OUT_OF_BOARD);
  EXPECT_EQ(proto.violations(1).kind(), match::v1::FLEET_VIOLATION_KIND_TOUCHING);
  EXPECT_EQ(proto.violations(2).kind(), match::v1::FLEET_VIOLATION_KIND_MISSING);
}

}  // namespace
}  // namespace naval::wire
