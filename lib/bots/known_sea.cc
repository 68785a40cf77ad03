#include "lib/bots/known_sea.h"

#include <algorithm>
#include <cstddef>

#include "lib/rules/placement.h"
#include "lib/rules/seat.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

// The squares that meet a square of `set` at a corner: a straight ship has no two such squares.
SquareSet Diagonals(SquareSet set, int board_size) {
  SquareSet diagonals;
  for (const Square square : set) {
    for (const int column : {square.column() - 1, square.column() + 1}) {
      for (const int row : {square.row() - 1, square.row() + 1}) {
        if (column < 0 || row < 0 || column >= board_size || row >= board_size) continue;
        diagonals.Add(Square(column, row));
      }
    }
  }
  return diagonals;
}

// Ships that are neither afloat nor told to stand anywhere.
std::vector<int> HiddenSunk(const rules::RuleSet& rules, const rules::SeaView& sea) {
  std::vector<bool> hidden(rules.ships.size(), true);
  for (const int ship : sea.ships_afloat) hidden[static_cast<std::size_t>(ship)] = false;
  for (const rules::ShipPlacement& sunk : sea.sunk_ships) {
    hidden[static_cast<std::size_t>(sunk.ship)] = false;
  }
  std::vector<int> ships;
  for (std::size_t ship = 0; ship < hidden.size(); ++ship) {
    if (hidden[ship]) ships.push_back(static_cast<int>(ship));
  }
  return ships;
}

void LongestFirst(const rules::RuleSet& rules, std::vector<int>& ships) {
  std::stable_sort(ships.begin(), ships.end(), [&rules](int a, int b) {
    return rules.ships[static_cast<std::size_t>(a)].length >
           rules.ships[static_cast<std::size_t>(b)].length;
  });
}

}  // namespace

KnownSea KnownSeaOf(const rules::GameView& view) {
  const rules::Seat seat = rules::SeatOf(view.viewer).value();
  const rules::SeaView& sea = view.sea(rules::Rival(seat));
  KnownSea known{.rules = view.rules,
                 .open = sea.open,
                 .barred = sea.ring,
                 .afloat = sea.ships_afloat,
                 .hidden_sunk = HiddenSunk(view.rules, sea)};
  known.sunk = rules::FleetSquareSet(view.rules, sea.sunk_ships);
  known.barred |= known.sunk;
  for (const rules::ShotMark& shot : sea.shots) {
    if (known.sunk.Contains(shot.square)) continue;
    (shot.result == rules::ShotResult::kWater ? known.barred : known.hits).Add(shot.square);
    if (shot.result == rules::ShotResult::kSunk) {
      known.sinkings.push_back({shot.square, known.hits});
    }
  }
  // What the rules make certain is water even where they do not close it.
  if (!view.rules.ships_may_touch) {
    known.barred |= Ring(known.sunk) | Diagonals(known.hits, view.rules.board_size);
  }
  LongestFirst(view.rules, known.afloat);
  LongestFirst(view.rules, known.hidden_sunk);
  return known;
}

std::vector<SquareSet> SinkingPlaces(const KnownSea& sea, int ship) {
  SquareSet last;
  for (const Sinking& sinking : sea.sinkings) last.Add(sinking.square);
  std::vector<SquareSet> places;
  for (const auto& [placement, place] : rules::ShipPlaces(sea.rules, ship)) {
    // Two last squares are of two ships.
    if ((place & last).size() != 1) continue;
    for (const Sinking& sinking : sea.sinkings) {
      if (place.Contains(sinking.square) && sinking.hits.ContainsAll(place))
        places.push_back(place);
    }
  }
  return places;
}

}  // namespace naval::bots
