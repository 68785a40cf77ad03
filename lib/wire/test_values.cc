#include "lib/wire/test_values.h"

#include "lib/rules/rule_sets.h"

namespace naval::wire {

const rules::RuleSet& Tablu() { return (*rules::FindPreset("tablu"))->rules; }

rules::Fleet LegalFleet() {
  return {{.ship = 0, .bow = rules::Square(0, 0)},
          {.ship = 1, .bow = rules::Square(0, 2)},
          {.ship = 2, .bow = rules::Square(0, 4), .orientation = rules::Orientation::kVertical},
          {.ship = 3, .bow = rules::Square(9, 7), .orientation = rules::Orientation::kVertical},
          {.ship = 4, .bow = rules::Square(5, 5)}};
}

}  // namespace naval::wire
