#pragma once

#include "absl/status/status.h"
#include "google/protobuf/message.h"
#include "naval/game/v1/game.pb.h"
#include "naval/lobby/v1/lobby_service.pb.h"
#include "naval/match/v1/match.pb.h"
#include "naval/match/v1/match_service.pb.h"

namespace naval::client {

// What code that draws and walks a match relies on, whoever sent it: a board of 1 to 10 columns,
// ships that fit on it, two sides. DATA_LOSS, reason MALFORMED_ANSWER, names what is otherwise.
absl::Status CheckRuleSet(const game::v1::RuleSet& rule_set);
absl::Status CheckMatch(const match::v1::Match& match);

// The same for the answers that hold one; all others pass.
absl::Status CheckAnswer(const match::v1::GetMatchResponse& response);
absl::Status CheckAnswer(const lobby::v1::ListRuleSetsResponse& response);
inline absl::Status CheckAnswer(const google::protobuf::Message&) { return absl::OkStatus(); }

}  // namespace naval::client
