#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/rule_sets.h"
#include "naval/game/v1/game.pb.h"

namespace naval::wire {

// What is played. Pure; any thread.

game::v1::GameRules ToProto(const rules::RulesChoice& choice);

// Takes the words as they are: rules::ChooseRules says whether there is such a rule set and option.
rules::RulesChoice FromProto(const game::v1::GameRules& choice);

// Whether this can be played against `opponent`: as rules::ChooseRules, and naming the field at
// fault, which lies in `field`.
absl::Status CheckRules(const game::v1::GameRules& choice, rules::Opponent opponent,
                        absl::string_view field);

// A rule set as a match plays it. Its `options` stay empty: they have been chosen.
game::v1::RuleSet ToProto(const rules::RuleSet& rule_set);

// A rule set as it is offered, with its `options`.
game::v1::RuleSet ToProto(const rules::Preset& preset);

}  // namespace naval::wire
