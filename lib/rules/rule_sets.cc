#include "lib/rules/rule_sets.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

// Gives `rules`, which play `preset`, this pace.
void SetPace(const Preset& preset, Pace pace, RuleSet& rules) {
  rules.clock_end = preset.live_clock_end;
  rules.idle_duration.reset();
  switch (pace) {
    case Pace::kLive:
      rules.placement_duration = absl::Seconds(90);
      rules.shot_duration = absl::Seconds(25);
      return;
    case Pace::kSlow:
      rules.placement_duration = absl::Minutes(5);
      rules.shot_duration = absl::Minutes(2);
      return;
    case Pace::kCorrespondence:
      rules.placement_duration = absl::Hours(48);
      rules.shot_duration = absl::Hours(48);
      rules.clock_end = ClockEnd::kMayBeClaimed;
      rules.idle_duration = absl::Hours(7 * 24);
      return;
  }
}

Preset Tablu() {
  Preset preset;
  preset.rules.id = "tablu";
  preset.rules.ships = {
      {"portaaviones", 5}, {"acorazado", 4}, {"fragata", 3}, {"submarino", 3}, {"lancha", 2}};
  SetPace(preset, Pace::kLive, preset.rules);
  preset.offers_one_shot_per_turn = true;
  preset.offers_untimed = true;
  return preset;
}

Preset Clasica() {
  Preset preset;
  preset.rules.id = "clasica";
  preset.rules.ships = {
      {"acorazado", 4},
      {"crucero-1", 3, "crucero"},
      {"crucero-2", 3, "crucero"},
      {"destructor-1", 2, "destructor"},
      {"destructor-2", 2, "destructor"},
      {"destructor-3", 2, "destructor"},
      {"torpedera-1", 1, "torpedera"},
      {"torpedera-2", 1, "torpedera"},
      {"torpedera-3", 1, "torpedera"},
      {"torpedera-4", 1, "torpedera"},
  };
  preset.rules.illegal_fleet = IllegalFleet::kLoses;
  preset.live_clock_end = ClockEnd::kLoses;
  preset.paces = {Pace::kLive, Pace::kSlow, Pace::kCorrespondence};
  SetPace(preset, Pace::kLive, preset.rules);
  preset.offers_untimed = true;
  return preset;
}

Preset Salvo() {
  Preset preset;
  preset.rules.id = "salvo";
  preset.rules.ships = {{.id = "acorazado", .length = 5, .shots = 3},
                        {.id = "crucero", .length = 4, .shots = 2},
                        {.id = "submarino", .length = 3, .shots = 1},
                        {.id = "destructor", .length = 2, .shots = 1}};
  preset.fleet_b = {{.id = "acorazado", .length = 5, .shots = 3},
                    {.id = "crucero", .length = 3, .shots = 2},
                    {"destructor-1", 2, "destructor", 1},
                    {"destructor-2", 2, "destructor", 1}};
  preset.offers_volley = true;
  preset.rules.ships_may_touch = true;
  preset.rules.ring_closed = false;
  preset.rules.sunk_report = SunkReport::kClass;
  preset.rules.turn_order = TurnOrder::kAlternate;
  preset.paces = {Pace::kLive, Pace::kSlow, Pace::kCorrespondence};
  SetPace(preset, Pace::kLive, preset.rules);
  preset.offers_untimed = true;
  return preset;
}

Preset Selminha() {
  Preset preset;
  preset.rules.id = "selminha";
  preset.rules.ships = {{"nao", 5}, {"galera", 4}, {"coca", 3}, {"carabela", 3}, {"barca", 2}};
  preset.paces = {Pace::kCorrespondence, Pace::kLive};
  SetPace(preset, Pace::kCorrespondence, preset.rules);
  preset.creator_starts = true;
  preset.offers_untimed = true;
  return preset;
}

absl::Status CheckOffered(const Preset& preset, const RulesChoice& choice, Opponent opponent) {
  const auto refuse = [&](absl::string_view option) {
    return Refuse(Refusal::kOptionNotOffered,
                  {{"option", std::string(option)}, {"rule_set", choice.rule_set}});
  };
  if (choice.fleet_b && preset.fleet_b.empty()) return refuse("fleet_b");
  if (choice.one_shot_per_turn && !preset.offers_one_shot_per_turn) {
    return refuse("one_shot_per_turn");
  }
  if (choice.volley && !preset.offers_volley) return refuse("volley");
  if (choice.pace.has_value() &&
      std::find(preset.paces.begin(), preset.paces.end(), *choice.pace) == preset.paces.end()) {
    return refuse("pace");
  }
  if (choice.untimed && (!preset.offers_untimed || opponent != Opponent::kBot)) {
    return refuse("untimed");
  }
  return absl::OkStatus();
}

// Requires a choice that is offered, with its pace.
RuleSet Chosen(const Preset& preset, const RulesChoice& choice) {
  RuleSet rules = preset.rules;
  if (choice.fleet_b) rules.ships = preset.fleet_b;
  if (choice.one_shot_per_turn) rules.turn_order = TurnOrder::kAlternate;
  if (choice.volley) {
    rules.turn_order = TurnOrder::kVolley;
    rules.shots_per_turn.reset();
  }
  SetPace(preset, *choice.pace, rules);
  if (choice.untimed) {
    rules.placement_duration.reset();
    rules.shot_duration.reset();
    rules.idle_duration.reset();
    rules.clock_end = preset.live_clock_end;
  }
  return rules;
}

using SharedRules = absl::flat_hash_map<RulesChoice, std::shared_ptr<const RuleSet>>;

// What every choice that is offered comes to.
SharedRules AllChosenRules() {
  SharedRules all;
  for (const Preset& preset : AllRuleSets()) {
    for (const Pace pace : preset.paces) {
      for (unsigned options = 0; options < 16; ++options) {
        const RulesChoice choice = {.rule_set = preset.rules.id,
                                    .one_shot_per_turn = (options & 1) != 0,
                                    .untimed = (options & 2) != 0,
                                    .fleet_b = (options & 4) != 0,
                                    .volley = (options & 8) != 0,
                                    .pace = pace};
        if (!CheckOffered(preset, choice, Opponent::kBot).ok()) continue;
        all[choice] = std::make_shared<const RuleSet>(Chosen(preset, choice));
      }
    }
  }
  return all;
}

}  // namespace

const std::vector<Preset>& AllRuleSets() {
  static const auto* const kRuleSets =
      new std::vector<Preset>{Tablu(), Clasica(), Salvo(), Selminha()};
  return *kRuleSets;
}

absl::StatusOr<const Preset*> FindPreset(absl::string_view id) {
  for (const Preset& preset : AllRuleSets()) {
    if (preset.rules.id == id) return &preset;
  }
  const std::string known =
      absl::StrJoin(AllRuleSets(), " ",
                    [](std::string* out, const Preset& preset) { out->append(preset.rules.id); });
  return Refuse(Refusal::kUnknownRuleSet, {{"rule_set", base::Shown(id)}, {"known", known}});
}

absl::StatusOr<GameSettings> ChooseRules(const RulesChoice& choice, Opponent opponent) {
  NAVAL_ASSIGN_OR_RETURN(const Preset* const preset, FindPreset(choice.rule_set));
  NAVAL_RETURN_IF_ERROR(CheckOffered(*preset, choice, opponent));
  static const auto* const kShared = new SharedRules(AllChosenRules());
  RulesChoice at_its_pace = choice;
  at_its_pace.pace = choice.pace.value_or(preset->paces.front());
  return GameSettings(kShared->at(at_its_pace),
                      preset->creator_starts ? std::optional(Seat::kFirst) : std::nullopt);
}

}  // namespace naval::rules
