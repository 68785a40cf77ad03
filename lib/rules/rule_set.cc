#include "lib/rules/rule_set.h"

#include <cstddef>

#include "absl/strings/escaping.h"
#include "lib/rules/refusal.h"

namespace naval::rules {

absl::StatusOr<int> FindShip(const RuleSet& rules, absl::string_view id) {
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    if (rules.ships[ship].id == id) return static_cast<int>(ship);
  }
  constexpr std::size_t kMostBytesShown = 32;
  return Refuse(Refusal::kUnknownShip, {{"ship", absl::CHexEscape(id.substr(0, kMostBytesShown))}});
}

}  // namespace naval::rules
