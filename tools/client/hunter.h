#pragma once

#include <string>

#include "lib/base/random.h"
#include "naval/match/v1/match.pb.h"

namespace naval::client {

// A square to fire at, found from what the shooter may see and nothing else: beside a ship that was
// hit and is afloat, along its line once two hits show it; else on the dark squares of the
// chessboard, where every ship of two squares must lie; else anywhere open. `match` must be in
// PHASE_BATTLE and seen from a seat. Pure.
std::string ChooseShot(const match::v1::Match& match, base::Random& random);

}  // namespace naval::client
