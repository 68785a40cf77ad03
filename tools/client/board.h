#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "naval/match/v1/match.pb.h"

namespace naval::client {

// Seas as text in plain ASCII, for tools that show a match. Pure.

// The sea of `seat` as the viewer of `match` knows it, a line for each row under a line with the
// letters: S a ship, x a hit, # a ship that sank, o water, . closed as certain water, ? called in a
// volley, also in the viewer's own that waits for the rival's. The sign at `marked`, the name of a
// square or empty, stands in brackets.
std::vector<std::string> DrawSea(const match::v1::Match& match, match::v1::Seat seat,
                                 absl::string_view marked = "");

// What the signs mean that there are in matches by these rules, in one line.
std::string LegendOf(const game::v1::RuleSet& rules);

// Two drawings side by side, the right one from `column` on; no line ends with blanks.
std::vector<std::string> SideBySide(const std::vector<std::string>& left,
                                    const std::vector<std::string>& right, int column);

// The squares that a ship of `length` covers, from bow to stern, as far as they are on the largest
// board; none when its bow is no square.
std::vector<std::string> SquaresOf(const match::v1::ShipPlacement& ship, int length);

// The length of a ship of the match's fleet; 0 when there is no such ship.
int LengthOf(const match::v1::Match& match, absl::string_view ship_id);

// What players call the ship: its class; its id where the rules name none.
std::string ShipName(const game::v1::RuleSet& rules, absl::string_view ship_id);

// A shot in short: "C7" water, "C7x" a hit, "C7#" the last square of a ship.
std::string ShotText(const match::v1::ShotMark& shot);

}  // namespace naval::client
