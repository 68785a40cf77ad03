#pragma once

#include <vector>

#include "services/match/match_store.h"
#include "services/match/recorded_match.h"

namespace naval::match {

// What other services have to learn when `entry` becomes part of `match`: the lobby of every change
// of phase, the ranking of the result. Pure.
std::vector<OutboxMessage> Announce(const RecordedMatch& match, const RecordedMatch::Entry& entry);

}  // namespace naval::match
