#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "lib/rules/event.h"
#include "lib/rules/game.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/sea.h"
#include "lib/rules/seat.h"
#include "lib/rules/square.h"

namespace naval::rules {

// The only way out of a Game. What a viewer gets from here depends on nothing that this viewer may
// not know: for equal results so far it is equal, whatever the rival's ships and drafts are (T-23).
// Nothing tells which ship was hit before it sinks (M-05).

enum class Viewer : std::uint8_t { kFirst, kSecond, kSpectator };

inline constexpr Viewer kViewers[] = {Viewer::kFirst, Viewer::kSecond, Viewer::kSpectator};

// The viewer's own of three things that stand in the order of kViewers.
template <typename Array>
constexpr auto& OfViewer(Array& things, Viewer viewer) {
  return things[static_cast<std::size_t>(viewer)];
}

constexpr Viewer ViewerAt(Seat seat) {
  return seat == Seat::kFirst ? Viewer::kFirst : Viewer::kSecond;
}

// Nullopt for a spectator.
constexpr std::optional<Seat> SeatOf(Viewer viewer) {
  if (viewer == Viewer::kSpectator) return std::nullopt;
  return viewer == Viewer::kFirst ? Seat::kFirst : Seat::kSecond;
}

// A shot as a viewer may see it.
struct SeenShot {
  Square square;
  ShotResult result = ShotResult::kWater;
  // Index of the ship that sank by it. Present with kSunk only.
  std::optional<int> sunk_ship;

  friend bool operator==(const SeenShot&, const SeenShot&) = default;
};

// One seat's sea as the viewer may see it.
struct SeaView {
  // The fleet is confirmed.
  bool ready = false;
  // The viewer's own draft or fleet, or a fleet revealed at the end: both if both were confirmed
  // the illegal one that lost the match (C-11). Empty otherwise.
  Fleet fleet;
  // Shots received, in the order they were fired. Those of volleys stand as kUnknown until the end,
  // and none as kSunk then.
  std::vector<SeenShot> shots;
  // Squares closed as water around sunk ships.
  SquareSet ring;
  // Squares that may still be shot at. The whole board until the battle begins.
  SquareSet open;
  // Indices of the ships that sank, in the order they sank; those that one volley sank, ascending.
  std::vector<int> sunk_ships;
  // Where those stood, in the same order. Empty where the rule set tells their class alone
  // (SunkReport::kClass): who may see the fleet has it beside this.
  std::vector<ShipPlacement> sunk_placements;
  // Indices of the ships that did not sink, ascending (T-24).
  std::vector<int> ships_afloat;
  // Ends of this seat's shot clock in a row.
  int strikes = 0;
  // How many shots this seat's volley of the round has; 0 outside a round of volleys.
  int volley_size = 0;
  // That volley is in.
  bool volley_in = false;
  // Its squares, while it waits for the rival's. The viewer's own only.
  SquareSet volley;

  friend bool operator==(const SeaView&, const SeaView&) = default;
};

// A match as one viewer may see it at one moment.
struct GameView {
  Viewer viewer = Viewer::kSpectator;
  RuleSet rules;
  Phase phase = Phase::kCreated;
  std::array<SeaView, 2> seas;
  std::optional<Seat> starter;
  std::optional<Seat> turn;
  // The round of volleys, from 1; 0 before the first, and without volleys.
  int round = 0;
  // Every volley that was answered, in order.
  std::vector<VolleyAnswered> volleys;
  std::optional<absl::Time> deadline;
  // When the match ends if nobody moves; nullopt where the rules know no such end.
  std::optional<absl::Time> idle_deadline;
  std::optional<MatchEnded> result;

  const SeaView& sea(Seat seat) const { return OfSeat(seas, seat); }

  friend bool operator==(const GameView&, const GameView&) = default;
};

GameView ViewOf(const Game& game, Viewer viewer);

// The viewer's own draft changed. It names no seat, so it cannot be another's.
struct OwnDraftChanged {
  Fleet draft;
  friend bool operator==(const OwnDraftChanged&, const OwnDraftChanged&) = default;
};

// The viewer's own fleet stands.
struct OwnFleetConfirmed {
  Fleet fleet;
  bool by_clock = false;
  friend bool operator==(const OwnFleetConfirmed&, const OwnFleetConfirmed&) = default;
};

// Another's fleet stands; there is no room for it here.
struct SeatReady {
  Seat seat;
  bool by_clock = false;
  friend bool operator==(const SeatReady&, const SeatReady&) = default;
};

// The seat fired into the rival's sea: what everybody is told of it.
struct ShotTold {
  Seat seat;
  Square square;
  ShotResult result = ShotResult::kWater;
  // Index of the ship that sank. Present with kSunk only.
  std::optional<int> sunk_ship;
  // Where it stood, where the rule set tells that (SunkReport::kShip).
  std::optional<ShipPlacement> sunk_placement;
  // The squares that are closed as water by it.
  SquareSet ring;
  // The server fired, because the clock had ended.
  bool by_clock = false;
  friend bool operator==(const ShotTold&, const ShotTold&) = default;
};

// The viewer's own volley is in.
struct OwnVolleyFired {
  SquareSet squares;
  bool by_clock = false;
  friend bool operator==(const OwnVolleyFired&, const OwnVolleyFired&) = default;
};

// Another's volley is in; there is no room for its squares here.
struct SeatFired {
  Seat seat;
  bool by_clock = false;
  friend bool operator==(const SeatFired&, const SeatFired&) = default;
};

// The end, with both fleets if both were confirmed, in the order of the seats (T-14, A-07).
struct MatchRevealed {
  MatchEnded end;
  std::optional<std::array<Fleet, 2>> fleets;
  friend bool operator==(const MatchRevealed&, const MatchRevealed&) = default;
};

// An event as one viewer may see it. The kinds taken over from event.h hold nothing hidden.
using ViewerEvent =
    std::variant<PlacementStarted, OwnDraftChanged, OwnFleetConfirmed, SeatReady, BattleStarted,
                 ShotDue, ClockRanOut, ShotTold, VolleyDue, OwnVolleyFired, SeatFired,
                 VolleyAnswered, ClockAdjusted, IdleClockSet, MatchRevealed>;

// The event for this viewer; nullopt when the viewer may not know that it happened, so that it
// takes no number in the viewer's sequence. `game` is the match with the event already applied;
// later events of the same match may have been applied too.
std::optional<ViewerEvent> Redact(const Event& event, const Game& game, Viewer viewer);

}  // namespace naval::rules
