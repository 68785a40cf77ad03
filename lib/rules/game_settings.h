#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "lib/rules/rule_set.h"
#include "lib/rules/seat.h"

namespace naval::rules {

// What is fixed before a match begins.
struct GameSettings {
  // By rules that other matches share, as those of ChooseRules. Must not be null.
  GameSettings(std::shared_ptr<const RuleSet> shared, std::optional<Seat> first_to_shoot)
      : rules(std::move(shared)), starter(first_to_shoot) {}

  // By rules of its own.
  GameSettings(RuleSet own, std::optional<Seat> first_to_shoot)
      : GameSettings(std::make_shared<const RuleSet>(std::move(own)), first_to_shoot) {}

  // With the table's options applied. Must have a legal fleet.
  std::shared_ptr<const RuleSet> rules;
  // Who shoots first. Nullopt: drawn when the battle begins (T-08).
  std::optional<Seat> starter;
};

}  // namespace naval::rules
