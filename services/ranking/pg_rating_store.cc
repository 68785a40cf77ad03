#include "services/ranking/pg_rating_store.h"

#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/string_view.h"
#include "lib/base/check.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/transaction.h"
#include "lib/rating/elo.h"
#include "lib/rules/seat.h"

namespace naval::ranking {
namespace {

using postgres::Row;
using postgres::Rows;
using postgres::Transaction;

// Ratings in the order of the seats.
using SeatRatings = std::array<double, 2>;

absl::string_view EndReasonName(rules::EndReason reason) {
  switch (reason) {
    case rules::EndReason::kFleetDestroyed:
      return "fleet_destroyed";
    case rules::EndReason::kResigned:
      return "resigned";
    case rules::EndReason::kTimedOut:
      return "timed_out";
    case rules::EndReason::kIllegalFleet:
      return "illegal_fleet";
    case rules::EndReason::kTurnSkipped:
      return "turn_skipped";
    case rules::EndReason::kAbsenceClaimed:
      return "absence_claimed";
    case rules::EndReason::kIdle:
      return "idle";
    case rules::EndReason::kBothAbsent:
      return "both_absent";
    case rules::EndReason::kAborted:
      return "aborted";
  }
  NAVAL_CHECK(false);
}

std::optional<int> WinnerIndex(const MatchResult& result) {
  if (!result.end.winner.has_value()) return std::nullopt;
  return rules::SeatIndex(*result.end.winner);
}

// Whether it was new. A call with the same match id that is still in progress is waited for.
absl::StatusOr<bool> InsertResult(Transaction& tx, const MatchResult& result) {
  const auto& [first, second] = result.players;
  NAVAL_ASSIGN_OR_RETURN(
      const Rows inserted,
      tx.Execute("INSERT INTO ranking.result (match_id, rule_set, first_account_id, first_handle, "
                 "second_account_id, second_handle, second_bot, rated, winner, end_reason, "
                 "end_time) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) "
                 "ON CONFLICT (match_id) DO NOTHING",
                 {result.match_id, result.rule_set, first.account_id, first.handle,
                  second.account_id, second.handle, second.bot, result.rated, WinnerIndex(result),
                  EndReasonName(result.end.reason), result.end_time}));
  return inserted.affected() == 1;
}

// The player's rating, locked until the end of the transaction; made when this is the first one.
absl::StatusOr<double> LockRating(Transaction& tx, const std::string& rule_set,
                                  const Player& player) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows rows,
      tx.Execute("INSERT INTO ranking.rating "
                 "(rule_set, account_id, handle, rating, wins, losses, update_time) "
                 "VALUES ($1, $2, $3, $4, 0, 0, clock_timestamp()) "
                 "ON CONFLICT (rule_set, account_id) DO UPDATE SET handle = excluded.handle "
                 "RETURNING rating",
                 {rule_set, player.account_id, player.handle, rating::kStartRating}));
  return rows[0].Get<double>("rating");
}

// Always the smaller account id first: two results of the same players cannot wait for each other.
absl::StatusOr<SeatRatings> LockRatings(Transaction& tx, const MatchResult& result) {
  const bool first_is_smaller = result.players[0].account_id < result.players[1].account_id;
  SeatRatings ratings{};
  for (const std::size_t seat : {first_is_smaller ? 0u : 1u, first_is_smaller ? 1u : 0u}) {
    NAVAL_ASSIGN_OR_RETURN(ratings[seat], LockRating(tx, result.rule_set, result.players[seat]));
  }
  return ratings;
}

SeatRatings RatingsAfter(const SeatRatings& before, std::size_t winner) {
  const std::size_t loser = 1 - winner;
  const rating::Ratings after = rating::Rate({.winner = before[winner], .loser = before[loser]});
  SeatRatings ratings{};
  ratings[winner] = after.winner;
  ratings[loser] = after.loser;
  return ratings;
}

absl::Status UpdateRating(Transaction& tx, const std::string& rule_set, const Player& player,
                          double rating, bool won) {
  // A rating that stays the same was reached when it was.
  return tx
      .Execute(
          "UPDATE ranking.rating SET rating = $3, wins = wins + $4, losses = losses + $5, "
          "update_time = CASE WHEN rating = $3 THEN update_time ELSE clock_timestamp() END "
          "WHERE rule_set = $1 AND account_id = $2",
          {rule_set, player.account_id, rating, won ? 1 : 0, won ? 0 : 1})
      .status();
}

absl::Status StoreChange(Transaction& tx, const std::string& match_id, const SeatRatings& before,
                         const SeatRatings& after) {
  return tx
      .Execute(
          "UPDATE ranking.result SET "
          "rating_change_number = nextval('ranking.rating_change_number'), "
          "first_rating_before = $2, first_rating_after = $3, second_rating_before = $4, "
          "second_rating_after = $5 WHERE match_id = $1",
          {match_id, before[0], after[0], before[1], after[1]})
      .status();
}

absl::Status ApplyResult(Transaction& tx, const MatchResult& result) {
  NAVAL_ASSIGN_OR_RETURN(const SeatRatings before, LockRatings(tx, result));
  const auto winner = static_cast<std::size_t>(*WinnerIndex(result));
  const SeatRatings after = RatingsAfter(before, winner);
  for (const std::size_t seat : {0u, 1u}) {
    NAVAL_RETURN_IF_ERROR(UpdateRating(tx, result.rule_set, result.players[seat], after[seat],
                                       /*won=*/seat == winner));
  }
  return StoreChange(tx, result.match_id, before, after);
}

Rating ReadRating(const Row& row) {
  return {.account_id = row.Get<std::string>("account_id"),
          .handle = row.Get<std::string>("handle"),
          .rating = row.Get<double>("rating"),
          .rank = row.Get<int64_t>("rank"),
          .wins = row.Get<int64_t>("wins"),
          .losses = row.Get<int64_t>("losses"),
          .update_time = row.Get<absl::Time>("update_time")};
}

// The page, and the rank of each. Of the page only players with the position's own rating can share
// it with somebody before the page; everybody else comes after all of those, and after whom the
// page itself puts above. Both conditions on the position begin with the rating alone, which the
// index can use.
constexpr char kListLeaderboard[] = R"sql(
  WITH page AS (
    SELECT account_id, handle, rating, wins, losses, update_time
    FROM ranking.rating
    WHERE rule_set = $1
      AND rating <= $2 AND (rating < $2 OR (update_time, account_id) > ($3, $4::uuid))
    ORDER BY rating DESC, update_time, account_id
    LIMIT $5
  ), earlier AS (
    SELECT count(*) AS players, count(*) FILTER (WHERE rating > $2) AS higher
    FROM ranking.rating
    WHERE rule_set = $1
      AND rating >= $2 AND (rating > $2 OR (update_time, account_id) <= ($3, $4::uuid))
  )
  SELECT page.*,
    CASE WHEN rating = $2 THEN earlier.higher + 1
         ELSE earlier.players + rank() OVER (ORDER BY rating DESC) END AS rank
  FROM page, earlier
  ORDER BY rating DESC, update_time, account_id
)sql";

constexpr char kGetRating[] = R"sql(
  SELECT account_id, handle, rating, wins, losses, update_time,
    1 + (SELECT count(*) FROM ranking.rating higher
         WHERE higher.rule_set = $1 AND higher.rating > player.rating) AS rank
  FROM ranking.rating player
  WHERE rule_set = $1 AND account_id = $2
)sql";

}  // namespace

absl::StatusOr<ResultUse> PgRatingStore::RecordResult(const MatchResult& result) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<ResultUse> {
    NAVAL_ASSIGN_OR_RETURN(const bool inserted, InsertResult(tx, result));
    if (!inserted) return ResultUse::kRepeated;
    if (!result.rated || !result.end.winner.has_value()) return ResultUse::kUnrated;
    NAVAL_RETURN_IF_ERROR(ApplyResult(tx, result));
    return ResultUse::kRated;
  });
}

absl::StatusOr<std::vector<Rating>> PgRatingStore::ListLeaderboard(const std::string& rule_set,
                                                                   const LeaderboardPosition& after,
                                                                   int limit) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<Rating>> {
    NAVAL_ASSIGN_OR_RETURN(const Rows rows,
                           tx.Execute(kListLeaderboard, {rule_set, after.rating, after.update_time,
                                                         after.account_id, limit}));
    std::vector<Rating> ratings;
    ratings.reserve(rows.size());
    for (const Row& row : rows) ratings.push_back(ReadRating(row));
    return ratings;
  });
}

absl::StatusOr<std::optional<Rating>> PgRatingStore::GetRating(const std::string& rule_set,
                                                               const std::string& account_id) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::optional<Rating>> {
    NAVAL_ASSIGN_OR_RETURN(const Rows rows, tx.Execute(kGetRating, {rule_set, account_id}));
    if (rows.empty()) return std::nullopt;
    return ReadRating(rows[0]);
  });
}

}  // namespace naval::ranking
