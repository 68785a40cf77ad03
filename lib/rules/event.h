#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

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

// If nobody moves until then, the match ends without a winner (M-15). Comes at the start and after
// every move that does not end the match, where the rule set has an idle_duration.
struct IdleClockSet {
  absl::Time deadline;
  friend bool operator==(const IdleClockSet&, const IdleClockSet&) = default;
};

// Both players are to fire a volley. Comes at the start of the battle and after every round that
// does not end it.
struct VolleyDue {
  // From 1.
  int round = 0;
  // Shots of each seat's volley, in the order of the seats.
  std::array<int, 2> shots = {};
  // One clock for both. Nullopt: no clock.
  std::optional<absl::Time> deadline;
  friend bool operator==(const VolleyDue&, const VolleyDue&) = default;
};

// The seat's volley is in and stands. Secret until the rival's is in too (S-07).
struct VolleyFired {
  Seat seat;
  SquareSet squares;
  // The server drew it, because the clock had ended.
  bool by_clock = false;
  friend bool operator==(const VolleyFired&, const VolleyFired&) = default;
};

// Both volleys are in, and this is the answer to the seat's: all that is ever told of it before the
// end (S-09). It holds no order that could tell more. The first announcer's, who is the battle's
// starter, comes first.
struct VolleyAnswered {
  Seat seat;
  int round = 0;
  SquareSet squares;
  // How many squares of each class it hit, in the order of ShipClasses.
  std::vector<int> hits;
  // Indices of the ships that sank, ascending.
  std::vector<int> sunk_ships;
  friend bool operator==(const VolleyAnswered&, const VolleyAnswered&) = default;
};

// The running clock ends later than was said: the server had been away, or both players were absent
// where that may be claimed, and one of them moved: the other has the whole time anew (M-14, A-09).
struct ClockAdjusted {
  absl::Time deadline;
  friend bool operator==(const ClockAdjusted&, const ClockAdjusted&) = default;
};

// What ends a match.
enum class EndReason : std::uint8_t {
  // The winner sank the whole fleet.
  kFleetDestroyed,
  // The loser gave up.
  kResigned,
  // The loser's shot clock ended too often in a row.
  kTimedOut,
  // Infraction: the loser confirmed an illegal fleet (C-06 to C-08).
  kIllegalFleet,
  // Infraction: the loser's shot clock ended (C-10).
  kTurnSkipped,
  // The loser was absent, and the winner claimed the match (M-14).
  kAbsenceClaimed,
  // Void: nobody moved for too long (M-15).
  kIdle,
  // Void: the clock of a round ended for both, once too often for each (S-12).
  kBothAbsent,
  // Void: the operator of the service ended it.
  kAborted,
};

// The match is over. Nothing happens after it.
struct MatchEnded {
  // Nullopt: void.
  std::optional<Seat> winner;
  EndReason reason;
  // With kIllegalFleet: what the loser confirmed. All may see it (C-11).
  Fleet illegal_fleet = {};
  friend bool operator==(const MatchEnded&, const MatchEnded&) = default;
};

using Event = std::variant<PlacementStarted, DraftChanged, FleetConfirmed, BattleStarted, ShotDue,
                           ClockRanOut, ShotFired, VolleyDue, VolleyFired, VolleyAnswered,
                           ClockAdjusted, IdleClockSet, MatchEnded>;

}  // namespace naval::rules
