// Rule sets, and fleets on the board.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tests/oracle/oracle.h"

namespace naval::oracle {
namespace {

// `live` is how the rule set's own live clock ends.
void SetClock(Clock clock, ClockEnd live, OracleRules& rules) {
  rules.clock_end = live;
  switch (clock) {
    case Clock::kLive:
      rules.placement_time = absl::Seconds(90);
      rules.shot_time = absl::Seconds(25);
      break;
    case Clock::kSlow:
      rules.placement_time = absl::Minutes(5);
      rules.shot_time = absl::Minutes(2);
      break;
    case Clock::kCorrespondence:  // M-14 and M-15 alone
      rules.placement_time = absl::Hours(48);
      rules.shot_time = absl::Hours(48);
      rules.idle_time = absl::Hours(7 * 24);
      rules.clock_end = ClockEnd::kClaim;
      break;
    case Clock::kNone:
      break;
  }
}

// `count` ships; ids have a number where there are several: "crucero 1".
void Add(const std::string& class_name, int length, int count, int volley_shots,
         OracleRules& rules) {
  for (int i = 1; i <= count; ++i) {
    const std::string id = count == 1 ? class_name : absl::StrCat(class_name, " ", i);
    rules.ships.push_back(
        {.id = id, .class_name = class_name, .length = length, .volley_shots = volley_shots});
  }
}

struct Cell {
  int column = 0;  // from 0
  int row = 0;     // from 0
};

std::string NameOf(Cell cell) {
  return static_cast<char>('A' + cell.column) + std::to_string(cell.row + 1);
}

// `square` must name one.
Cell CellOf(const std::string& square) {
  return {.column = absl::ascii_toupper(static_cast<unsigned char>(square[0])) - 'A',
          .row = std::atoi(square.c_str() + 1) - 1};
}

bool IsInside(const OracleRules& rules, Cell cell) {
  return cell.column >= 0 && cell.column < rules.columns && cell.row >= 0 && cell.row < rules.rows;
}

// Also those beyond the edge.
std::vector<Cell> CellsOf(const OracleRules& rules, const PlacedShip& placed) {
  std::vector<Cell> cells;
  const Cell bow = CellOf(placed.bow);
  for (const Ship& ship : rules.ships) {
    if (ship.id != placed.ship) continue;
    for (int i = 0; i < ship.length; ++i) {
      cells.push_back({.column = bow.column + (placed.vertical ? 0 : i),
                       .row = bow.row + (placed.vertical ? i : 0)});
    }
  }
  return cells;
}

// No further apart than `distance`, diagonally too: 0, the same square; 1, touching as well.
bool AreNear(const std::vector<Cell>& a, const std::vector<Cell>& b, int distance) {
  for (const Cell& x : a) {
    for (const Cell& y : b) {
      if (std::abs(x.column - y.column) <= distance && std::abs(x.row - y.row) <= distance) {
        return true;
      }
    }
  }
  return false;
}

const PlacedShip* Find(const Fleet& fleet, const std::string& ship) {
  for (const PlacedShip& placed : fleet) {
    if (placed.ship == ship) return &placed;
  }
  return nullptr;
}

// Where no ship may be any more: rows of '#' and '.'.
using Grid = std::vector<std::string>;

bool Fits(const OracleRules& rules, const Grid& grid, const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    if (!IsInside(rules, cell)) return false;
    if (grid[static_cast<size_t>(cell.row)][static_cast<size_t>(cell.column)] == '#') return false;
  }
  return true;
}

Grid With(const OracleRules& rules, Grid grid, const std::vector<Cell>& cells) {
  for (int row = 0; row < rules.rows; ++row) {
    for (int column = 0; column < rules.columns; ++column) {
      if (AreNear(cells, {{.column = column, .row = row}}, rules.may_touch ? 0 : 1)) {
        grid[static_cast<size_t>(row)][static_cast<size_t>(column)] = '#';
      }
    }
  }
  return grid;
}

// Tries every place for missing[at] and those after it. Of ships equally long, the later one stands
// later in the order of places, the first of which is `from`: which of them is which is all the
// same.
Completion Search(const OracleRules& rules, const std::vector<Ship>& missing, size_t at,
                  size_t from, const Grid& grid, int& tries) {
  if (at == missing.size()) return Completion::kExists;
  const std::vector<std::string> squares = AllSquares(rules);
  for (size_t place = from; place < 2 * squares.size(); ++place) {
    if (++tries > 100'000) return Completion::kGaveUp;
    const std::vector<Cell> cells = CellsOf(
        rules, {.ship = missing[at].id, .bow = squares[place / 2], .vertical = place % 2 == 1});
    if (!Fits(rules, grid, cells)) continue;
    const bool is_alike = at + 1 < missing.size() && missing[at + 1].length == missing[at].length;
    const Completion rest =
        Search(rules, missing, at + 1, is_alike ? place + 1 : 0, With(rules, grid, cells), tries);
    if (rest != Completion::kNone) return rest;
  }
  return Completion::kNone;
}

}  // namespace

// T-02, T-04, T-18, T-19.
OracleRules Tablu(bool one_shot_per_turn, Clock clock) {
  OracleRules rules;
  Add("portaaviones", 5, 1, 1, rules);
  Add("acorazado", 4, 1, 1, rules);
  Add("fragata", 3, 1, 1, rules);
  Add("submarino", 3, 1, 1, rules);
  Add("lancha", 2, 1, 1, rules);
  if (one_shot_per_turn) rules.turn_order = TurnOrder::kAlternate;
  SetClock(clock, ClockEnd::kServerShoots, rules);
  return rules;
}

// C-01, C-02, C-06 to C-08, C-10, C-12.
OracleRules Clasica(Clock clock, Start start) {
  OracleRules rules;
  Add("acorazado", 4, 1, 1, rules);
  Add("crucero", 3, 2, 1, rules);
  Add("destructor", 2, 3, 1, rules);
  Add("torpedera", 1, 4, 1, rules);
  // "Hundido" alone is told by the text. The marked ring shows the squares, and their number the
  // class, so telling both, as the engine does, tells nothing more.
  rules.sinking_tells = SinkingTells::kNameAndSquares;
  rules.illegal_fleet_loses = true;
  rules.start = start;
  SetClock(clock, ClockEnd::kLoses, rules);
  return rules;
}

// S-01, S-02, S-03, S-05, S-06.
OracleRules Salvo(Clock clock, bool fleet_b, bool volley) {
  OracleRules rules;
  Add("acorazado", 5, 1, 3, rules);
  if (fleet_b) {
    Add("crucero", 3, 1, 2, rules);
    Add("destructor", 2, 2, 1, rules);
  } else {
    Add("crucero", 4, 1, 2, rules);
    Add("submarino", 3, 1, 1, rules);
    Add("destructor", 2, 1, 1, rules);
  }
  rules.may_touch = true;
  rules.ring = false;
  rules.turn_order = volley ? TurnOrder::kVolley : TurnOrder::kAlternate;
  rules.sinking_tells = SinkingTells::kName;
  if (volley) rules.shots_a_turn = std::nullopt;
  SetClock(clock, ClockEnd::kServerShoots, rules);
  return rules;
}

// M-01, M-03.
OracleRules Selminha(Clock clock) {
  OracleRules rules;
  Add("nao", 5, 1, 1, rules);
  Add("galera", 4, 1, 1, rules);
  Add("coca", 3, 1, 1, rules);
  Add("carabela", 3, 1, 1, rules);
  Add("barca", 2, 1, 1, rules);
  rules.start = Start::kCreator;
  SetClock(clock, ClockEnd::kServerShoots, rules);
  return rules;
}

bool MayBeFirst(const OracleRules& rules, std::optional<int> creator, std::optional<int> previous,
                int first) {
  if (first != 0 && first != 1) return false;
  if (previous) return first != *previous;  // T-08, M-03, S-11
  // S-11: who announces first is always drawn. A pair from the queue has no creator.
  if (rules.turn_order == TurnOrder::kVolley || rules.start == Start::kDrawn || !creator) {
    return true;
  }
  return rules.start == Start::kCreator ? first == *creator : first != *creator;
}

std::vector<std::string> AllSquares(const OracleRules& rules) {
  std::vector<std::string> squares;
  for (int row = 0; row < rules.rows; ++row) {
    for (int column = 0; column < rules.columns; ++column) {
      squares.push_back(NameOf({.column = column, .row = row}));
    }
  }
  return squares;
}

std::optional<std::string> ParseSquare(const OracleRules& rules, absl::string_view text) {
  if (text.empty()) return std::nullopt;
  const int column = absl::ascii_toupper(static_cast<unsigned char>(text[0])) - 'A';
  for (int row = 0; row < rules.rows; ++row) {
    const Cell cell = {.column = column, .row = row};
    if (IsInside(rules, cell) && text.substr(1) == absl::StrCat(row + 1)) return NameOf(cell);
  }
  return std::nullopt;
}

std::vector<std::string> SquaresOf(const OracleRules& rules, const PlacedShip& placed) {
  std::vector<std::string> squares;
  for (const Cell& cell : CellsOf(rules, placed)) {
    if (IsInside(rules, cell)) squares.push_back(NameOf(cell));
  }
  return squares;
}

std::set<Reason> MistakesIn(const OracleRules& rules, const Fleet& fleet) {
  std::set<Reason> mistakes;
  std::set<std::string> known;
  for (const Ship& ship : rules.ships) known.insert(ship.id);
  for (const PlacedShip& placed : fleet) {
    if (!ParseSquare(rules, placed.bow)) mistakes.insert(Reason::kInvalidSquare);
    if (!known.contains(placed.ship)) mistakes.insert(Reason::kUnknownShip);
  }
  return mistakes;
}

std::set<Violation> ViolationsOf(const OracleRules& rules, const Fleet& fleet) {
  std::set<Violation> violations;
  for (const Ship& ship : rules.ships) {
    if (Find(fleet, ship.id) == nullptr) {
      violations.insert({.kind = ViolationKind::kMissing, .ships = {ship.id}});
    }
  }
  // The ships that stand on the board. Of one that runs past the edge the rules do not say whether
  // it can touch others as well; the engine says that it stands nowhere yet.
  std::vector<PlacedShip> standing;
  for (const PlacedShip& placed : fleet) {
    if (Find(fleet, placed.ship) != &placed) {
      violations.insert({.kind = ViolationKind::kTwice, .ships = {placed.ship}});
      continue;
    }
    const std::vector<Cell> cells = CellsOf(rules, placed);
    if (SquaresOf(rules, placed).size() < cells.size()) {
      violations.insert({.kind = ViolationKind::kOutside, .ships = {placed.ship}});
      continue;
    }
    for (const PlacedShip& other : standing) {
      const std::set<std::string> both = {placed.ship, other.ship};
      if (AreNear(cells, CellsOf(rules, other), 0)) {
        violations.insert({.kind = ViolationKind::kOverlap, .ships = both});
      } else if (!rules.may_touch && AreNear(cells, CellsOf(rules, other), 1)) {
        violations.insert({.kind = ViolationKind::kTouch, .ships = both});
      }
    }
    standing.push_back(placed);
  }
  return violations;
}

bool Completes(const OracleRules& rules, const Fleet& placed, const Fleet& fleet) {
  if (!ViolationsOf(rules, fleet).empty()) return false;
  for (const PlacedShip& one : placed) {
    const PlacedShip* same = Find(fleet, one.ship);
    if (same == nullptr || SquaresOf(rules, *same) != SquaresOf(rules, one)) return false;
  }
  return true;
}

Completion CanComplete(const OracleRules& rules, const Fleet& placed) {
  for (const Violation& violation : ViolationsOf(rules, placed)) {
    if (violation.kind != ViolationKind::kMissing) return Completion::kNone;
  }
  Grid grid(static_cast<size_t>(rules.rows), std::string(static_cast<size_t>(rules.columns), '.'));
  for (const PlacedShip& one : placed) grid = With(rules, grid, CellsOf(rules, one));
  std::vector<Ship> missing;
  for (const Ship& ship : rules.ships) {
    if (Find(placed, ship.id) == nullptr) missing.push_back(ship);
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [](const Ship& a, const Ship& b) { return a.length > b.length; });
  int tries = 0;
  return Search(rules, missing, 0, 0, grid, tries);
}

std::string FaultOfDrawnFleet(const OracleRules& rules, const Fleet& draft, const Fleet& fleet) {
  if (!MistakesIn(rules, fleet).empty() || !ViolationsOf(rules, fleet).empty()) {
    return "the fleet is not legal";
  }
  // The draft's ships in the order of placing, as far as they kept their places. If one more could
  // have stayed, it was dropped without need. If that one could not, neither could any after it.
  Fleet kept;
  for (const PlacedShip& placed : draft) {
    kept.push_back(placed);
    if (Completes(rules, kept, fleet)) continue;
    if (CanComplete(rules, kept) != Completion::kExists) return "";
    return absl::StrCat("the ship '", placed.ship, "' was moved from ", placed.bow,
                        " although it could stay");
  }
  return "";
}

}  // namespace naval::oracle
