#pragma once

#include "services/match/match_store.h"
#include "services/match/recorded_match.h"

namespace naval::match {

// What is written when `entry`, decided on `match` but not yet applied, becomes part of it: the
// row, what it makes of the match, and what others have to learn: the lobby of every change of
// phase, the ranking of the result. Pure.
Append ToAppend(const RecordedMatch& match, const RecordedMatch::Entry& entry);

}  // namespace naval::match
