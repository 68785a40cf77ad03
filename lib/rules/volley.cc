#include "lib/rules/volley.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace naval::rules {
namespace {

int ShotsAfloat(const RuleSet& rules, const Sea* own) {
  int shots = 0;
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    if (own == nullptr || own->IsAfloat(static_cast<int>(ship))) shots += rules.ships[ship].shots;
  }
  return shots;
}

}  // namespace

int VolleySize(const RuleSet& rules, const Sea* own, const Sea* target) {
  const SquareSet open = target == nullptr ? SquareSet::Board(rules.board_size) : target->open();
  const int shots =
      rules.shots_per_turn.has_value() ? *rules.shots_per_turn : ShotsAfloat(rules, own);
  return std::min(shots, open.size());
}

VolleyAnswered AnswerVolley(const RuleSet& rules, Sea& target, Seat seat, int round,
                            SquareSet squares) {
  const std::vector<absl::string_view> classes = ShipClasses(rules);
  VolleyAnswered answer{seat, round, squares, std::vector<int>(classes.size()), {}};
  for (const Square square : squares) {
    if (const std::optional<int> ship = target.ShipAt(square)) {
      const auto hit = std::find(classes.begin(), classes.end(),
                                 ClassOf(rules.ships[static_cast<std::size_t>(*ship)]));
      ++answer.hits[static_cast<std::size_t>(hit - classes.begin())];
    }
    const Impact impact = target.Probe(square);
    if (impact.sunk_ship.has_value()) answer.sunk_ships.push_back(impact.sunk_ship->ship);
    target.Record(square, impact);
  }
  std::sort(answer.sunk_ships.begin(), answer.sunk_ships.end());
  return answer;
}

}  // namespace naval::rules
