#include "lib/wire/rules_wire.h"

#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/wire/time_wire.h"

namespace naval::wire {
namespace {

constexpr std::pair<rules::Pace, game::v1::Pace> kPaces[] = {
    {rules::Pace::kLive, game::v1::PACE_LIVE},
    {rules::Pace::kSlow, game::v1::PACE_SLOW},
    {rules::Pace::kCorrespondence, game::v1::PACE_CORRESPONDENCE},
};
// The protocol's numbers begin at 1, since 0 is UNSPECIFIED.
static_assert(std::size(kPaces) == game::v1::Pace_MAX);

game::v1::Pace PaceToProto(std::optional<rules::Pace> pace) {
  for (const auto& [known, proto] : kPaces) {
    if (known == pace) return proto;
  }
  return game::v1::PACE_UNSPECIFIED;
}

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

game::v1::SunkReport SunkReportToProto(rules::SunkReport report) {
  switch (report) {
    case rules::SunkReport::kShip:
      return game::v1::SUNK_REPORT_SHIP;
    case rules::SunkReport::kClass:
      return game::v1::SUNK_REPORT_CLASS;
  }
  NAVAL_CHECK(false);
}

game::v1::ClockEnd ClockEndToProto(rules::ClockEnd end) {
  switch (end) {
    case rules::ClockEnd::kServerPlays:
      return game::v1::CLOCK_END_SERVER_PLAYS;
    case rules::ClockEnd::kLoses:
      return game::v1::CLOCK_END_LOSES;
    case rules::ClockEnd::kMayBeClaimed:
      return game::v1::CLOCK_END_MAY_BE_CLAIMED;
  }
  NAVAL_CHECK(false);
}

game::v1::Ship ShipToProto(const rules::Ship& ship) {
  game::v1::Ship proto;
  proto.set_id(ship.id);
  proto.set_length(ship.length);
  proto.set_ship_class(std::string(rules::ClassOf(ship)));
  proto.set_shots(ship.shots);
  return proto;
}

// Fills the clocks, which stand in a RuleSet and in a PaceOffer alike.
template <typename Message>
void SetClocks(const rules::RuleSet& rule_set, Message& proto) {
  if (rule_set.placement_duration.has_value()) {
    *proto.mutable_placement_duration() = ToProto(*rule_set.placement_duration);
  }
  if (rule_set.shot_duration.has_value()) {
    *proto.mutable_shot_duration() = ToProto(*rule_set.shot_duration);
  }
  if (rule_set.idle_duration.has_value()) {
    *proto.mutable_idle_duration() = ToProto(*rule_set.idle_duration);
  }
  proto.set_clock_end(ClockEndToProto(rule_set.clock_end));
}

}  // namespace

game::v1::GameRules ToProto(const rules::RulesChoice& choice) {
  game::v1::GameRules proto;
  proto.set_rule_set(choice.rule_set);
  proto.set_one_shot_per_turn(choice.one_shot_per_turn);
  proto.set_untimed(choice.untimed);
  proto.set_fleet_b(choice.fleet_b);
  proto.set_volley(choice.volley);
  proto.set_pace(PaceToProto(choice.pace));
  return proto;
}

absl::StatusOr<rules::RulesChoice> FromProto(const game::v1::GameRules& choice,
                                             absl::string_view field) {
  rules::RulesChoice read = {.rule_set = choice.rule_set(),
                             .one_shot_per_turn = choice.one_shot_per_turn(),
                             .untimed = choice.untimed(),
                             .fleet_b = choice.fleet_b(),
                             .volley = choice.volley(),
                             .pace = std::nullopt};
  for (const auto& [pace, proto] : kPaces) {
    if (proto == choice.pace()) read.pace = pace;
  }
  if (PaceToProto(read.pace) != choice.pace()) {
    return base::InvalidField("INVALID_PACE", absl::StrCat(field, ".pace"), "must be one of Pace",
                              {{"pace", absl::StrCat(choice.pace())}});
  }
  return read;
}

absl::StatusOr<rules::RulesChoice> ReadRules(const game::v1::GameRules& choice,
                                             rules::Opponent opponent, absl::string_view field) {
  NAVAL_ASSIGN_OR_RETURN(rules::RulesChoice read, FromProto(choice, field));
  const absl::Status status = rules::ChooseRules(read, opponent).status();
  if (status.ok()) return read;
  const std::string option = base::MetadataOf(status)["option"];
  return base::InField(status, absl::StrCat(field, ".", option.empty() ? "rule_set" : option));
}

game::v1::RuleSet ToProto(const rules::RuleSet& rule_set) {
  game::v1::RuleSet proto;
  proto.set_id(rule_set.id);
  proto.set_board_size(rule_set.board_size);
  for (const rules::Ship& ship : rule_set.ships) *proto.add_ships() = ShipToProto(ship);
  proto.set_ships_may_touch(rule_set.ships_may_touch);
  proto.set_turn_order(TurnOrderToProto(rule_set.turn_order));
  proto.set_shots_per_turn(rule_set.shots_per_turn.value_or(0));
  proto.set_ring_closed(rule_set.ring_closed);
  proto.set_sunk_report(SunkReportToProto(rule_set.sunk_report));
  proto.set_illegal_fleet_loses(rule_set.illegal_fleet == rules::IllegalFleet::kLoses);
  SetClocks(rule_set, proto);
  proto.set_strikes_to_lose(rule_set.strikes_to_lose);
  return proto;
}

game::v1::RuleSet ToProto(const rules::Preset& preset) {
  game::v1::RuleSet proto = ToProto(preset.rules);
  if (preset.offers_one_shot_per_turn) proto.add_options("one_shot_per_turn");
  if (preset.offers_untimed) proto.add_options("untimed");
  if (!preset.fleet_b.empty()) proto.add_options("fleet_b");
  if (preset.offers_volley) proto.add_options("volley");
  if (preset.paces.size() > 1) proto.add_options("pace");
  for (const rules::Pace pace : preset.paces) {
    const auto chosen =
        rules::ChooseRules({.rule_set = preset.rules.id, .pace = pace}, rules::Opponent::kPerson);
    NAVAL_CHECK(chosen.ok());
    game::v1::PaceOffer& offer = *proto.add_paces();
    offer.set_pace(PaceToProto(pace));
    SetClocks(*chosen->rules, offer);
  }
  for (const rules::Ship& ship : preset.fleet_b) *proto.add_fleet_b() = ShipToProto(ship);
  return proto;
}

}  // namespace naval::wire
