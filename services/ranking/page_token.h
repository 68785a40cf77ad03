#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "services/ranking/rating_store.h"

namespace naval::ranking {

// The page token of a leaderboard: base64url of the rule set and the position of the last player of
// the page before. It holds nothing secret and gives no right: a made-up one begins at the place
// that it names.

std::string MakePageToken(const std::string& rule_set, const LeaderboardPosition& last);

// The position to go on after; TopOfLeaderboard() for an empty token. INVALID_ARGUMENT, reason
// PAGE_TOKEN_INVALID, for a token of another rule set or none at all.
absl::StatusOr<LeaderboardPosition> ReadPageToken(const std::string& rule_set,
                                                  const std::string& token);

}  // namespace naval::ranking
