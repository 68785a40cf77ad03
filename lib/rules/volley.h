#pragma once

#include "lib/rules/event.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/sea.h"
#include "lib/rules/seat.h"
#include "lib/rules/square.h"

namespace naval::rules {

// Volleys (S-06 to S-10), for rule sets with TurnOrder::kVolley.

// How many shots a side's volley has: what its ships afloat give, or a fixed number, and never more
// than squares are open. `own` is its sea, `target` the rival's; null stands for a sea that nothing
// was fired into yet.
int VolleySize(const RuleSet& rules, const Sea* own, const Sea* target);

// Fires a volley into `target`, which records it, and gives the answer. Requires open squares.
VolleyAnswered AnswerVolley(const RuleSet& rules, Sea& target, Seat seat, int round,
                            SquareSet squares);

}  // namespace naval::rules
