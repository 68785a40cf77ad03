#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace naval::rules {

// The largest board that the engine plays: A1 top left, J10 bottom right.
inline constexpr int kMaxBoardSize = 10;
inline constexpr int kMaxSquares = kMaxBoardSize * kMaxBoardSize;

// One square of a board: column A-J (0-9) from the left, row 1-10 (0-9) from the top. A value of
// one byte.
class Square {
 public:
  // A1.
  constexpr Square() = default;
  // Requires 0 <= column, row < kMaxBoardSize.
  constexpr Square(int column, int row)
      : index_(static_cast<std::uint8_t>(column * kMaxBoardSize + row)) {}

  // Requires 0 <= index < kMaxSquares.
  static constexpr Square FromIndex(int index) {
    return Square(index / kMaxBoardSize, index % kMaxBoardSize);
  }

  // Reads a name such as "C7" or "c7". Anything else, "A0", "K1", "A01" and " A1" among it, is
  // INVALID_ARGUMENT with reason INVALID_SQUARE, naming the value.
  static absl::StatusOr<Square> Parse(absl::string_view name);

  constexpr int column() const { return index_ / kMaxBoardSize; }
  constexpr int row() const { return index_ % kMaxBoardSize; }
  // 0-99, column by column: the order of SquareSet and of every list of squares.
  constexpr int index() const { return index_; }

  // The name, for example "C7".
  std::string ToString() const;

  friend constexpr auto operator<=>(Square, Square) = default;

 private:
  std::uint8_t index_ = 0;
};

// A set of squares. Sixteen bytes; every operation but Ring takes a few instructions. Iteration
// goes column by column.
class SquareSet {
 public:
  constexpr SquareSet() = default;
  constexpr SquareSet(std::initializer_list<Square> squares) {
    for (const Square square : squares) Add(square);
  }

  // All squares of a board with `size` columns and rows, 1 to kMaxBoardSize.
  static SquareSet Board(int size);

  constexpr void Add(Square square) { Word(square) |= Bit(square); }
  constexpr void Remove(Square square) { Word(square) &= ~Bit(square); }

  constexpr bool Contains(Square square) const {
    return ((square.index() < kWordBits ? low_ : high_) & Bit(square)) != 0;
  }
  constexpr bool ContainsAll(SquareSet other) const { return (other - *this).empty(); }
  constexpr bool Intersects(SquareSet other) const { return !(*this & other).empty(); }
  constexpr bool empty() const { return (low_ | high_) == 0; }
  constexpr int size() const { return std::popcount(low_) + std::popcount(high_); }

  // The n-th square in order. Requires 0 <= n < size().
  Square Nth(int n) const;

  constexpr SquareSet& operator|=(SquareSet other) {
    low_ |= other.low_;
    high_ |= other.high_;
    return *this;
  }
  friend constexpr SquareSet operator|(SquareSet a, SquareSet b) { return a |= b; }
  friend constexpr SquareSet operator&(SquareSet a, SquareSet b) {
    return SquareSet(a.low_ & b.low_, a.high_ & b.high_);
  }
  // The squares of `a` that are not in `b`.
  friend constexpr SquareSet operator-(SquareSet a, SquareSet b) {
    return SquareSet(a.low_ & ~b.low_, a.high_ & ~b.high_);
  }
  friend constexpr bool operator==(SquareSet, SquareSet) = default;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Square;
    using difference_type = std::ptrdiff_t;
    using pointer = const Square*;
    using reference = Square;

    constexpr Iterator() = default;
    constexpr Square operator*() const {
      return Square::FromIndex(low_ != 0 ? std::countr_zero(low_)
                                         : kWordBits + std::countr_zero(high_));
    }
    constexpr Iterator& operator++() {
      std::uint64_t& word = low_ != 0 ? low_ : high_;
      word &= word - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      Iterator before = *this;
      ++*this;
      return before;
    }
    friend constexpr bool operator==(Iterator, Iterator) = default;

   private:
    friend class SquareSet;
    constexpr Iterator(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

    std::uint64_t low_ = 0;
    std::uint64_t high_ = 0;
  };

  constexpr Iterator begin() const { return Iterator(low_, high_); }
  constexpr Iterator end() const { return Iterator(); }

  // The names in order, divided by blanks, for example "A1 A2 B1".
  std::string ToString() const;

 private:
  static constexpr int kWordBits = 64;

  constexpr SquareSet(std::uint64_t low, std::uint64_t high) : low_(low), high_(high) {}

  static constexpr std::uint64_t Bit(Square square) {
    return std::uint64_t{1} << (square.index() % kWordBits);
  }
  constexpr std::uint64_t& Word(Square square) { return square.index() < kWordBits ? low_ : high_; }

  std::uint64_t low_ = 0;
  std::uint64_t high_ = 0;
};

// The squares next to a square of `set`, diagonals included, that are not in `set` themselves. Cut
// at the edge of the largest board only: intersect with SquareSet::Board for a smaller one.
SquareSet Ring(SquareSet set);

}  // namespace naval::rules
