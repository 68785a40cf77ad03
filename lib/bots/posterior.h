#pragma once

#include <array>
#include <vector>

#include "lib/base/random.h"
#include "lib/bots/known_sea.h"
#include "lib/bots/prior.h"
#include "lib/rules/square.h"

namespace naval::bots {

// By Square::index(): the probability that a hidden ship stands there (see KnownSea).
using SquareOdds = std::array<double, rules::kMaxSquares>;

// What may be spent on one estimate.
struct Effort {
  // Fleets drawn; fewer where a fleet has more than ten ships.
  int samples = 3000;
  // Steps towards visiting every fleet.
  int visits = 12'000;
};

// The odds over all fleets that agree with what is known, weighted by the prior: exact when there
// are few such fleets, else estimated from fleets drawn ship by ship, each weighted by the inverse
// of its chance to be drawn (sequential importance sampling). The work has a limit, whatever the
// rules: where every fleet drawn comes to a dead end, the odds are only in proportion to the places
// of single ships. At most 15 ships, of 1 to 6 squares.
SquareOdds ShipOdds(const KnownSea& sea, const Prior& prior, const Effort& effort,
                    base::Random& random);

// A ship that is hidden, where it may stand.
struct PossibleShip {
  // Its index, or that of a ship of the same class and fate.
  int ship = 0;
  rules::SquareSet squares;
};

struct PossibleFleet {
  // How often it came.
  int times = 0;
  std::vector<PossibleShip> ships;
};

// `count` fleets out of those that ShipOdds reckons with, each as likely as the prior makes it.
// Empty where ShipOdds has only places. Requires a positive count.
std::vector<PossibleFleet> LikelyFleets(const KnownSea& sea, const Prior& prior,
                                        const Effort& effort, int count, base::Random& random);

}  // namespace naval::bots
