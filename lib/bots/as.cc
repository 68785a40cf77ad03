#include "lib/bots/as.h"

#include <cstddef>
#include <cstdint>

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

// The hits that are left when each sinking takes those of the longest ship that it can have sunk.
SquareSet HitsToChase(const KnownSea& sea) {
  SquareSet hits = sea.hits;
  for (const Sinking& sinking : sea.sinkings) {
    SquareSet longest;
    for (const int ship : sea.hidden_sunk) {
      for (const SquareSet place : SinkingPlaces(sea, ship)) {
        const bool here = place.Contains(sinking.square) && hits.ContainsAll(place);
        if (here && place.size() > longest.size()) longest = place;
      }
    }
    hits = hits - longest;
  }
  return hits;
}

// Where a ship that was hit may go on: at the ends of a line of hits; else, around each hit.
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

Square As::ChooseShot(const rules::GameView& view, base::Random& random) const {
  const KnownSea sea = KnownSeaOf(view);
  SquareSet choice = Chase(sea);
  if (choice.empty()) choice = Search(sea);
  return choice.Nth(static_cast<int>(random.Uniform(static_cast<std::uint64_t>(choice.size()))));
}

}  // namespace naval::bots
