#include "lib/bots/rey.h"

#include <cstddef>
#include <cstdint>

#include "lib/bots/known_sea.h"
#include "lib/bots/prior.h"

namespace naval::bots {
namespace {

// Odds that differ by less are equal but for rounding.
constexpr double kRounding = 1e-9;

}  // namespace

rules::Square Rey::ChooseShot(const rules::GameView& view, base::Random& random) const {
  const KnownSea sea = KnownSeaOf(view);
  const SquareOdds odds = ShipOdds(sea, PeoplePrior(view.rules), effort_, random);
  rules::SquareSet best;
  double most = -1;
  for (const rules::Square square : sea.open) {
    const double here = odds[static_cast<std::size_t>(square.index())];
    if (here < most - kRounding) continue;
    if (here > most + kRounding) {
      best = {};
      most = here;
    }
    best.Add(square);
  }
  return best.Nth(static_cast<int>(random.Uniform(static_cast<std::uint64_t>(best.size()))));
}

}  // namespace naval::bots
