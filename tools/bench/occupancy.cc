#include "tools/bench/occupancy.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/rules/open_places.h"
#include "lib/rules/placement.h"

namespace naval::bench {
namespace {

using rules::Footprint;
using rules::Square;
using rules::SquareSet;

// What matters of the squares and ships that were decided: which of the squares to come they take,
// the next being the lowest bit, and how many ships of each length are left.
struct State {
  Footprint taken = 0;
  std::array<std::uint8_t, rules::kMaxBoardSize> left = {};

  friend bool operator==(const State&, const State&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const State& state) {
    return H::combine(std::move(hash), static_cast<std::uint64_t>(state.taken),
                      static_cast<std::uint64_t>(state.taken >> 64), state.left);
  }
};

struct Place {
  std::size_t length;
  // Its first square is the lowest bit.
  Footprint footprint;
  std::array<std::uint64_t, kSquareKinds> squares = {};
};

// The places by their first squares.
std::vector<std::vector<Place>> PlacesByFirst(const rules::RuleSet& rules,
                                              const rules::OpenPlaces& open) {
  std::vector<std::vector<Place>> by_first(static_cast<std::size_t>(open.side) *
                                           static_cast<std::size_t>(open.side));
  for (std::size_t length = 0; length < open.lengths.size(); ++length) {
    const rules::OpenShips& ships = open.lengths[length];
    for (std::size_t i = 0; i < ships.places.size(); ++i) {
      std::size_t first = 0;
      while ((ships.footprints[i] >> first & 1) == 0) ++first;
      Place place{length, ships.footprints[i] >> first};
      const SquareSet squares = rules::ShipSquareSet(rules, ships.places[i]).value();
      for (const Square square : squares) ++place.squares[KindOf(square)];
      by_first[first].push_back(place);
    }
  }
  return by_first;
}

void Add(const Occupancy& more, Occupancy& sum) {
  sum.fleets += more.fleets;
  for (std::size_t kind = 0; kind < kSquareKinds; ++kind) sum.squares[kind] += more.squares[kind];
}

}  // namespace

std::size_t KindOf(Square square) {
  const int a = std::min(square.column(), rules::kMaxBoardSize - 1 - square.column());
  const int b = std::min(square.row(), rules::kMaxBoardSize - 1 - square.row());
  constexpr std::size_t kFirst[] = {0, 5, 9, 12, 14};
  return kFirst[std::min(a, b)] + static_cast<std::size_t>(std::abs(a - b));
}

double Occupancy::Probability(Square square) const {
  int alike = 0;
  for (const Square other : SquareSet::Board(rules::kMaxBoardSize)) {
    alike += KindOf(other) == KindOf(square) ? 1 : 0;
  }
  return static_cast<double>(squares[KindOf(square)]) / static_cast<double>(fleets) / alike;
}

double Occupancy::MeanBorder() const {
  double border = 0;
  for (std::size_t kind = 0; kind < kBorderKinds; ++kind) {
    border += static_cast<double>(squares[kind]);
  }
  return border / static_cast<double>(fleets);
}

Occupancy CountAllFleets(const rules::RuleSet& rules) {
  const rules::OpenPlaces open = rules::FindOpenPlaces(rules, {});
  State start;
  for (std::size_t length = 0; length < open.lengths.size(); ++length) {
    start.left[length] = static_cast<std::uint8_t>(open.lengths[length].ships.size());
  }
  absl::flat_hash_map<State, Occupancy> states;
  states[start].fleets = 1;
  for (const std::vector<Place>& places : PlacesByFirst(rules, open)) {
    absl::flat_hash_map<State, Occupancy> next;
    for (const auto& [state, so_far] : states) {
      Add(so_far, next[State{state.taken >> 1, state.left}]);
      if ((state.taken & 1) != 0) continue;
      for (const Place& place : places) {
        if (state.left[place.length] == 0 || (state.taken & place.footprint) != 0) continue;
        State laid{(state.taken | place.footprint) >> 1, state.left};
        --laid.left[place.length];
        Occupancy with_ship = so_far;
        for (std::size_t kind = 0; kind < kSquareKinds; ++kind) {
          with_ship.squares[kind] += so_far.fleets * place.squares[kind];
        }
        Add(with_ship, next[laid]);
      }
    }
    states = std::move(next);
  }
  return states[State{}];
}

}  // namespace naval::bench
