#pragma once

#include <string>
#include <vector>

#include "lib/base/random.h"
#include "naval/match/v1/match.pb.h"

namespace naval::client {

// What to fire at, one square or those of a volley, found from what the shooter may see and nothing
// else: beside a ship that was hit and is not known to have sunk, along its line once two hits show
// it; else on the dark squares of the chessboard, where every ship of two squares must lie; else
// anywhere open. Requires a match in which MayFire. Pure.
std::vector<std::string> ChooseShots(const match::v1::Match& match, base::Random& random);

}  // namespace naval::client
