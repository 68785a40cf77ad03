#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/rules/event.h"

namespace naval::ranking {

// Who sat at a seat: an account or a bot, exactly one of them.
struct Player {
  std::optional<std::string> account_id;
  std::optional<std::string> bot;
  std::string handle;
};

// In the order of the seats. The first is an account; the second another one, or a bot.
using Players = std::array<Player, 2>;

// How a match ended, as the match service tells it.
struct MatchResult {
  std::string match_id;
  std::string rule_set;
  Players players;
  // Never with a bot.
  bool rated = false;
  rules::MatchEnded end;
  absl::Time end_time;
};

// One player's rating in one rule set.
struct Rating {
  std::string account_id;
  std::string handle;
  // In points, unrounded.
  double rating = 0;
  // 1 + the number of players with a higher rating.
  std::int64_t rank = 0;
  std::int64_t wins = 0;
  std::int64_t losses = 0;
  // When the rating changed last.
  absl::Time update_time;
};

// A place in the leaderboard's order: by rating, highest first, then by update time, then by
// account id.
struct LeaderboardPosition {
  double rating = 0;
  absl::Time update_time;
  std::string account_id;

  friend bool operator==(const LeaderboardPosition&, const LeaderboardPosition&) = default;
};

// Before everybody.
inline LeaderboardPosition TopOfLeaderboard() {
  return {.rating = std::numeric_limits<double>::infinity(),
          .update_time = absl::InfinitePast(),
          .account_id = "00000000-0000-0000-0000-000000000000"};
}

// What became of a result.
enum class ResultUse {
  // Stored, and both ratings changed.
  kRated,
  // Stored only.
  kUnrated,
  // Known already.
  kRepeated,
};

// Keeps results and ratings. Every call is one transaction and sees one moment: ranks in one answer
// fit together. Besides the errors named here each may give those of postgres::Pool::Transact.
// Calls block. Thread safe.
class RatingStore {
 public:
  virtual ~RatingStore() = default;

  // Stores the result and, if it is rated and was won, applies it to both ratings. Once for a match
  // id: a repetition changes nothing, whatever it says. Results apply in the order in which they
  // arrive, not in that of their end times. After an error, COMMIT_IN_DOUBT too, call it again.
  virtual absl::StatusOr<ResultUse> RecordResult(const MatchResult& result) = 0;

  // The next `limit` ratings of the rule set after a position, in the leaderboard's order, with
  // their ranks.
  virtual absl::StatusOr<std::vector<Rating>> ListLeaderboard(const std::string& rule_set,
                                                              const LeaderboardPosition& after,
                                                              int limit) = 0;

  // Nothing when the player has no rated match in this rule set.
  virtual absl::StatusOr<std::optional<Rating>> GetRating(const std::string& rule_set,
                                                          const std::string& account_id) = 0;
};

}  // namespace naval::ranking
