#include "lib/wire/rules_wire.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using ::naval::testing::HasReason;

TEST(RulesWire, RoundTripsEveryChoice) {
  for (const rules::RulesChoice& choice : {
           rules::RulesChoice{.rule_set = "tablu"},
           rules::RulesChoice{.rule_set = "tablu", .one_shot_per_turn = true},
           rules::RulesChoice{.rule_set = "tablu", .untimed = true},
           rules::RulesChoice{.rule_set = "salvo", .fleet_b = true},
           rules::RulesChoice{.rule_set = "salvo", .volley = true},
           rules::RulesChoice{.rule_set = "salvo", .pace = rules::Pace::kLive},
           rules::RulesChoice{.rule_set = "salvo", .pace = rules::Pace::kSlow},
           rules::RulesChoice{.rule_set = "salvo", .pace = rules::Pace::kCorrespondence},
       }) {
    const game::v1::GameRules proto = ToProto(choice);
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::RulesChoice read, FromProto(proto, "rules"));
    EXPECT_EQ(read, choice) << proto.DebugString();
  }
}

TEST(RulesWire, NamesTheFieldThatCannotBePlayed) {
  game::v1::GameRules choice;
  choice.set_rule_set("salvo");
  choice.set_pace(static_cast<game::v1::Pace>(99));
  const absl::Status no_pace = ReadRules(choice, rules::Opponent::kPerson, "rules").status();
  EXPECT_THAT(no_pace, HasReason("INVALID_PACE"));
  EXPECT_EQ(base::FieldViolationsOf(no_pace).at(0).field, "rules.pace");
  choice.clear_pace();
  choice.set_one_shot_per_turn(true);
  const absl::Status not_offered = ReadRules(choice, rules::Opponent::kPerson, "rules").status();
  EXPECT_THAT(not_offered, HasReason("OPTION_NOT_OFFERED"));
  EXPECT_EQ(base::FieldViolationsOf(not_offered).at(0).field, "rules.one_shot_per_turn");
  choice.set_rule_set("chess");
  const absl::Status unknown = ReadRules(choice, rules::Opponent::kPerson, "rules").status();
  EXPECT_THAT(unknown, HasReason("UNKNOWN_RULE_SET"));
  EXPECT_EQ(base::FieldViolationsOf(unknown).at(0).field, "rules.rule_set");
}

TEST(RulesWire, ShowsAPresetWithItsFleetClocksAndOptions) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Preset* tablu, rules::FindPreset("tablu"));
  EXPECT_THAT(ToProto(*tablu), EqualsProto(R"pb(
                id: "tablu"
                board_size: 10
                ships { id: "portaaviones" length: 5 ship_class: "portaaviones" shots: 1 }
                ships { id: "acorazado" length: 4 ship_class: "acorazado" shots: 1 }
                ships { id: "fragata" length: 3 ship_class: "fragata" shots: 1 }
                ships { id: "submarino" length: 3 ship_class: "submarino" shots: 1 }
                ships { id: "lancha" length: 2 ship_class: "lancha" shots: 1 }
                turn_order: TURN_ORDER_HIT_AGAIN
                ring_closed: true
                placement_duration { seconds: 90 }
                shot_duration { seconds: 25 }
                strikes_to_lose: 3
                options: "one_shot_per_turn"
                options: "untimed"
                sunk_report: SUNK_REPORT_SHIP
                shots_per_turn: 1
                clock_end: CLOCK_END_SERVER_PLAYS
                paces {
                  pace: PACE_LIVE
                  placement_duration { seconds: 90 }
                  shot_duration { seconds: 25 }
                  clock_end: CLOCK_END_SERVER_PLAYS
                }
              )pb"));
}

TEST(RulesWire, ShowsEveryPaceWithItsClocksTheUsualOneFirst) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Preset* selminha, rules::FindPreset("selminha"));
  const game::v1::RuleSet proto = ToProto(*selminha);
  EXPECT_EQ(proto.clock_end(), game::v1::CLOCK_END_MAY_BE_CLAIMED);
  EXPECT_EQ(proto.idle_duration().seconds(), 7 * 24 * 3600);
  ASSERT_EQ(proto.paces_size(), 2);
  EXPECT_THAT(proto.paces(0), EqualsProto(R"pb(
                pace: PACE_CORRESPONDENCE
                placement_duration { seconds: 172800 }
                shot_duration { seconds: 172800 }
                clock_end: CLOCK_END_MAY_BE_CLAIMED
                idle_duration { seconds: 604800 }
              )pb"));
  EXPECT_EQ(proto.paces(1).pace(), game::v1::PACE_LIVE);
  EXPECT_FALSE(proto.paces(1).has_idle_duration());
}

TEST(RulesWire, ShowsTheOtherFleetWithItsClassesAndShots) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Preset* salvo, rules::FindPreset("salvo"));
  const game::v1::RuleSet proto = ToProto(*salvo);
  EXPECT_EQ(proto.sunk_report(), game::v1::SUNK_REPORT_CLASS);
  EXPECT_TRUE(proto.ships_may_touch());
  EXPECT_FALSE(proto.ring_closed());
  ASSERT_EQ(proto.fleet_b_size(), 4);
  EXPECT_THAT(proto.fleet_b(0),
              EqualsProto(R"pb(id: "acorazado" length: 5 ship_class: "acorazado" shots: 3)pb"));
  EXPECT_THAT(proto.fleet_b(3),
              EqualsProto(R"pb(id: "destructor-2" length: 2 ship_class: "destructor" shots: 1)pb"));
}

TEST(RulesWire, ShowsThatAnIllegalFleetLoses) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Preset* clasica, rules::FindPreset("clasica"));
  EXPECT_TRUE(ToProto(*clasica).illegal_fleet_loses());
  EXPECT_EQ(ToProto(*clasica).clock_end(), game::v1::CLOCK_END_LOSES);
}

TEST(RulesWire, ShowsAChosenRuleSetWithoutWhatWasChosenAway) {
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const rules::GameSettings chosen,
      rules::ChooseRules({.rule_set = "tablu", .one_shot_per_turn = true, .untimed = true},
                         rules::Opponent::kBot));
  const game::v1::RuleSet proto = ToProto(*chosen.rules);
  EXPECT_EQ(proto.turn_order(), game::v1::TURN_ORDER_ALTERNATE);
  EXPECT_FALSE(proto.has_placement_duration());
  EXPECT_FALSE(proto.has_shot_duration());
  EXPECT_EQ(proto.options_size(), 0);
}

TEST(RulesWire, ShowsVolleysOfAsManyShotsAsTheShipsGive) {
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const rules::GameSettings chosen,
      rules::ChooseRules({.rule_set = "salvo", .volley = true}, rules::Opponent::kPerson));
  EXPECT_EQ(ToProto(*chosen.rules).turn_order(), game::v1::TURN_ORDER_VOLLEY);
  EXPECT_EQ(ToProto(*chosen.rules).shots_per_turn(), 0);
  EXPECT_EQ(ToProto(*chosen.rules).paces_size(), 0);
}

}  // namespace
}  // namespace naval::wire
