#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/rule_sets.h"
#include "naval/game/v1/game.pb.h"

namespace naval::wire {

// What is played. Pure; any thread.

game::v1::GameRules ToProto(const rules::RulesChoice& choice);

// Takes the words as they are: rules::ChooseRules says whether there is such a rule set and option.
// INVALID_ARGUMENT, reason INVALID_PACE, naming "FIELD.pace", when there is no such pace at all.
absl::StatusOr<rules::RulesChoice> FromProto(const game::v1::GameRules& choice,
                                             absl::string_view field);

// As FromProto, and that it can be played against `opponent`: the errors of rules::ChooseRules,
// naming the field at fault, "FIELD.volley".
absl::StatusOr<rules::RulesChoice> ReadRules(const game::v1::GameRules& choice,
                                             rules::Opponent opponent, absl::string_view field);

// A rule set as a match plays it. Its `options` stay empty: they have been chosen.
game::v1::RuleSet ToProto(const rules::RuleSet& rule_set);

// A rule set as it is offered, with its `options`, `paces` and `fleet_b`.
game::v1::RuleSet ToProto(const rules::Preset& preset);

}  // namespace naval::wire
