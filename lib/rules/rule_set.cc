#include "lib/rules/rule_set.h"

#include <algorithm>
#include <cstddef>

#include "lib/base/error.h"
#include "lib/rules/refusal.h"

namespace naval::rules {

absl::string_view ClassOf(const Ship& ship) {
  return ship.ship_class.empty() ? ship.id : ship.ship_class;
}

std::vector<absl::string_view> ShipClasses(const RuleSet& rules) {
  std::vector<absl::string_view> classes;
  for (const Ship& ship : rules.ships) {
    if (std::find(classes.begin(), classes.end(), ClassOf(ship)) == classes.end()) {
      classes.push_back(ClassOf(ship));
    }
  }
  return classes;
}

absl::StatusOr<int> FindShip(const RuleSet& rules, absl::string_view id) {
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    if (rules.ships[ship].id == id) return static_cast<int>(ship);
  }
  return Refuse(Refusal::kUnknownShip, {{"ship", base::Shown(id)}});
}

}  // namespace naval::rules
