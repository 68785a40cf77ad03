#include "tools/client/match_state.h"

#include <gtest/gtest.h>

#include "google/protobuf/text_format.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;
using naval::testing::EqualsProto;
using naval::testing::HasReason;
using naval::testing::IsOk;

v1::MatchEvent Event(const std::string& text) {
  v1::MatchEvent event;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &event)) << text;
  return event;
}

// At its number 4 the first seat is to shoot.
v1::Match Battle() {
  v1::Match match;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        viewer_seat: SEAT_FIRST
        seq: 4
        phase: PHASE_BATTLE
        sides { seat: SEAT_FIRST fleet_confirmed: true strikes: 1 }
        sides {
          seat: SEAT_SECOND
          fleet_confirmed: true
          shots { square: "J9" result: SHOT_RESULT_HIT }
          ships_afloat: "fragata"
          ships_afloat: "lancha"
        }
        turn: SEAT_FIRST
        deadline { seconds: 100 }
      )pb",
      &match));
  return match;
}

TEST(MatchState, TakesAShotThatSinksAShip) {
  v1::Match match = Battle();
  ASSERT_THAT(ApplyEvent(Event(R"pb(
                           seq: 5
                           shot_fired {
                             seat: SEAT_FIRST
                             square: "J10"
                             result: SHOT_RESULT_SUNK
                             sunk_ship { ship_id: "lancha" squares: "J9" squares: "J10" }
                             ring_squares: "I8"
                             ring_squares: "I9"
                             ring_squares: "I10"
                             ring_squares: "J8"
                           }
                         )pb"),
                         match),
              IsOk());
  EXPECT_THAT(match, EqualsProto(R"pb(
                viewer_seat: SEAT_FIRST
                seq: 5
                phase: PHASE_BATTLE
                sides { seat: SEAT_FIRST fleet_confirmed: true }
                sides {
                  seat: SEAT_SECOND
                  fleet_confirmed: true
                  shots { square: "J9" result: SHOT_RESULT_HIT }
                  shots { square: "J10" result: SHOT_RESULT_SUNK }
                  ring_squares: "I8"
                  ring_squares: "I9"
                  ring_squares: "I10"
                  ring_squares: "J8"
                  sunk_ships { ship_id: "lancha" squares: "J9" squares: "J10" }
                  ships_afloat: "fragata"
                }
                turn: SEAT_FIRST
                deadline { seconds: 100 }
              )pb"));
}

TEST(MatchState, KeepsTheStrikesOfAPlayerForWhomTheClockFired) {
  v1::Match match = Battle();
  ASSERT_THAT(ApplyEvent(Event("seq: 5 clock_ran_out { seat: SEAT_FIRST strikes: 2 }"), match),
              IsOk());
  ASSERT_THAT(ApplyEvent(Event("seq: 6 shot_fired { seat: SEAT_FIRST square: 'A1'"
                               " result: SHOT_RESULT_WATER by_clock: true }"),
                         match),
              IsOk());
  EXPECT_EQ(SideOf(match, v1::SEAT_FIRST).strikes(), 2);
}

TEST(MatchState, RevealsBothFleetsAtTheEnd) {
  v1::Match match = Battle();
  ASSERT_THAT(ApplyEvent(Event("seq: 5 match_ended { result { winner: SEAT_FIRST"
                               " reason: END_REASON_RESIGNED }"
                               " fleets { seat: SEAT_FIRST fleet { ship_id: 'fragata' } }"
                               " fleets { seat: SEAT_SECOND fleet { ship_id: 'lancha' } } }"),
                         match),
              IsOk());
  EXPECT_EQ(match.phase(), v1::PHASE_OVER);
  EXPECT_EQ(match.turn(), v1::SEAT_UNSPECIFIED);
  EXPECT_FALSE(match.has_deadline());
  EXPECT_EQ(SideOf(match, v1::SEAT_SECOND).fleet(0).ship_id(), "lancha");
}

TEST(MatchState, RefusesAnEventThatIsNotTheNextOne) {
  v1::Match match = Battle();
  for (const char* text :
       {"seq: 4 shot_due { seat: SEAT_SECOND }", "seq: 6 shot_due { seat: SEAT_SECOND }"}) {
    EXPECT_THAT(ApplyEvent(Event(text), match), HasReason("EVENT_MISSED"));
  }
  EXPECT_EQ(match.SerializeAsString(), Battle().SerializeAsString());
}

}  // namespace
}  // namespace naval::client
