#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "lib/rules/game_state.h"
#include "lib/rules/rule_set.h"
#include "naval/match/log/v1/snapshot.pb.h"

namespace naval::wire {

// A game's state in its stored form, hidden parts included: never send one to a client. Messages
// may lie in an arena, which saves time where there are many. What an earlier version wrote stays
// readable (testdata/state_v1.txt). Pure; any thread.

// Requires a phase in which a match lasts, and ships and times as a game has them.
void ToLog(const rules::GameState& state, match::log::v1::GameState& proto);

// DATA_LOSS, naming the part at fault, for what no version wrote, or a later one than this. Whether
// a game can stand like this is asked of rules::Game::FromState.
absl::StatusOr<rules::GameState> FromLog(const rules::RuleSet& rule_set,
                                         const match::log::v1::GameState& proto);

// The bytes of the stored form that a state may have that differs from this one in nothing but what
// is hidden while the match lasts: fleets, drafts and how many ships are in them, volleys. States
// padded to this size do not tell by it what they hide.
std::size_t LongestGameState(const rules::RuleSet& rule_set, const rules::GameState& state);

}  // namespace naval::wire
