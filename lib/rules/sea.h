#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"

namespace naval::rules {

enum class ShotResult : std::uint8_t {
  kWater,
  // A ship with squares left.
  kHit,
  // The last square of a ship.
  kSunk,
  // Not told: a square of a volley (S-09). In views only; no sea holds it.
  kUnknown,
};

// A shot and what it found. Earlier hits on a ship that sank stay kHit.
struct ShotMark {
  Square square;
  ShotResult result = ShotResult::kWater;

  friend bool operator==(const ShotMark&, const ShotMark&) = default;
};

// What a shot does to a sea.
struct Impact {
  ShotResult result = ShotResult::kWater;
  // Present with kSunk only.
  std::optional<ShipPlacement> sunk_ship;
  // The squares that are closed as water by it: those around the sunk ship that were still open.
  SquareSet ring;

  friend bool operator==(const Impact&, const Impact&) = default;
};

// One player's board under fire: the fleet, hidden as long as the match lasts, and the shots that
// it received.
class Sea {
 public:
  // Requires a complete legal fleet (CheckFleet finds nothing).
  Sea(const RuleSet& rules, Fleet fleet);

  // What a shot at `square` would do. Requires an open square. Changes nothing. (T-10 to T-13)
  Impact Probe(Square square) const;

  // Records the shot. Requires an open square and the impact that Probe gives for it.
  void Record(Square square, const Impact& impact);

  const Fleet& fleet() const { return fleet_; }
  // In the order they were fired.
  const std::vector<ShotMark>& shots() const { return shots_; }
  // Squares closed around sunk ships; disjoint from the squares shot at.
  SquareSet ring() const { return ring_; }
  // Squares that may still be shot at: neither shot nor closed. (T-09)
  SquareSet open() const { return open_; }
  // Where the ships that sank stood, in the order they sank.
  const std::vector<ShipPlacement>& sunk_ships() const { return sunk_ships_; }
  bool IsAfloat(int ship) const;
  // The ship on this square, hit or not.
  std::optional<int> ShipAt(Square square) const;
  // Whether every ship sank. (T-14)
  bool destroyed() const { return sunk_ships_.size() == fleet_.size(); }

 private:
  Fleet fleet_;
  // The squares of each ship of fleet_, in its order.
  std::vector<SquareSet> ship_squares_;
  std::vector<ShotMark> shots_;
  std::vector<ShipPlacement> sunk_ships_;
  SquareSet hits_;
  SquareSet ring_;
  SquareSet open_;
  bool ring_closed_;
};

}  // namespace naval::rules
