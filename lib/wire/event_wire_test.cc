#include "lib/wire/event_wire.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/wire/test_values.h"
#include "tests/support/proto_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using rules::Seat;
using rules::Viewer;

const absl::Time kEventTime = absl::FromUnixSeconds(1000);
const absl::Time kDeadline = absl::FromUnixSeconds(1025);

rules::Fleet OneLancha() { return {{.ship = 4, .bow = rules::Square(2, 6)}}; }

constexpr char kOneLancha[] =
    R"pb(fleet { ship_id: "lancha" bow: "C7" orientation: ORIENTATION_HORIZONTAL })pb";

match::v1::MatchEvent ForFirst(const rules::ViewerEvent& event) {
  return ToProto(Tablu(), Viewer::kFirst, event, 12, kEventTime);
}

// The event that `kind` writes out, with the number and the time that every event has.
std::string Event(const std::string& kind) {
  return absl::StrCat("seq: 12 event_time { seconds: 1000 } ", kind);
}

TEST(EventWire, ShowsTheStartOfPlacementWithAndWithoutAClock) {
  EXPECT_THAT(ForFirst(rules::PlacementStarted{.deadline = kDeadline}),
              EqualsProto(Event("placement_started { deadline { seconds: 1025 } }")));
  EXPECT_THAT(ForFirst(rules::PlacementStarted{}), EqualsProto(Event("placement_started {}")));
}

TEST(EventWire, ShowsOnesOwnDraft) {
  EXPECT_THAT(ForFirst(rules::OwnDraftChanged{.draft = OneLancha()}),
              EqualsProto(Event(absl::StrCat("draft_changed { ", kOneLancha, " }"))));
}

TEST(EventWire, ShowsOnesOwnFleetAtOnesOwnSeat) {
  const rules::OwnFleetConfirmed event{.fleet = OneLancha(), .by_clock = true};
  EXPECT_THAT(ForFirst(event),
              EqualsProto(Event(absl::StrCat("fleet_confirmed { seat: SEAT_FIRST by_clock: true ",
                                             kOneLancha, " }"))));
  EXPECT_EQ(ToProto(Tablu(), Viewer::kSecond, event, 1, kEventTime).fleet_confirmed().seat(),
            match::v1::SEAT_SECOND);
}

TEST(EventWire, ShowsARivalThatIsReadyWithoutAFleet) {
  EXPECT_THAT(ForFirst(rules::SeatReady{.seat = Seat::kSecond, .by_clock = true}),
              EqualsProto(Event("fleet_confirmed { seat: SEAT_SECOND by_clock: true }")));
}

TEST(EventWire, ShowsTheStartOfTheBattle) {
  EXPECT_THAT(ForFirst(rules::BattleStarted{.starter = Seat::kSecond}),
              EqualsProto(Event("battle_started { starter: SEAT_SECOND }")));
}

TEST(EventWire, ShowsADueShotWithAndWithoutAClock) {
  EXPECT_THAT(ForFirst(rules::ShotDue{.seat = Seat::kFirst, .deadline = kDeadline}),
              EqualsProto(Event("shot_due { seat: SEAT_FIRST deadline { seconds: 1025 } }")));
  EXPECT_THAT(ForFirst(rules::ShotDue{.seat = Seat::kFirst, .deadline = std::nullopt}),
              EqualsProto(Event("shot_due { seat: SEAT_FIRST }")));
}

TEST(EventWire, ShowsAnEndedClock) {
  EXPECT_THAT(ForFirst(rules::ClockRanOut{.seat = Seat::kSecond, .strikes = 2}),
              EqualsProto(Event("clock_ran_out { seat: SEAT_SECOND strikes: 2 }")));
}

TEST(EventWire, ShowsAShotIntoTheWater) {
  EXPECT_THAT(ForFirst(rules::ShotTold{
                  .seat = Seat::kFirst, .square = rules::Square(9, 9), .by_clock = true}),
              EqualsProto(Event(R"pb(shot_fired {
                                       seat: SEAT_FIRST
                                       square: "J10"
                                       result: SHOT_RESULT_WATER
                                       by_clock: true
                                     })pb")));
}

TEST(EventWire, ShowsAShotThatSinksAShipWithItsSquaresAndItsRing) {
  const rules::ShotTold event{
      .seat = Seat::kSecond,
      .square = rules::Square(1, 0),
      .result = rules::ShotResult::kSunk,
      .sunk_ship = 4,
      .sunk_placement = rules::ShipPlacement{.ship = 4, .bow = rules::Square(0, 0)},
      .ring = {rules::Square(2, 0), rules::Square(0, 1)}};
  EXPECT_THAT(ForFirst(event),
              EqualsProto(Event(R"pb(shot_fired {
                                       seat: SEAT_SECOND
                                       square: "B1"
                                       result: SHOT_RESULT_SUNK
                                       sunk_ship { ship_id: "lancha" squares: "A1" squares: "B1" }
                                       ring_squares: "A2"
                                       ring_squares: "C1"
                                     })pb")));
}

TEST(EventWire, NamesASunkShipWithoutItsSquaresWhereTheyAreNotTold) {
  EXPECT_THAT(ForFirst(rules::ShotTold{.seat = Seat::kFirst,
                                       .square = rules::Square(1, 0),
                                       .result = rules::ShotResult::kSunk,
                                       .sunk_ship = 4}),
              EqualsProto(Event(R"pb(shot_fired {
                                       seat: SEAT_FIRST
                                       square: "B1"
                                       result: SHOT_RESULT_SUNK
                                       sunk_ship { ship_id: "lancha" }
                                     })pb")));
}

TEST(EventWire, ShowsTheSquaresOfAVolleyThatWaitsAtOnesOwnSeatOnly) {
  const rules::SquareSet squares = {rules::Square(1, 0), rules::Square(0, 2)};
  EXPECT_THAT(ForFirst(rules::OwnVolleyFired{.squares = squares, .by_clock = true}),
              EqualsProto(Event("volley_fired { seat: SEAT_FIRST squares: 'A3' squares: 'B1' "
                                "by_clock: true }")));
  EXPECT_THAT(ForFirst(rules::SeatFired{.seat = Seat::kSecond}),
              EqualsProto(Event("volley_fired { seat: SEAT_SECOND }")));
}

TEST(EventWire, ShowsARoundOfVolleysAndItsAnswersByClass) {
  EXPECT_THAT(
      ForFirst(rules::VolleyDue{.round = 2, .shots = {7, 5}, .deadline = kDeadline}),
      EqualsProto(Event("volley_due { round: 2 shots: 7 shots: 5 deadline { seconds: 1025 } }")));
  EXPECT_THAT(ForFirst(rules::VolleyAnswered{.seat = Seat::kSecond,
                                             .round = 2,
                                             .squares = {rules::Square(1, 0)},
                                             .hits = {0, 2, 0, 0, 1},
                                             .sunk_ships = {4}}),
              EqualsProto(Event(R"pb(volley_answered {
                                       seat: SEAT_SECOND
                                       round: 2
                                       squares: "B1"
                                       hits { ship_class: "acorazado" hits: 2 }
                                       hits { ship_class: "lancha" hits: 1 }
                                       sunk_ships: "lancha"
                                     })pb")));
}

TEST(EventWire, ShowsAClockThatWasSetAnew) {
  EXPECT_THAT(ForFirst(rules::ClockAdjusted{.deadline = kDeadline}),
              EqualsProto(Event("clock_adjusted { deadline { seconds: 1025 } }")));
}

TEST(EventWire, ShowsAnIdleClock) {
  EXPECT_THAT(ForFirst(rules::IdleClockSet{.deadline = kDeadline}),
              EqualsProto(Event("idle_clock_set { deadline { seconds: 1025 } }")));
}

TEST(EventWire, ShowsTheEndWithBothFleets) {
  const rules::MatchRevealed event{
      .end = {.winner = Seat::kFirst, .reason = rules::EndReason::kResigned},
      .fleets = std::array<rules::Fleet, 2>{rules::Fleet(), OneLancha()}};
  EXPECT_THAT(ForFirst(event),
              EqualsProto(Event(absl::StrCat(
                  "match_ended { result { winner: SEAT_FIRST reason: END_REASON_RESIGNED } "
                  "fleets { seat: SEAT_FIRST } fleets { seat: SEAT_SECOND ",
                  kOneLancha, " } }"))));
}

TEST(EventWire, ShowsTheFleetThatLostAMatchWithItsFaultsAndNoOther) {
  const rules::MatchRevealed event{
      .end = {.winner = Seat::kFirst,
              .reason = rules::EndReason::kIllegalFleet,
              .illegal_fleet = {{.ship = 0, .bow = rules::Square(9, 0)},
                                {.ship = 1, .bow = rules::Square(0, 0)},
                                {.ship = 2, .bow = rules::Square(0, 1)},
                                {.ship = 3, .bow = rules::Square(0, 9)}}},
      .fleets = std::nullopt};
  const auto ended = ForFirst(event).match_ended();
  EXPECT_EQ(ended.result().reason(), match::v1::END_REASON_ILLEGAL_FLEET);
  ASSERT_EQ(ended.fleets_size(), 1);
  EXPECT_EQ(ended.fleets(0).seat(), match::v1::SEAT_SECOND);
  EXPECT_EQ(ended.fleets(0).fleet_size(), 4);
  ASSERT_EQ(ended.violations_size(), 3);
  EXPECT_EQ(ended.violations(0).kind(), match::v1::FLEET_VIOLATION_KIND_OUT_OF_BOARD);
  EXPECT_EQ(ended.violations(1).kind(), match::v1::FLEET_VIOLATION_KIND_TOUCHING);
  EXPECT_EQ(ended.violations(2).kind(), match::v1::FLEET_VIOLATION_KIND_MISSING);
}

TEST(EventWire, ShowsAnEndBeforeTheBattleWithoutFleets) {
  EXPECT_THAT(ForFirst(rules::MatchRevealed{
                  .end = {.winner = Seat::kSecond, .reason = rules::EndReason::kResigned},
                  .fleets = std::nullopt}),
              EqualsProto(Event(
                  "match_ended { result { winner: SEAT_SECOND reason: END_REASON_RESIGNED } }")));
}

}  // namespace
}  // namespace naval::wire
