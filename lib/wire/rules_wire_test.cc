#include "lib/wire/rules_wire.h"

#include <gtest/gtest.h>

#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;

TEST(RulesWire, RoundTripsEveryChoice) {
  for (const bool one_shot_per_turn : {false, true}) {
    for (const bool untimed : {false, true}) {
      const rules::RulesChoice read = FromProto(ToProto(rules::RulesChoice{
          .rule_set = "tablu", .one_shot_per_turn = one_shot_per_turn, .untimed = untimed}));
      EXPECT_EQ(read.rule_set, "tablu");
      EXPECT_EQ(read.one_shot_per_turn, one_shot_per_turn);
      EXPECT_EQ(read.untimed, untimed);
    }
  }
}

TEST(RulesWire, ShowsAPresetWithItsFleetClocksAndOptions) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Preset* tablu, rules::FindPreset("tablu"));
  EXPECT_THAT(ToProto(*tablu), EqualsProto(R"pb(
                id: "tablu"
                board_size: 10
                ships { id: "portaaviones" length: 5 }
                ships { id: "acorazado" length: 4 }
                ships { id: "fragata" length: 3 }
                ships { id: "submarino" length: 3 }
                ships { id: "lancha" length: 2 }
                turn_order: TURN_ORDER_HIT_AGAIN
                ring_closed: true
                placement_duration { seconds: 90 }
                shot_duration { seconds: 25 }
                strikes_to_lose: 3
                options: "one_shot_per_turn"
                options: "untimed"
              )pb"));
}

TEST(RulesWire, ShowsAChosenRuleSetWithoutWhatWasChosenAway) {
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const rules::RuleSet chosen,
      rules::ChooseRules({.rule_set = "tablu", .one_shot_per_turn = true, .untimed = true},
                         rules::Opponent::kBot));
  const game::v1::RuleSet proto = ToProto(chosen);
  EXPECT_EQ(proto.turn_order(), game::v1::TURN_ORDER_ALTERNATE);
  EXPECT_FALSE(proto.has_placement_duration());
  EXPECT_FALSE(proto.has_shot_duration());
  EXPECT_EQ(proto.options_size(), 0);
}

TEST(RulesWire, ShowsShipsThatMayTouch) {
  rules::RuleSet rule_set;
  rule_set.ships_may_touch = true;
  rule_set.ring_closed = false;
  EXPECT_TRUE(ToProto(rule_set).ships_may_touch());
  EXPECT_FALSE(ToProto(rule_set).ring_closed());
}

}  // namespace
}  // namespace naval::wire
