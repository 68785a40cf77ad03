#pragma once

#include "lib/rules/view.h"
#include "naval/match/v1/match.pb.h"

namespace naval::wire {

// PHASE_UNSPECIFIED before the match has begun.
match::v1::Phase ToProto(rules::Phase phase);

// What the engine knows of a match: rule_set, viewer_seat, phase, sides (without their players),
// turn, deadline and result. What it does not know stays unset for the caller: match_id, rules,
// rated, players, seq and server_time. Pure; any thread.
match::v1::Match ToProto(const rules::GameView& view);

}  // namespace naval::wire
