#include "services/ranking/rule_set_check.h"

#include "lib/base/error.h"
#include "lib/rules/rule_sets.h"

namespace naval::ranking {

absl::Status CheckRuleSet(const std::string& rule_set) {
  absl::Status status = rules::FindPreset(rule_set).status();
  if (status.ok()) return status;
  return base::WithFieldViolation(status, {"rule_set", std::string(status.message())});
}

}  // namespace naval::ranking
