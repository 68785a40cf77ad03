#pragma once

#include "lib/base/random.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"

namespace naval::bots {

// A whole legal fleet as every bot lays it: hard to find, out of sixteen that are drawn
// uniformly, fewer where that takes long.
// Hard is, first, where a ship tells of few squares when it sinks: where ships may not touch the
// squares around it are water, and by the border there are fewer. Second, where the hard bot
// expects ships least. No fleet comes more than sixteen times as often as "Al azar" draws it, so
// that none can be guessed; that the ships keep to the border can. Requires rules that have a legal
// fleet. Pure, but for the chance.
rules::Fleet LayFleet(const rules::RuleSet& rules, base::Random& random);

}  // namespace naval::bots
