#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/postgres/pool.h"
#include "services/ranking/rating_store.h"

namespace naval::ranking {

// Results and ratings in the Postgres schema "ranking".
class PgRatingStore final : public RatingStore {
 public:
  // `pool` must outlive the store.
  explicit PgRatingStore(postgres::Pool& pool) : pool_(pool) {}

  absl::StatusOr<ResultUse> RecordResult(const MatchResult& result) override;
  absl::StatusOr<std::vector<Rating>> ListLeaderboard(const std::string& rule_set,
                                                      const LeaderboardPosition& after,
                                                      int limit) override;
  absl::StatusOr<std::optional<Rating>> GetRating(const std::string& rule_set,
                                                  const std::string& account_id) override;

 private:
  postgres::Pool& pool_;
};

}  // namespace naval::ranking
