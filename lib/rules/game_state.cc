#include "lib/rules/game_state.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "lib/base/check.h"
#include "lib/base/status_macros.h"
#include "lib/rules/volley.h"

namespace naval::rules {
namespace {

absl::Status Impossible(absl::string_view part, absl::string_view fault) {
  return absl::DataLossError(absl::StrCat("game state: ", part, ": ", fault));
}

absl::Status Impossible(Seat seat, absl::string_view part, absl::string_view fault) {
  return Impossible(absl::StrCat(part, " of the ", SeatName(seat), " seat"), fault);
}

// Fires at `target` what is next in the shots that it received. False when it cannot be shot there.
bool Receive(Sea& target, Square square) {
  if (!target.open().Contains(square)) return false;
  target.Record(square, target.Probe(square));
  return true;
}

}  // namespace

GameState Game::State() const {
  NAVAL_CHECK(settled() && phase_ != Phase::kOver);
  GameState state{.volley_sizes = volley_sizes_,
                  .deadline = deadline_,
                  .idle_deadline = idle_deadline_,
                  .starter = starter_,
                  .turn = turn_,
                  .phase = phase_,
                  .round = round_};
  for (const Seat seat : kSeats) {
    SideState& out = OfSeat(state.sides, seat);
    out.fleet = fleet(seat);
    out.confirmed = confirmed(seat);
    out.volley = side(seat).volley;
    out.strikes = side(seat).strikes;
    if (!out.confirmed) continue;
    out.shots.reserve(sea(seat)->shots().size());
    for (const ShotMark& shot : sea(seat)->shots()) out.shots.push_back(shot.square);
  }
  return state;
}

absl::StatusOr<Game> Game::FromState(GameSettings settings, const GameState& state) {
  if (state.phase != Phase::kPlacement && state.phase != Phase::kBattle) {
    return Impossible("phase", "is none in which a match lasts");
  }
  Game game(std::move(settings));
  game.phase_ = state.phase;
  NAVAL_RETURN_IF_ERROR(game.RestoreFleets(state));
  if (state.phase == Phase::kBattle) NAVAL_RETURN_IF_ERROR(game.RestoreBattle(state));
  for (const Seat seat : kSeats) {
    const std::size_t received = game.confirmed(seat) ? game.sea(seat)->shots().size() : 0;
    if (OfSeat(state.sides, seat).shots.size() != received) {
      return Impossible(seat, "shots", "are more than were fired in turn");
    }
  }
  if (state.starter != game.starter_) return Impossible("starter", "is named before the battle");
  if (state.turn != game.turn_) return Impossible("turn", "is not that after these shots");
  if (state.round != game.round_) return Impossible("round", "is named where there is none");
  if (state.volley_sizes != game.volley_sizes_) {
    return Impossible("volley sizes", "are not those of these rounds");
  }
  for (const Seat seat : kSeats) {
    NAVAL_RETURN_IF_ERROR(game.RestoreVolleyIn(seat, state));
    NAVAL_RETURN_IF_ERROR(game.RestoreStrikes(seat, state));
  }
  NAVAL_RETURN_IF_ERROR(game.RestoreClocks(state));
  return game;
}

absl::Status Game::RestoreFleets(const GameState& state) {
  const int ships = static_cast<int>(rules().ships.size());
  for (const Seat seat : kSeats) {
    const SideState& from = OfSeat(state.sides, seat);
    for (const ShipPlacement& placement : from.fleet) {
      if (placement.ship < 0 || placement.ship >= ships) {
        return Impossible(seat, "fleet", "has a ship that the rule set has not");
      }
    }
    if (!from.confirmed) {
      side(seat).draft = from.fleet;
    } else if (CheckFleet(rules(), from.fleet).empty()) {
      side(seat).sea.emplace(rules(), from.fleet);
    } else {
      return Impossible(seat, "fleet", "is confirmed and not a legal one");
    }
  }
  const bool both = confirmed(Seat::kFirst) && confirmed(Seat::kSecond);
  if (both != (phase_ == Phase::kBattle)) {
    return Impossible("phase", "is not that of these fleets");
  }
  return absl::OkStatus();
}

absl::Status Game::RestoreBattle(const GameState& state) {
  if (!state.starter.has_value()) return Impossible("starter", "is missing");
  if (settings_.starter.value_or(*state.starter) != *state.starter) {
    return Impossible("starter", "is not that of the match");
  }
  starter_ = state.starter;
  NAVAL_RETURN_IF_ERROR(fires_volleys() ? RestoreVolleys(state) : RestoreShots(state));
  for (const Seat seat : kSeats) {
    if (sea(seat)->destroyed()) return Impossible(seat, "shots", "sank the whole fleet");
  }
  return absl::OkStatus();
}

// Who fires next follows from what was found, so there is one order in which the shots of both
// seats can have come.
absl::Status Game::RestoreShots(const GameState& state) {
  std::array<absl::Span<const Square>, 2> left = {state.sides[0].shots, state.sides[1].shots};
  Seat seat = *starter_;
  for (;;) {
    absl::Span<const Square>& shots = OfSeat(left, Rival(seat));
    if (shots.empty()) break;
    Sea& target = *side(Rival(seat)).sea;
    if (!Receive(target, shots.front())) {
      return Impossible(Rival(seat), "shots", "hold one at a square that was not open");
    }
    shots.remove_prefix(1);
    seat = NextToShoot(seat, target.shots().back().result);
  }
  turn_ = seat;
  return absl::OkStatus();
}

// How many shots a volley has follows from the seas before its round.
absl::Status Game::RestoreVolleys(const GameState& state) {
  next_turn_ = starter_;
  if (state.round < 1 ||
      state.volley_sizes.size() / 2 != static_cast<std::size_t>(state.round) - 1) {
    return Impossible("round", "is not the one after the volleys answered");
  }
  std::array<absl::Span<const Square>, 2> left = {state.sides[0].shots, state.sides[1].shots};
  for (round_ = 1; round_ < state.round; ++round_) {
    const std::array<int, 2> sizes = {VolleySize(rules(), sea(Seat::kFirst), sea(Seat::kSecond)),
                                      VolleySize(rules(), sea(Seat::kSecond), sea(Seat::kFirst))};
    for (const Seat seat : {*starter_, Rival(*starter_)}) {
      const std::size_t size = static_cast<std::size_t>(OfSeat(sizes, seat));
      absl::Span<const Square>& shots = OfSeat(left, Rival(seat));
      const absl::Span<const Square> volley = shots.first(std::min(size, shots.size()));
      if (volley.size() != size || !std::is_sorted(volley.begin(), volley.end())) {
        return Impossible(Rival(seat), "shots", "are no volleys of these rounds");
      }
      for (const Square square : volley) {
        if (!Receive(*side(Rival(seat)).sea, square)) {
          return Impossible(Rival(seat), "shots", "hold one at a square that was not open");
        }
      }
      shots.remove_prefix(size);
      volley_sizes_.push_back(static_cast<std::uint8_t>(size));
    }
  }
  return absl::OkStatus();
}

absl::Status Game::RestoreVolleyIn(Seat seat, const GameState& state) {
  const std::optional<SquareSet>& volley = OfSeat(state.sides, seat).volley;
  if (!volley.has_value()) return absl::OkStatus();
  if (!CanTake(VolleyFired{seat, *volley})) {
    return Impossible(seat, "volley", "cannot have been fired");
  }
  side(seat).volley = volley;
  if (side(Rival(seat)).volley.has_value()) {
    return Impossible(seat, "volley", "would have been answered with the rival's");
  }
  return absl::OkStatus();
}

// Each came with a shot or a volley by the clock, and whoever moves again has none.
absl::Status Game::RestoreStrikes(Seat seat, const GameState& state) {
  int most = 0;
  if (phase_ == Phase::kBattle && rules().shot_duration.has_value() &&
      rules().clock_end != ClockEnd::kMayBeClaimed) {
    most = fires_volleys() ? round_ - 1 + (side(seat).volley.has_value() ? 1 : 0)
                           : static_cast<int>(sea(Rival(seat))->shots().size());
  }
  const int strikes = OfSeat(state.sides, seat).strikes;
  if (strikes < 0 || strikes > most) {
    return Impossible(seat, "strikes", "are not so many ends of its clock");
  }
  side(seat).strikes = strikes;
  return absl::OkStatus();
}

absl::Status Game::RestoreClocks(const GameState& state) {
  deadline_ = state.deadline;
  idle_deadline_ = state.idle_deadline;
  if (idle_deadline_.has_value() != rules().idle_duration.has_value()) {
    return Impossible("idle deadline", "must stand where the rules know one, and nowhere else");
  }
  if (!settled()) {
    return Impossible("deadline", "must stand where a clock runs, and nowhere else");
  }
  return absl::OkStatus();
}

}  // namespace naval::rules
