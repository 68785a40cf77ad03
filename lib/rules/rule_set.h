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
  // Shots that it gives its side while it is afloat, where RuleSet::shots_per_turn leaves that to
  // the ships. At least 1.
  int shots = 1;

  friend bool operator==(const Ship&, const Ship&) = default;
};

// Who shoots after a shot.
enum class TurnOrder : std::uint8_t {
  // A hit earns another shot; water passes the turn.
  kHitAgain,
  // The turn passes after every shot.
  kAlternate,
  // Nobody's turn: both sides choose a volley in secret, and when both are in they are answered,
  // round by round (S-07). Requires ring_closed to be false and SunkReport::kClass.
  kVolley,
};

// What is told of a ship that sank.
enum class SunkReport : std::uint8_t {
  // Which one, and where it stood.
  kShip,
  // Its class alone (S-05).
  kClass,
};

// What confirming an illegal fleet costs.
enum class IllegalFleet : std::uint8_t {
  // Nothing: it is refused, every violation named.
  kRefused,
  // The match: an infraction (C-06 to C-08). Drafts cost nothing all the same.
  kLoses,
};

// What the end of a clock costs.
enum class ClockEnd : std::uint8_t {
  // The server plays for the player: it completes and confirms the fleet (T-07), it fires (T-16).
  // Too many ends of the shot clock in a row lose the match (strikes_to_lose).
  kServerPlays,
  // The match, at the end of the shot clock: an infraction (C-10). That of the placement clock is
  // as with kServerPlays.
  kLoses,
  // Nothing by itself: the player plays on, but until then the one who waits may claim the match
  // (M-14, A-09).
  kMayBeClaimed,
};

// All that distinguishes one way of playing from another. The engine knows no rule set by name: it
// reads these fields and nothing else. A field stands here only when the engine honours it; the
// value that plays as Tablú does is its default.
struct RuleSet {
  // In kebab-case.
  std::string id;
  // Columns and rows, 1 to kMaxBoardSize.
  int board_size = 10;
  // The fleet of each side. Ships are named by their index here.
  std::vector<Ship> ships;
  // Whether ships may stand on neighbouring squares, diagonals included. They never overlap.
  bool ships_may_touch = false;
  // Whether the squares around a sunk ship are marked as water and closed to shots.
  bool ring_closed = true;
  SunkReport sunk_report = SunkReport::kShip;
  TurnOrder turn_order = TurnOrder::kHitAgain;
  // Shots of a turn: 1, or any number with TurnOrder::kVolley. Nullopt, with kVolley: as many as
  // the ships afloat give (S-06).
  std::optional<int> shots_per_turn = 1;
  IllegalFleet illegal_fleet = IllegalFleet::kRefused;
  ClockEnd clock_end = ClockEnd::kServerPlays;
  // One clock for both players. Nullopt: no clock.
  std::optional<absl::Duration> placement_duration;
  // From the moment a shot is due. Nullopt: no clock.
  std::optional<absl::Duration> shot_duration;
  // How many ends of a player's shot clock in a row lose the match, at least 1. Read with
  // ClockEnd::kServerPlays only.
  int strikes_to_lose = 3;
  // How long after the last move, a confirmed fleet or a shot, the match ends without a winner
  // (M-15). Nullopt: never.
  std::optional<absl::Duration> idle_duration;

  friend bool operator==(const RuleSet&, const RuleSet&) = default;
};

// The ship's class, which is its id where no other is given.
absl::string_view ClassOf(const Ship& ship);

// The classes of the fleet, each once, in the order of their first ships.
std::vector<absl::string_view> ShipClasses(const RuleSet& rules);

// The index of the ship with this id. INVALID_ARGUMENT, reason UNKNOWN_SHIP, when the fleet has
// none.
absl::StatusOr<int> FindShip(const RuleSet& rules, absl::string_view id);

}  // namespace naval::rules
