#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "naval/match/v1/match.pb.h"

namespace naval::demo {

// The sea of `seat` as the viewer of `match` knows it, a line for each row under a line with the
// letters: S a ship, x a hit, # a ship that sank, o water, . closed as certain water.
std::vector<std::string> DrawSea(const match::v1::Match& match, match::v1::Seat seat);

// What the signs mean, in one line.
extern const char kLegend[];

// A shot in short: "C7" water, "C7x" a hit, "C7#" the last square of a ship.
std::string ShotText(const match::v1::ShotMark& shot);

}  // namespace naval::demo
