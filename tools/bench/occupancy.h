#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"

namespace naval::bench {

// Turned and mirrored, a board of ten has fifteen kinds of squares: by the distances to the nearest
// borders (0, 0), (0, 1) ... (0, 4), (1, 1) ... (4, 4). The first five are the border.
inline constexpr std::size_t kSquareKinds = 15;
inline constexpr std::size_t kBorderKinds = 5;
std::size_t KindOf(rules::Square square);

// All legal fleets, ships of one length being alike.
struct Occupancy {
  std::uint64_t fleets = 0;
  // The squares of ships that all fleets together have on squares of each kind.
  std::array<std::uint64_t, kSquareKinds> squares = {};

  // How likely a uniform fleet has a ship on the square.
  double Probability(rules::Square square) const;
  // Border squares a fleet.
  double MeanBorder() const;
};

// Exact, by laying ships square by square and adding up what leads to the same state: no chance and
// no floating point. Takes 300 MB and a minute or two for the ten ships of Clásica. Requires a
// board of ten and fewer than 2^59 fleets.
Occupancy CountAllFleets(const rules::RuleSet& rules);

}  // namespace naval::bench
