#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace naval::rules {

// One ship of a fleet.
struct Ship {
  // Unique within the fleet, for example "torpedera-2".
  std::string id;
  // Squares, 1 to 6.
  int length = 0;
  // The name that players know it by, for example "torpedera". Ships that share one are alike in
  // all but the id, and which of them is which tells nothing (see ShuffleAlike). Empty: the id.
  std::string ship_class = {};

  friend bool operator==(const Ship&, const Ship&) = default;
};

// Who shoots after a shot.
enum class TurnOrder : std::uint8_t {
  // A hit earns another shot; water passes the turn.
  kHitAgain,
  // The turn passes after every shot.
  kAlternate,
};

// What is told of a ship that sank.
enum class SunkReport : std::uint8_t {
  // Which one, and where it stood.
  kShip,
  // Its class alone (S-05).
  kClass,
};

// All that distinguishes one way of playing from another. The engine knows no rule set by name: it
// reads these fields and nothing else. A field stands here only when the engine honours it, so the
// fields that other rule sets need (shots a turn, the price of an infraction, the pace of the
// clock) come with those rule sets; the value that plays on as before is then the field's default.
struct RuleSet {
  // In kebab-case.
  std::string id;
  // Columns and rows, 1 to kMaxBoardSize.
  int board_size = 10;
  // The fleet of each side, longest ship first. Ships are named by their index here.
  std::vector<Ship> ships;
  // Whether ships may stand on neighbouring squares, diagonals included. They never overlap.
  bool ships_may_touch = false;
  // Whether the squares around a sunk ship are marked as water and closed to shots.
  bool ring_closed = true;
  SunkReport sunk_report = SunkReport::kShip;
  TurnOrder turn_order = TurnOrder::kHitAgain;
  // One clock for both players. Nullopt: no clock.
  std::optional<absl::Duration> placement_duration;
  // From the moment a shot is due. Nullopt: no clock.
  std::optional<absl::Duration> shot_duration;
  // How many ends of a player's shot clock in a row lose the match, at least 1.
  int strikes_to_lose = 3;

  friend bool operator==(const RuleSet&, const RuleSet&) = default;
};

// The ship's class, which is its id where no other is given.
absl::string_view ClassOf(const Ship& ship);

// The index of the ship with this id. INVALID_ARGUMENT, reason UNKNOWN_SHIP, when the fleet has
// none.
absl::StatusOr<int> FindShip(const RuleSet& rules, absl::string_view id);

}  // namespace naval::rules
