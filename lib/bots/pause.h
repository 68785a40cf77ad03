#pragma once

#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/view.h"

namespace naval::bots {

// How long a bot takes before it does what the view asks of its seat, so that it plays as a person
// does and not at once: a second or two for a shot, some more for its fleet, at times much more,
// and at most a quarter of the clock. Shots: 0.5 s to 4 s; fleets: 2 s to 8 s, which an outage's
// end leaves in any case (rules::kLeastTimeAfterOutage). Says nothing of what the bot knows.
// Waiting is the caller's business. Requires a view of a seat that is awaited.
absl::Duration DrawPause(const rules::GameView& view, base::Random& random);

}  // namespace naval::bots
