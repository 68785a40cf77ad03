#include "tools/client/hunter.h"

#include <algorithm>

#include "lib/rules/square.h"
#include "tools/client/match_state.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;
using rules::Square;
using rules::SquareSet;

template <typename Names>
SquareSet ToSquares(const Names& names) {
  SquareSet squares;
  for (const std::string& name : names) {
    if (const auto square = Square::Parse(name); square.ok()) squares.Add(*square);
  }
  return squares;
}

// What the shooter knows of the sea that it fires at.
struct Known {
  SquareSet open;
  // Hits on ships that are still afloat.
  SquareSet wounds;
};

Known KnownOf(const v1::Match& match) {
  const v1::Side& sea = SideOf(match, RivalOf(match.viewer_seat()));
  Known known{
      .open = SquareSet::Board(match.rule_set().board_size()) - ToSquares(sea.ring_squares()),
      .wounds = {}};
  for (const v1::ShotMark& mark : sea.shots()) {
    const auto square = Square::Parse(mark.square());
    if (!square.ok()) continue;
    known.open.Remove(*square);
    const bool hit = mark.result() == v1::SHOT_RESULT_HIT || mark.result() == v1::SHOT_RESULT_SUNK;
    if (hit) known.wounds.Add(*square);
  }
  for (const v1::SunkShip& ship : sea.sunk_ships()) {
    known.wounds = known.wounds - ToSquares(ship.squares());
  }
  return known;
}

// Adds the square `step` columns or rows away, where there is one.
void AddStep(Square square, int columns, int rows, SquareSet& squares) {
  const int column = square.column() + columns;
  const int row = square.row() + rows;
  if (column < 0 || row < 0 || column >= rules::kMaxBoardSize || row >= rules::kMaxBoardSize)
    return;
  squares.Add(Square(column, row));
}

SquareSet Beside(SquareSet wounds, bool along_rows, bool along_columns) {
  SquareSet squares;
  for (const Square wound : wounds) {
    for (const int step : {-1, 1}) {
      if (along_rows) AddStep(wound, step, 0, squares);
      if (along_columns) AddStep(wound, 0, step, squares);
    }
  }
  return squares - wounds;
}

// Where the rest of a wounded ship may lie. Two wounds that touch show its line.
SquareSet Chase(const Known& known) {
  SquareSet row_pairs;
  SquareSet column_pairs;
  for (const Square wound : known.wounds) {
    SquareSet left_right;
    SquareSet up_down;
    for (const int step : {-1, 1}) {
      AddStep(wound, step, 0, left_right);
      AddStep(wound, 0, step, up_down);
    }
    if (left_right.Intersects(known.wounds)) row_pairs.Add(wound);
    if (up_down.Intersects(known.wounds)) column_pairs.Add(wound);
  }
  const SquareSet single = known.wounds - row_pairs - column_pairs;
  return (Beside(row_pairs, true, false) | Beside(column_pairs, false, true) |
          Beside(single, true, true)) &
         known.open;
}

SquareSet Dark(SquareSet squares) {
  SquareSet dark;
  for (const Square square : squares) {
    if ((square.column() + square.row()) % 2 == 0) dark.Add(square);
  }
  return dark;
}

}  // namespace

std::vector<std::string> ChooseShots(const v1::Match& match, base::Random& random) {
  const v1::Side& own = SideOf(match, match.viewer_seat());
  Known known = KnownOf(match);
  std::vector<std::string> shots;
  for (int left = std::max(own.volley_size(), 1); left > 0; --left) {
    SquareSet candidates = Chase(known);
    if (candidates.empty()) candidates = Dark(known.open);
    if (candidates.empty()) candidates = known.open;
    const auto pick = random.Uniform(static_cast<uint64_t>(candidates.size()));
    const Square square = candidates.Nth(static_cast<int>(pick));
    shots.push_back(square.ToString());
    known.open.Remove(square);
  }
  return shots;
}

}  // namespace naval::client
