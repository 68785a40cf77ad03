#include "lib/rules/square.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/error.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

// The row of "1" to "10", or -1.
int ParseRow(absl::string_view digits) {
  if (digits == "10") return 9;
  if (digits.size() != 1 || digits[0] < '1' || digits[0] > '9') return -1;
  return digits[0] - '1';
}

constexpr SquareSet Neighbours(Square square) {
  SquareSet neighbours;
  for (int column = square.column() - 1; column <= square.column() + 1; ++column) {
    for (int row = square.row() - 1; row <= square.row() + 1; ++row) {
      if (column < 0 || column >= kMaxBoardSize || row < 0 || row >= kMaxBoardSize) continue;
      neighbours.Add(Square(column, row));
    }
  }
  neighbours.Remove(square);
  return neighbours;
}

constexpr std::array<SquareSet, kMaxSquares> kNeighbours = [] {
  std::array<SquareSet, kMaxSquares> table;
  for (int index = 0; index < kMaxSquares; ++index) {
    table[static_cast<std::size_t>(index)] = Neighbours(Square::FromIndex(index));
  }
  return table;
}();

// By their size.
constexpr std::array<SquareSet, kMaxBoardSize + 1> kBoards = [] {
  std::array<SquareSet, kMaxBoardSize + 1> table;
  for (int index = 0; index < kMaxSquares; ++index) {
    const Square square = Square::FromIndex(index);
    for (int size = std::max(square.column(), square.row()) + 1; size <= kMaxBoardSize; ++size) {
      table[static_cast<std::size_t>(size)].Add(square);
    }
  }
  return table;
}();

}  // namespace

absl::StatusOr<Square> Square::Parse(absl::string_view name) {
  if (!name.empty()) {
    const int column = absl::ascii_toupper(static_cast<unsigned char>(name[0])) - 'A';
    const int row = ParseRow(name.substr(1));
    if (column >= 0 && column < kMaxBoardSize && row >= 0) return Square(column, row);
  }
  return Refuse(Refusal::kInvalidSquare, {{"square", base::Shown(name)}});
}

std::string Square::ToString() const {
  return absl::StrCat(std::string(1, static_cast<char>('A' + column())), row() + 1);
}

SquareSet SquareSet::Board(int size) { return kBoards[static_cast<std::size_t>(size)]; }

Square SquareSet::Nth(int n) const {
  Iterator square = begin();
  for (int passed = 0; passed < n; ++passed) ++square;
  return *square;
}

std::string SquareSet::ToString() const {
  return absl::StrJoin(begin(), end(), " ", [](std::string* out, Square square) {
    absl::StrAppend(out, square.ToString());
  });
}

SquareSet Ring(SquareSet set) {
  SquareSet ring;
  for (const Square square : set) ring |= kNeighbours[static_cast<std::size_t>(square.index())];
  return ring - set;
}

}  // namespace naval::rules
