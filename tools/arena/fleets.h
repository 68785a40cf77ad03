#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"

namespace naval::arena {

// How fleets are laid.
enum class FleetModel {
  // Every legal fleet as often: as "Al azar" lays.
  kUniform,
  // As every bot lays: bots::LayFleet.
  kBot,
  // Ships of two and more squares wholly along the border, ships of one square inside.
  kBorder,
  // Of 64 uniform fleets the one with the most squares in the corners of 3 x 3.
  kCorners,
  // Of 64 uniform fleets the one that keeps closest together.
  kCluster,
};

// INVALID_ARGUMENT, naming the known ones.
absl::StatusOr<FleetModel> FindFleetModel(absl::string_view name);

// A legal fleet. FAILED_PRECONDITION when none of this model was found in ten million tries.
absl::StatusOr<rules::Fleet> DrawFleet(FleetModel model, const rules::RuleSet& rules,
                                       base::Random& random);

}  // namespace naval::arena
