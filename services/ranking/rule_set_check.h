#pragma once

#include <string>

#include "absl/status/status.h"

namespace naval::ranking {

// OK for the id of a rule set that can be played. Else INVALID_ARGUMENT, reason UNKNOWN_RULE_SET,
// naming the field "rule_set".
absl::Status CheckRuleSet(const std::string& rule_set);

}  // namespace naval::ranking
