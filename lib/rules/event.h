#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "absl/time/time.h"
#include "lib/rules/placement.h"
#include "lib/rules/sea.h"
#include "lib/rules/seat.h"
#include "lib/rules/square.h"

namespace naval::rules {

// What happened in a match, with everything hidden in it: this is what the log stores, and
// replaying the log is the state. Only Redact (view.h) turns an event into something that a player
// may see.

// Both players may lay their fleets.
struct PlacementStarted {
  // Nullopt: no clock.
  std::optional<absl::Time> deadline;
  friend bool operator==(const PlacementStarted&, const PlacementStarted&) = default;
};

// The seat's draft is now this one.
struct DraftChanged {
  Seat seat;
  Fleet draft;
  friend bool operator==(const DraftChanged&, const DraftChanged&) = default;
};

// The seat's fleet is complete, legal and stands for good.
struct FleetConfirmed {
  Seat seat;
  Fleet fleet;
  // The placement clock did it.
  bool by_clock = false;
  friend bool operator==(const FleetConfirmed&, const FleetConfirmed&) = default;
};

// Both fleets are confirmed.
struct BattleStarted {
  Seat starter;
  friend bool operator==(const BattleStarted&, const BattleStarted&) = default;
};

// It is the seat's turn. Comes at the start of the battle and after every shot that does not end
// it.
struct ShotDue {
  Seat seat;
  // Nullopt: no clock.
  std::optional<absl::Time> deadline;
  friend bool operator==(const ShotDue&, const ShotDue&) = default;
};

// The seat's shot clock ended. Followed by a shot by the clock, or by the end of the match.
struct ClockRanOut {
  Seat seat;
  // How often in a row, from 1.
  int strikes = 0;
  friend bool operator==(const ClockRanOut&, const ClockRanOut&) = default;
};

// The seat fired into the rival's sea.
struct ShotFired {
  Seat seat;
  Square square;
  Impact impact;
  // The server fired, because the clock had ended.
  bool by_clock = false;
  friend bool operator==(const ShotFired&, const ShotFired&) = default;
};

// The running clock ends later than was said, because the server had been away.
struct ClockAdjusted {
  absl::Time deadline;
  friend bool operator==(const ClockAdjusted&, const ClockAdjusted&) = default;
};

// What ends a match. More come with the other rule sets.
enum class EndReason : std::uint8_t {
  // The winner sank the whole fleet.
  kFleetDestroyed,
  // The loser gave up.
  kResigned,
  // The loser's shot clock ended too often in a row.
  kTimedOut,
};

// The match is over. Nothing happens after it.
struct MatchEnded {
  // Nullopt: void.
  std::optional<Seat> winner;
  EndReason reason;
  friend bool operator==(const MatchEnded&, const MatchEnded&) = default;
};

using Event = std::variant<PlacementStarted, DraftChanged, FleetConfirmed, BattleStarted, ShotDue,
                           ClockRanOut, ShotFired, ClockAdjusted, MatchEnded>;

}  // namespace naval::rules
