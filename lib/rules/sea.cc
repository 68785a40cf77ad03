#include "lib/rules/sea.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace naval::rules {

Sea::Sea(const RuleSet& rules, Fleet fleet)
    : fleet_(std::move(fleet)),
      open_(SquareSet::Board(rules.board_size)),
      ring_closed_(rules.ring_closed) {
  ship_squares_.reserve(fleet_.size());
  for (const ShipPlacement& placement : fleet_) {
    ship_squares_.push_back(ShipSquareSet(rules, placement).value());
  }
}

Impact Sea::Probe(Square square) const {
  Impact impact;
  for (std::size_t i = 0; i < ship_squares_.size(); ++i) {
    const SquareSet ship = ship_squares_[i];
    if (!ship.Contains(square)) continue;
    if (!(hits_ | SquareSet{square}).ContainsAll(ship)) {
      impact.result = ShotResult::kHit;
      break;
    }
    impact.result = ShotResult::kSunk;
    impact.sunk_ship = fleet_[i];
    if (ring_closed_) impact.ring = Ring(ship) & open_;
    break;
  }
  return impact;
}

void Sea::Record(Square square, const Impact& impact) {
  shots_.push_back({square, impact.result});
  open_.Remove(square);
  if (impact.result != ShotResult::kWater) hits_.Add(square);
  if (impact.sunk_ship.has_value()) sunk_ships_.push_back(*impact.sunk_ship);
  ring_ |= impact.ring;
  open_ = open_ - impact.ring;
}

std::optional<int> Sea::ShipAt(Square square) const {
  for (std::size_t i = 0; i < ship_squares_.size(); ++i) {
    if (ship_squares_[i].Contains(square)) return fleet_[i].ship;
  }
  return std::nullopt;
}

bool Sea::IsAfloat(int ship) const {
  return std::none_of(sunk_ships_.begin(), sunk_ships_.end(),
                      [ship](const ShipPlacement& sunk) { return sunk.ship == ship; });
}

}  // namespace naval::rules
