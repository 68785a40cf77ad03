#include "services/ranking/rule_set_check.h"

#include <utility>

#include "lib/base/error.h"
#include "lib/rules/rule_sets.h"

namespace naval::ranking {

absl::Status CheckRuleSet(const std::string& rule_set) {
  absl::Status status = rules::FindPreset(rule_set).status();
  return status.ok() ? status : base::InField(std::move(status), "rule_set");
}

}  // namespace naval::ranking
