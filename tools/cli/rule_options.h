#pragma once

#include "naval/game/v1/game.pb.h"

namespace naval::cli {

// An option of a rule set that is chosen or not.
struct RuleOption {
  // Its name in RuleSet.options.
  const char* name;
  // As the command line has it.
  const char* flag;
  const char* help;
  bool (game::v1::GameRules::*get)() const;
  void (game::v1::GameRules::*set)(bool);
};

// All that this program knows; the pace, which is chosen by name, is none of them.
inline constexpr RuleOption kRuleOptions[] = {
    {"one_shot_per_turn", "--one-shot-per-turn", "A hit earns no other shot",
     &game::v1::GameRules::one_shot_per_turn, &game::v1::GameRules::set_one_shot_per_turn},
    {"untimed", "--untimed", "No clock runs; against a bot only", &game::v1::GameRules::untimed,
     &game::v1::GameRules::set_untimed},
    {"fleet_b", "--fleet-b", "The other fleet of the rule set", &game::v1::GameRules::fleet_b,
     &game::v1::GameRules::set_fleet_b},
    {"volley", "--volley", "Both fire volleys at once, in secret", &game::v1::GameRules::volley,
     &game::v1::GameRules::set_volley},
};

}  // namespace naval::cli
