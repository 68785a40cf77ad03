#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"

namespace naval::bots {

// A habit of people who lay a fleet by hand: each ship square on `region` makes a fleet
// exp(strength) times as likely.
struct Habit {
  rules::SquareSet region;
  double strength = 0;
  // The share of players who have it.
  double share = 0;
};

// The squares at the edge of a board.
rules::SquareSet Border(int board_size);

// How fleets are laid, before anything is known: by habit, each with its share of the players, the
// rest uniformly at random. Empty: everybody at random.
using Prior = std::vector<Habit>;

// At most so many habits in a prior: what a fleet has on each region is counted in a byte of one
// word.
inline constexpr int kMaxHabits = 8;

// What Rey expects of people: most as "Al azar" lays, some along the border, some in one half of
// the board.
Prior PeoplePrior(const rules::RuleSet& rules);

// How likely a fleet is under a prior, in proportion.
class FleetWeights {
 public:
  // What a ship, or a fleet, has on the region of each habit. Those of a fleet are the sum of its
  // ships'.
  using Counts = std::uint64_t;

  // Requires at most kMaxHabits habits, shares that sum to less than 1, and at most 255 squares of
  // ship.
  FleetWeights(const rules::RuleSet& rules, const Prior& prior);

  Counts CountsOf(rules::SquareSet ship) const;
  // Uniform fleets would all have 1.
  double Weight(Counts fleet) const;

 private:
  Prior prior_;
  double at_random_ = 1;
  // For each habit, the weight that it adds by the number of squares on its region.
  std::vector<std::vector<double>> added_;
};

}  // namespace naval::bots
