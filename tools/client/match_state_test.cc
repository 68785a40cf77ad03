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
                  shots { square: "J10" result: SHOT_RESULT_SUNK sunk_ship_id: "lancha" }
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

TEST(MatchState, KeepsWhoIsThereUntilTheMatchIsOver) {
  v1::Match match = Battle();
  v1::PresenceChanged change;
  change.set_presence(v1::PRESENCE_AWAY);
  ApplyPresence(change, match);
  EXPECT_THAT(match, EqualsProto(Battle().ShortDebugString()));
  change.set_seat(v1::SEAT_SECOND);
  ApplyPresence(change, match);
  EXPECT_EQ(SideOf(match, v1::SEAT_FIRST).presence(), v1::PRESENCE_UNSPECIFIED);
  EXPECT_EQ(SideOf(match, v1::SEAT_SECOND).presence(), v1::PRESENCE_AWAY);
  EXPECT_EQ(match.seq(), 4);
  ASSERT_THAT(ApplyEvent(Event("seq: 5 match_ended { }"), match), IsOk());
  EXPECT_EQ(SideOf(match, v1::SEAT_SECOND).presence(), v1::PRESENCE_UNSPECIFIED);
}

TEST(MatchState, NamesShipsThatSankInThatOrderWhereTheirPlaceIsNotTold) {
  v1::Match match = Battle();
  match.mutable_rule_set()->set_sunk_report(game::v1::SUNK_REPORT_CLASS);
  for (const char* const text :
       {"seq: 5 shot_fired { seat: SEAT_FIRST square: 'J10' result: SHOT_RESULT_SUNK"
        " sunk_ship { ship_id: 'lancha' } }",
        "seq: 6 shot_fired { seat: SEAT_FIRST square: 'A1' result: SHOT_RESULT_SUNK"
        " sunk_ship { ship_id: 'fragata' } }"}) {
    ASSERT_THAT(ApplyEvent(Event(text), match), IsOk());
  }
  const v1::Side& sea = SideOf(match, v1::SEAT_SECOND);
  EXPECT_TRUE(sea.ships_afloat().empty());
  ASSERT_EQ(sea.sunk_ships_size(), 2);
  EXPECT_EQ(sea.sunk_ships(0).ship_id(), "lancha");
  EXPECT_EQ(sea.sunk_ships(1).ship_id(), "fragata");
  EXPECT_EQ(sea.shots(sea.shots_size() - 1).sunk_ship_id(), "fragata");
}

// A battle of volleys before its first round, as SEAT_FIRST sees it.
v1::Match VolleyBattle() {
  v1::Match match = Battle();
  match.clear_turn();
  match.clear_deadline();
  match.mutable_sides(1)->clear_shots();
  game::v1::RuleSet& rules = *match.mutable_rule_set();
  rules.set_sunk_report(game::v1::SUNK_REPORT_CLASS);
  rules.set_turn_order(game::v1::TURN_ORDER_VOLLEY);
  for (const char* const id : {"fragata", "lancha"}) rules.add_ships()->set_id(id);
  rules.mutable_ships(0)->set_length(3);
  rules.mutable_ships(1)->set_length(2);
  return match;
}

TEST(MatchState, FollowsARoundOfVolleys) {
  v1::Match match = VolleyBattle();
  EXPECT_FALSE(MayFire(match));
  ASSERT_THAT(ApplyEvent(Event("seq: 5 volley_due { round: 1 shots: 3 shots: 2"
                               " deadline { seconds: 200 } }"),
                         match),
              IsOk());
  EXPECT_TRUE(MayFire(match));
  EXPECT_EQ(match.round(), 1);
  EXPECT_EQ(match.deadline().seconds(), 200);
  EXPECT_EQ(SideOf(match, v1::SEAT_SECOND).volley_size(), 2);
  ASSERT_THAT(ApplyEvent(Event("seq: 6 volley_fired { seat: SEAT_FIRST squares: 'A1' squares: 'A2'"
                               " squares: 'J9' }"),
                         match),
              IsOk());
  EXPECT_FALSE(MayFire(match));
  EXPECT_TRUE(SideOf(match, v1::SEAT_FIRST).volley_in());
  EXPECT_EQ(SideOf(match, v1::SEAT_FIRST).volley_squares_size(), 3);
  EXPECT_EQ(SideOf(match, v1::SEAT_FIRST).strikes(), 0) << "it was the player's own";
  ASSERT_THAT(ApplyEvent(Event("seq: 7 volley_answered { seat: SEAT_FIRST round: 1 squares: 'A1'"
                               " squares: 'A2' squares: 'J9' hits { ship_class: 'lancha' hits: 2 }"
                               " sunk_ships: 'lancha' }"),
                         match),
              IsOk());
  EXPECT_FALSE(SideOf(match, v1::SEAT_FIRST).volley_in());
  EXPECT_TRUE(SideOf(match, v1::SEAT_FIRST).volley_squares().empty());
  const v1::Side& sea = SideOf(match, v1::SEAT_SECOND);
  ASSERT_EQ(sea.shots_size(), 3);
  EXPECT_EQ(sea.shots(0).result(), v1::SHOT_RESULT_UNKNOWN);
  ASSERT_EQ(sea.sunk_ships_size(), 1);
  EXPECT_EQ(sea.sunk_ships(0).ship_id(), "lancha");
  EXPECT_EQ(match.volleys_size(), 1);
}

TEST(MatchState, KnowsWhatVolleysFoundOnceTheFleetsAreShown) {
  v1::Match match = VolleyBattle();
  for (const char* const text :
       {"seq: 5 idle_clock_set { deadline { seconds: 900 } }",
        "seq: 6 volley_answered { seat: SEAT_FIRST round: 1 squares: 'A1' squares: 'B1'"
        " squares: 'J10' squares: 'J1' }",
        "seq: 7 match_ended { result { winner: SEAT_FIRST reason: END_REASON_RESIGNED }"
        " fleets { seat: SEAT_FIRST } fleets { seat: SEAT_SECOND"
        " fleet { ship_id: 'fragata' bow: 'J8' orientation: ORIENTATION_VERTICAL }"
        " fleet { ship_id: 'lancha' bow: 'A1' orientation: ORIENTATION_HORIZONTAL } } }"}) {
    ASSERT_THAT(ApplyEvent(Event(text), match), IsOk());
  }
  EXPECT_FALSE(match.has_idle_deadline());
  const v1::Side& sea = SideOf(match, v1::SEAT_SECOND);
  ASSERT_EQ(sea.shots_size(), 4);
  EXPECT_EQ(sea.shots(3).result(), v1::SHOT_RESULT_WATER);
  EXPECT_EQ(sea.shots(0).result(), v1::SHOT_RESULT_HIT);
  EXPECT_EQ(sea.shots(1).result(), v1::SHOT_RESULT_HIT) << "no shot of a volley is the last one";
  EXPECT_EQ(sea.shots(2).result(), v1::SHOT_RESULT_HIT);
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
