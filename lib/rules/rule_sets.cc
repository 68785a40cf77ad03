#include "lib/rules/rule_sets.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

Preset Tablu() {
  Preset preset;
  preset.rules.id = "tablu";
  preset.rules.ships = {
      {"portaaviones", 5}, {"acorazado", 4}, {"fragata", 3}, {"submarino", 3}, {"lancha", 2}};
  preset.rules.ships_may_touch = false;
  preset.rules.ring_closed = true;
  preset.rules.turn_order = TurnOrder::kHitAgain;
  preset.rules.placement_duration = absl::Seconds(90);
  preset.rules.shot_duration = absl::Seconds(25);
  preset.rules.strikes_to_lose = 3;
  preset.offers_one_shot_per_turn = true;
  preset.offers_untimed = true;
  return preset;
}

absl::Status RefuseOption(absl::string_view option, const RulesChoice& choice) {
  return Refuse(Refusal::kOptionNotOffered,
                {{"option", std::string(option)}, {"rule_set", choice.rule_set}});
}

}  // namespace

const std::vector<Preset>& Presets() {
  static const auto* const kPresets = new std::vector<Preset>{Tablu()};
  return *kPresets;
}

absl::StatusOr<const Preset*> FindPreset(absl::string_view id) {
  for (const Preset& preset : Presets()) {
    if (preset.rules.id == id) return &preset;
  }
  return Refuse(
      Refusal::kUnknownRuleSet,
      {{"rule_set", base::Shown(id)},
       {"known", absl::StrJoin(Presets(), " ", [](std::string* out, const Preset& preset) {
          out->append(preset.rules.id);
        })}});
}

absl::StatusOr<RuleSet> ChooseRules(const RulesChoice& choice, Opponent opponent) {
  absl::StatusOr<const Preset*> preset = FindPreset(choice.rule_set);
  if (!preset.ok()) return std::move(preset).status();
  RuleSet rules = (*preset)->rules;
  if (choice.one_shot_per_turn) {
    if (!(*preset)->offers_one_shot_per_turn) return RefuseOption("one_shot_per_turn", choice);
    rules.turn_order = TurnOrder::kAlternate;
  }
  if (choice.untimed) {
    if (!(*preset)->offers_untimed || opponent != Opponent::kBot) {
      return RefuseOption("untimed", choice);
    }
    rules.placement_duration.reset();
    rules.shot_duration.reset();
  }
  return rules;
}

}  // namespace naval::rules
