#pragma once

#include <vector>

#include "lib/base/random.h"
#include "lib/bots/known_sea.h"
#include "lib/bots/posterior.h"
#include "lib/rules/square.h"

namespace naval::bots {

// Which open squares a volley of so many shots should have, given fleets that are likely: chosen
// one by one, each the best beside those before it. A square is worth what it is expected to take
// off the rival, and what its answer is expected to tell: how much the entropy grows of the answer
// to the whole volley, for that is given for all squares together (S-09). Ties are broken at
// random. Requires at least as many open squares.
rules::SquareSet AimVolley(const KnownSea& sea, const std::vector<PossibleFleet>& fleets, int shots,
                           base::Random& random);

}  // namespace naval::bots
