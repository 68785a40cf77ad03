#include "lib/bots/as.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "lib/bots/choice.h"
#include "lib/bots/known_sea.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

// The neighbour of `square` so many columns and rows away, as a set: empty outside the board.
SquareSet Step(Square square, int columns, int rows, int board_size) {
  const int column = square.column() + columns;
  const int row = square.row() + rows;
  if (column < 0 || row < 0 || column >= board_size || row >= board_size) return {};
  return {Square(column, row)};
}

// The hits that are left when each sinking takes those of a place where its ship can have stood.
SquareSet HitsToChase(const KnownSea& sea) {
  SquareSet hits = sea.hits;
  for (const Sinking& sinking : sea.sinkings) {
    for (const SquareSet place : PlacesOf(sea, sinking.ship)) {
      if (!hits.ContainsAll(place)) continue;
      hits = hits - place;
      break;
    }
  }
  return hits;
}

// Where a single shot chases a ship: at the ends of a line of hits; else, around each hit.
SquareSet Chase(const KnownSea& sea) {
  struct Direction {
    int columns;
    int rows;
  };
  constexpr Direction kDirections[] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const int size = sea.rules.board_size;
  const SquareSet hits = HitsToChase(sea);
  SquareSet ends;
  SquareSet around;
  for (const Square hit : hits) {
    for (const Direction& to : kDirections) {
      const SquareSet next = Step(hit, to.columns, to.rows, size);
      const bool in_line = hits.Intersects(Step(hit, -to.columns, -to.rows, size));
      (in_line ? ends : around) |= next;
    }
  }
  const SquareSet worth = sea.open - sea.barred;
  return ends.Intersects(worth) ? ends & worth : around & worth;
}

// How often the class of the ship was hit, but for the ships of it that sank.
int HitsLeft(const KnownSea& sea, int ship) {
  const auto class_at = [&sea](int at) { return sea.ship_class[static_cast<std::size_t>(at)]; };
  int hits = 0;
  for (const rules::VolleyAnswered& volley : sea.volleys) {
    hits += volley.hits[static_cast<std::size_t>(class_at(ship))];
  }
  for (const int sunk : sea.hidden_sunk) {
    if (class_at(sunk) == class_at(ship))
      hits -= sea.rules.ships[static_cast<std::size_t>(sunk)].length;
  }
  return hits;
}

// Where volleys chase ships: the squares with the most places of ships afloat that were hit, as the
// answers leave them to each ship. As many as there are, up to `shots`.
SquareSet ChaseByAnswers(const KnownSea& sea, int shots, base::Random& random) {
  std::array<int, rules::kMaxSquares> places = {};
  SquareSet chase;
  for (const int ship : sea.afloat) {
    if (HitsLeft(sea, ship) == 0) continue;
    for (const SquareSet place : PlacesOf(sea, ship)) {
      if (sea.open.ContainsAll(place)) continue;
      chase |= place & sea.open;
      for (const Square square : place) ++places[static_cast<std::size_t>(square.index())];
    }
  }
  return Best(chase, std::min(shots, chase.size()), random,
              [&](Square square) { return places[static_cast<std::size_t>(square.index())]; });
}

// The squares left of the first colour that has some, of as many colours as the smallest ship has
// squares: wherever it lies along a line, it stands on each of them.
SquareSet Search(const KnownSea& sea) {
  const auto smallest = static_cast<std::size_t>(sea.afloat.back());
  const int colours = sea.rules.ships[smallest].length;
  const SquareSet worth = sea.open - sea.barred;
  for (int colour = 0; colour < colours; ++colour) {
    SquareSet squares;
    for (const Square square : worth) {
      if ((square.column() + square.row()) % colours == colour) squares.Add(square);
    }
    if (!squares.empty()) return squares;
  }
  return sea.open;
}

}  // namespace

SquareSet As::ChooseShots(const rules::GameView& view, base::Random& random) const {
  KnownSea sea = KnownSeaOf(view);
  const int due = ShotsDue(view);
  SquareSet shots;
  if (!sea.volleys.empty()) {
    shots = ChaseByAnswers(sea, due, random);
  } else if (const SquareSet chase = Chase(sea); !chase.empty()) {
    shots = {AnyOf(chase, random)};
  }
  while (shots.size() < due) {
    sea.open = sea.open - shots;
    shots.Add(AnyOf(Search(sea), random));
  }
  return shots;
}

}  // namespace naval::bots
