#include "lib/wire/rules_wire.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/wire/time_wire.h"

namespace naval::wire {
namespace {

game::v1::TurnOrder TurnOrderToProto(rules::TurnOrder turn_order) {
  switch (turn_order) {
    case rules::TurnOrder::kHitAgain:
      return game::v1::TURN_ORDER_HIT_AGAIN;
    case rules::TurnOrder::kAlternate:
      return game::v1::TURN_ORDER_ALTERNATE;
    case rules::TurnOrder::kVolley:
      return game::v1::TURN_ORDER_VOLLEY;
  }
  NAVAL_CHECK(false);
}

}  // namespace

game::v1::GameRules ToProto(const rules::RulesChoice& choice) {
  game::v1::GameRules proto;
  proto.set_rule_set(choice.rule_set);
  proto.set_one_shot_per_turn(choice.one_shot_per_turn);
  proto.set_untimed(choice.untimed);
  return proto;
}

rules::RulesChoice FromProto(const game::v1::GameRules& choice) {
  return {.rule_set = choice.rule_set(),
          .one_shot_per_turn = choice.one_shot_per_turn(),
          .untimed = choice.untimed()};
}

absl::Status CheckRules(const game::v1::GameRules& choice, rules::Opponent opponent,
                        absl::string_view field) {
  const absl::Status status = rules::ChooseRules(FromProto(choice), opponent).status();
  if (status.ok()) return absl::OkStatus();
  const std::string option = base::MetadataOf(status)["option"];
  return base::InField(status, absl::StrCat(field, ".", option.empty() ? "rule_set" : option));
}

game::v1::RuleSet ToProto(const rules::RuleSet& rule_set) {
  game::v1::RuleSet proto;
  proto.set_id(rule_set.id);
  proto.set_board_size(rule_set.board_size);
  for (const rules::Ship& ship : rule_set.ships) {
    game::v1::Ship& ship_proto = *proto.add_ships();
    ship_proto.set_id(ship.id);
    ship_proto.set_length(ship.length);
  }
  proto.set_ships_may_touch(rule_set.ships_may_touch);
  proto.set_turn_order(TurnOrderToProto(rule_set.turn_order));
  proto.set_ring_closed(rule_set.ring_closed);
  if (rule_set.placement_duration.has_value()) {
    *proto.mutable_placement_duration() = ToProto(*rule_set.placement_duration);
  }
  if (rule_set.shot_duration.has_value()) {
    *proto.mutable_shot_duration() = ToProto(*rule_set.shot_duration);
  }
  proto.set_strikes_to_lose(rule_set.strikes_to_lose);
  return proto;
}

game::v1::RuleSet ToProto(const rules::Preset& preset) {
  game::v1::RuleSet proto = ToProto(preset.rules);
  if (preset.offers_one_shot_per_turn) proto.add_options("one_shot_per_turn");
  if (preset.offers_untimed) proto.add_options("untimed");
  return proto;
}

}  // namespace naval::wire
