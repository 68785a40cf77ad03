#include "tools/client/board.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "lib/rules/square.h"
#include "tools/client/match_state.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;

class Canvas {
 public:
  explicit Canvas(int size) : size_(size) { signs_.fill(' '); }

  void Put(const std::string& name, char sign) {
    const auto square = rules::Square::Parse(name);
    if (square.ok()) signs_[static_cast<size_t>(square->index())] = sign;
  }

  void Mark(absl::string_view name) {
    const auto square = rules::Square::Parse(name);
    if (square.ok()) marked_ = *square;
  }

  std::vector<std::string> Lines() const {
    std::string letters = "  ";
    for (int column = 0; column < size_; ++column) {
      letters += {' ', static_cast<char>('A' + column)};
    }
    std::vector<std::string> lines = {letters};
    for (int row = 0; row < size_; ++row) {
      std::string line = absl::StrFormat("%2d", row + 1);
      for (int column = 0; column < size_; ++column) {
        line += {' ', signs_[static_cast<size_t>(rules::Square(column, row).index())]};
      }
      if (marked_.has_value() && marked_->row() == row) PutBrackets(marked_->column(), line);
      lines.push_back(line);
    }
    return lines;
  }

 private:
  static void PutBrackets(int column, std::string& line) {
    const size_t sign = 3 + 2 * static_cast<size_t>(column);
    line += ' ';
    line[sign - 1] = '(';
    line[sign + 1] = ')';
  }

  const int size_;
  std::array<char, rules::kMaxSquares> signs_;
  std::optional<rules::Square> marked_;
};

char SignOf(v1::ShotResult result) {
  switch (result) {
    case v1::SHOT_RESULT_WATER:
      return 'o';
    case v1::SHOT_RESULT_HIT:
      return 'x';
    case v1::SHOT_RESULT_SUNK:
      return '#';
    default:
      return '?';
  }
}

// Where a ship of the side lies, as far as the viewer sees its fleet.
std::vector<std::string> SquaresIn(const v1::Match& match, const v1::Side& side,
                                   absl::string_view ship_id) {
  for (const v1::ShipPlacement& ship : side.fleet()) {
    if (ship.ship_id() == ship_id) return SquaresOf(ship, LengthOf(match, ship_id));
  }
  return {};
}

// Whose fleet one sees, of that one knows what the shots of volleys found.
char SignOf(const v1::ShotMark& shot, const std::vector<std::string>& fleet) {
  if (shot.result() != v1::SHOT_RESULT_UNKNOWN || fleet.empty()) return SignOf(shot.result());
  return std::find(fleet.begin(), fleet.end(), shot.square()) != fleet.end() ? 'x' : 'o';
}

}  // namespace

std::string LegendOf(const game::v1::RuleSet& rules) {
  std::string legend = "S ship, x hit, # sunk, o water";
  if (rules.ring_closed()) legend += ", . certain water that is closed to shots";
  if (rules.turn_order() == game::v1::TURN_ORDER_VOLLEY) {
    legend += ", ? called, what it hit is not told";
  }
  return legend;
}

std::vector<std::string> DrawSea(const v1::Match& match, v1::Seat seat, absl::string_view marked) {
  const v1::Side& side = SideOf(match, seat);
  Canvas canvas(match.rule_set().board_size());
  for (const std::string& square : side.ring_squares()) canvas.Put(square, '.');
  std::vector<std::string> fleet;
  for (const v1::ShipPlacement& ship : side.fleet()) {
    const std::vector<std::string> squares = SquaresOf(ship, LengthOf(match, ship.ship_id()));
    fleet.insert(fleet.end(), squares.begin(), squares.end());
  }
  for (const std::string& square : fleet) canvas.Put(square, 'S');
  for (const v1::ShotMark& shot : side.shots()) canvas.Put(shot.square(), SignOf(shot, fleet));
  for (const std::string& square : SideOf(match, RivalOf(seat)).volley_squares()) {
    canvas.Put(square, SignOf(v1::SHOT_RESULT_UNKNOWN));
  }
  for (const v1::SunkShip& ship : side.sunk_ships()) {
    for (const std::string& square : ship.squares()) canvas.Put(square, '#');
    for (const std::string& square : SquaresIn(match, side, ship.ship_id())) {
      canvas.Put(square, '#');
    }
  }
  canvas.Mark(marked);
  return canvas.Lines();
}

std::vector<std::string> SideBySide(const std::vector<std::string>& left,
                                    const std::vector<std::string>& right, int column) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string line = i < left.size() ? left[i] : "";
    if (i < right.size()) {
      line.resize(std::max(line.size(), static_cast<size_t>(column)), ' ');
      line += right[i];
    }
    absl::StripTrailingAsciiWhitespace(&line);
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> SquaresOf(const v1::ShipPlacement& ship, int length) {
  const auto bow = rules::Square::Parse(ship.bow());
  if (!bow.ok()) return {};
  std::vector<std::string> squares;
  for (int i = 0; i < length; ++i) {
    const bool horizontal = ship.orientation() == v1::ORIENTATION_HORIZONTAL;
    const int column = bow->column() + (horizontal ? i : 0);
    const int row = bow->row() + (horizontal ? 0 : i);
    if (column >= rules::kMaxBoardSize || row >= rules::kMaxBoardSize) break;
    squares.push_back(rules::Square(column, row).ToString());
  }
  return squares;
}

int LengthOf(const v1::Match& match, absl::string_view ship_id) {
  for (const auto& ship : match.rule_set().ships()) {
    if (ship.id() == ship_id) return ship.length();
  }
  return 0;
}

std::string ShipName(const game::v1::RuleSet& rules, absl::string_view ship_id) {
  for (const game::v1::Ship& ship : rules.ships()) {
    if (ship.id() == ship_id && !ship.ship_class().empty()) return ship.ship_class();
  }
  return std::string(ship_id);
}

std::string ShotText(const v1::ShotMark& shot) {
  if (shot.result() == v1::SHOT_RESULT_WATER) return shot.square();
  return shot.square() + SignOf(shot.result());
}

}  // namespace naval::client
