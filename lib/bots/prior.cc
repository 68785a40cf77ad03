#include "lib/bots/prior.h"

#include <cmath>
#include <cstddef>

#include "lib/rules/placement.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

constexpr int kBits = 8;

// What exp(strength * squares on the region) is on average over fleets, as if each ship stood
// anywhere for itself. That ships keep apart changes it by a factor that the shares, which are
// measured, make up for.
double MeanFactor(const rules::RuleSet& rules,
                  const std::vector<std::vector<rules::ShipPlace>>& places, const Habit& habit) {
  std::vector<double> factors;
  for (std::size_t on = 0; on < places.size(); ++on) {
    factors.push_back(std::exp(habit.strength * static_cast<double>(on)));
  }
  double mean = 1;
  std::vector<double> means(places.size());
  for (const rules::Ship& ship : rules.ships) {
    const auto length = static_cast<std::size_t>(ship.length);
    if (means[length] == 0) {
      for (const rules::ShipPlace& place : places[length]) {
        means[length] += factors[static_cast<std::size_t>((place.squares & habit.region).size())];
      }
      means[length] /= static_cast<double>(places[length].size());
    }
    mean *= means[length];
  }
  return mean;
}

// The places of the ships of each length.
std::vector<std::vector<rules::ShipPlace>> PlacesByLength(const rules::RuleSet& rules) {
  std::vector<std::vector<rules::ShipPlace>> places;
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    const auto length = static_cast<std::size_t>(rules.ships[ship].length);
    if (places.size() <= length) places.resize(length + 1);
    if (places[length].empty()) places[length] = rules::ShipPlaces(rules, static_cast<int>(ship));
  }
  return places;
}

int ShipSquares(const rules::RuleSet& rules) {
  int squares = 0;
  for (const rules::Ship& ship : rules.ships) squares += ship.length;
  return squares;
}

}  // namespace

SquareSet Border(int board_size) {
  SquareSet border;
  for (int i = 0; i < board_size; ++i) {
    border |= {Square(0, i), Square(board_size - 1, i), Square(i, 0), Square(i, board_size - 1)};
  }
  return border;
}

Prior PeoplePrior(const rules::RuleSet& rules) {
  const int size = rules.board_size;
  SquareSet left;
  SquareSet top;
  for (const Square square : SquareSet::Board(size)) {
    if (square.column() < size / 2) left.Add(square);
    if (square.row() < size / 2) top.Add(square);
  }
  const SquareSet board = SquareSet::Board(size);
  // Measured: what finds border fleets soon without costing much on others. Ships that may touch
  // are on the border less by chance.
  const double along_border = rules.ships_may_touch ? 0.6 : 0.5;
  return {{Border(size), along_border, 0.1},
          {left, 0.5, 0.01},
          {board - left, 0.5, 0.01},
          {top, 0.5, 0.01},
          {board - top, 0.5, 0.01}};
}

FleetWeights::FleetWeights(const rules::RuleSet& rules, const Prior& prior) : prior_(prior) {
  const int squares = ShipSquares(rules);
  const std::vector<std::vector<rules::ShipPlace>> places = PlacesByLength(rules);
  for (const Habit& habit : prior_) {
    at_random_ -= habit.share;
    const double scale = habit.share / MeanFactor(rules, places, habit);
    std::vector<double>& added = added_.emplace_back();
    for (int on = 0; on <= squares; ++on) {
      added.push_back(scale * std::exp(habit.strength * on));
    }
  }
}

FleetWeights::Counts FleetWeights::CountsOf(SquareSet ship) const {
  Counts counts = 0;
  for (std::size_t habit = 0; habit < prior_.size(); ++habit) {
    const auto on = static_cast<Counts>((ship & prior_[habit].region).size());
    counts |= on << (kBits * habit);
  }
  return counts;
}

double FleetWeights::Weight(Counts fleet) const {
  double weight = at_random_;
  for (const std::vector<double>& added : added_) {
    weight += added[fleet & 255U];
    fleet >>= kBits;
  }
  return weight;
}

}  // namespace naval::bots
