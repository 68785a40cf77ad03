#include "tools/demo/board.h"

#include <array>

#include "absl/strings/str_format.h"
#include "lib/rules/square.h"
#include "tools/client/match_state.h"

namespace naval::demo {
namespace {

namespace v1 = match::v1;

class Canvas {
 public:
  explicit Canvas(int size) : size_(size) { signs_.fill(' '); }

  void Put(const std::string& name, char sign) {
    const auto square = rules::Square::Parse(name);
    if (square.ok()) signs_[static_cast<size_t>(square->index())] = sign;
  }

  void PutShip(const v1::ShipPlacement& ship, int length) {
    const auto bow = rules::Square::Parse(ship.bow());
    if (!bow.ok()) return;
    const bool horizontal = ship.orientation() == v1::ORIENTATION_HORIZONTAL;
    for (int i = 0; i < length; ++i) {
      Put(rules::Square(bow->column() + (horizontal ? i : 0), bow->row() + (horizontal ? 0 : i))
              .ToString(),
          'S');
    }
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
      lines.push_back(line);
    }
    return lines;
  }

 private:
  const int size_;
  std::array<char, rules::kMaxSquares> signs_;
};

int LengthOf(const v1::Match& match, const std::string& ship_id) {
  for (const auto& ship : match.rule_set().ships()) {
    if (ship.id() == ship_id) return ship.length();
  }
  return 0;
}

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

}  // namespace

const char kLegend[] = "S ship, x hit, # sunk, o water, . certain water that is closed to shots";

std::vector<std::string> DrawSea(const v1::Match& match, v1::Seat seat) {
  const v1::Side& side = client::SideOf(match, seat);
  Canvas canvas(match.rule_set().board_size());
  for (const std::string& square : side.ring_squares()) canvas.Put(square, '.');
  for (const v1::ShipPlacement& ship : side.fleet()) {
    canvas.PutShip(ship, LengthOf(match, ship.ship_id()));
  }
  for (const v1::ShotMark& shot : side.shots()) canvas.Put(shot.square(), SignOf(shot.result()));
  for (const v1::SunkShip& ship : side.sunk_ships()) {
    for (const std::string& square : ship.squares()) canvas.Put(square, '#');
  }
  return canvas.Lines();
}

std::string ShotText(const v1::ShotMark& shot) {
  if (shot.result() == v1::SHOT_RESULT_WATER) return shot.square();
  return shot.square() + SignOf(shot.result());
}

}  // namespace naval::demo
