#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "lib/rules/game.h"
#include "lib/rules/placement.h"
#include "lib/rules/seat.h"
#include "lib/rules/square.h"

namespace naval::rules {

// What a game is between two commands while the match lasts, with everything hidden in it: what
// Game::State says and Game::FromState believes only when a game can stand like that.

struct SideState {
  // The seat's latest draft; the fleet itself once it is confirmed.
  Fleet fleet;
  bool confirmed = false;
  // Those that the fleet received, in order. What they found follows from it.
  std::vector<Square> shots;
  // The seat's own that is in and not answered yet.
  std::optional<SquareSet> volley;
  int strikes = 0;

  friend bool operator==(const SideState&, const SideState&) = default;
};

struct GameState {
  // In the order of the seats.
  std::array<SideState, 2> sides;
  // Of every volley that was answered, in order: two for each round.
  std::vector<std::uint8_t> volley_sizes;
  std::optional<absl::Time> deadline;
  std::optional<absl::Time> idle_deadline;
  std::optional<Seat> starter;
  // Nullopt outside the battle, and in one of volleys.
  std::optional<Seat> turn;
  Phase phase = Phase::kPlacement;
  int round = 0;

  friend bool operator==(const GameState&, const GameState&) = default;
};

}  // namespace naval::rules
