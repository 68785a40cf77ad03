#pragma once

#include "absl/time/time.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"

namespace naval::wire {

// For tests only: what several of them turn into messages and back. The golden files hold these.

const rules::RuleSet& Tablu();

// A whole one of Tablu.
rules::Fleet LegalFleet();

inline const absl::Time kGoldenDeadline = absl::FromUnixMicros(1'795'819'039'123'456);

}  // namespace naval::wire
