#include "lib/bots/rey.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/bots/choice.h"
#include "lib/bots/known_sea.h"
#include "lib/bots/volley_aim.h"

namespace naval::bots {
namespace {

// How many fleets a volley is aimed at: a number that keeps the time within limits, which goes with
// the squares of ships in all fleets and with the shots.
int FleetsAimedAt(const rules::RuleSet& rules, int shots) {
  constexpr int kMost = 1000;
  constexpr int kLeast = 30;
  constexpr int kWork = 100'000;
  int squares = 0;
  for (const rules::Ship& ship : rules.ships) squares += ship.length;
  return std::clamp(kWork / (squares * shots), kLeast, kMost);
}

}  // namespace

rules::SquareSet Rey::ChooseShots(const rules::GameView& view, base::Random& random) const {
  const KnownSea sea = KnownSeaOf(view);
  const Prior prior = expectation_(view.rules);
  const int shots = ShotsDue(view);
  if (view.rules.turn_order == rules::TurnOrder::kVolley) {
    const int count = FleetsAimedAt(view.rules, shots);
    const std::vector<PossibleFleet> fleets = LikelyFleets(sea, prior, effort_, count, random);
    if (!fleets.empty()) return AimVolley(sea, fleets, shots, random);
  }
  const SquareOdds odds = ShipOdds(sea, prior, effort_, random);
  return Best(sea.open, shots, random, [&odds](rules::Square square) {
    return odds[static_cast<std::size_t>(square.index())];
  });
}

}  // namespace naval::bots
