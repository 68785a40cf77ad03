#include "services/ranking/pg_rating_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "lib/base/random.h"
#include "lib/postgres/migrations.h"
#include "lib/rating/elo.h"
#include "naval/ranking/migrations.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::ranking {
namespace {

using ::naval::testing::IsOk;
using rules::Seat;
using ::testing::ElementsAre;

constexpr char kRuleSet[] = "tablu";

std::string AccountId(int n) { return absl::StrFormat("00000000-0000-7000-8000-%012d", n); }
std::string MatchId(int n) { return absl::StrFormat("11111111-1111-7111-8111-%012d", n); }

Player Account(int n) {
  return {
      .account_id = AccountId(n), .bot = std::nullopt, .handle = absl::StrFormat("player%d", n)};
}

MatchResult Rated(int match, int winner, int loser) {
  return {.match_id = MatchId(match),
          .rule_set = kRuleSet,
          .players = {Account(winner), Account(loser)},
          .rated = true,
          .end = {.winner = Seat::kFirst, .reason = rules::EndReason::kFleetDestroyed},
          .end_time = absl::FromUnixSeconds(1'800'000'000)};
}

class PgRatingStoreTest : public ::testing::Test {
 protected:
  static constexpr int kThreads = 8;

  PgRatingStoreTest() : pool_(Options()), store_(pool_) {
    EXPECT_THAT(postgres::Migrate(pool_, kSchema), IsOk());
  }

  postgres::Pool::Options Options() {
    postgres::Pool::Options options = database_.PoolOptions("ranking");
    options.max_connections = kThreads;
    return options;
  }

  void Record(const MatchResult& result) { ASSERT_THAT(store_.RecordResult(result), IsOk()); }

  // Calls `record(0)` to `record(count - 1)` from kThreads threads at once.
  void RunConcurrently(int count, absl::FunctionRef<void(int)> record) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([=] {
        for (int i = t; i < count; i += kThreads) record(i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::vector<Rating> List(const LeaderboardPosition& after = TopOfLeaderboard(), int limit = 1000,
                           const std::string& rule_set = kRuleSet) {
    auto ratings = store_.ListLeaderboard(rule_set, after, limit);
    EXPECT_THAT(ratings, IsOk());
    return ratings.ok() ? *std::move(ratings) : std::vector<Rating>();
  }

  Rating Get(int account) {
    auto rating = store_.GetRating(kRuleSet, AccountId(account));
    EXPECT_THAT(rating, IsOk());
    EXPECT_TRUE(rating.ok() && rating->has_value()) << account;
    return rating.ok() ? rating->value_or(Rating()) : Rating();
  }

  std::int64_t Count(absl::string_view sql) {
    auto count = pool_.Transact([&](postgres::Transaction& tx) -> absl::StatusOr<std::int64_t> {
      const auto rows = tx.Execute(sql);
      if (!rows.ok()) return rows.status();
      return (*rows)[0].Get<std::int64_t>("count");
    });
    EXPECT_THAT(count, IsOk());
    return count.value_or(-1);
  }

  // Puts a rating there without a match.
  void Insert(int account, double rating, absl::Time update_time) {
    ASSERT_THAT(pool_.Transact([&](postgres::Transaction& tx) {
      return tx
          .Execute("INSERT INTO ranking.rating VALUES ($1, $2, $3, $4, 1, 0, $5)",
                   {kRuleSet, AccountId(account), "someone", rating, update_time})
          .status();
    }),
                IsOk());
  }

  // Every rating as the stored results give it, in the order of their numbers; each result must say
  // the ratings before and after that this comes to.
  std::map<std::string, double> Fold() {
    std::map<std::string, double> ratings;
    const auto read = pool_.Transact([&](postgres::Transaction& tx) -> absl::Status {
      const auto rows = tx.Execute(
          "SELECT * FROM ranking.result WHERE rating_change_number IS NOT NULL "
          "ORDER BY rating_change_number");
      if (!rows.ok()) return rows.status();
      for (const postgres::Row& row : *rows) Apply(row, ratings);
      return absl::OkStatus();
    });
    EXPECT_THAT(read, IsOk());
    return ratings;
  }

  void ExpectRatingsEqualFold() {
    const std::map<std::string, double> folded = Fold();
    const std::vector<Rating> ratings = List();
    EXPECT_EQ(ratings.size(), folded.size());
    for (const Rating& rating : ratings) {
      EXPECT_EQ(rating.rating, folded.at(rating.account_id)) << rating.handle;
    }
  }

  testing::TestDatabase database_;
  postgres::Pool pool_;
  PgRatingStore store_;

 private:
  static void Apply(const postgres::Row& row, std::map<std::string, double>& ratings) {
    const std::string players[] = {row.Get<std::string>("first_account_id"),
                                   row.Get<std::string>("second_account_id")};
    for (const std::string& player : players) ratings.try_emplace(player, rating::kStartRating);
    EXPECT_EQ(row.Get<double>("first_rating_before"), ratings.at(players[0]));
    EXPECT_EQ(row.Get<double>("second_rating_before"), ratings.at(players[1]));
    const int winner = row.Get<std::int32_t>("winner");
    const rating::Ratings after = rating::Rate(
        {.winner = ratings.at(players[winner]), .loser = ratings.at(players[1 - winner])});
    ratings[players[winner]] = after.winner;
    ratings[players[1 - winner]] = after.loser;
    EXPECT_EQ(row.Get<double>("first_rating_after"), ratings.at(players[0]));
    EXPECT_EQ(row.Get<double>("second_rating_after"), ratings.at(players[1]));
  }
};

TEST_F(PgRatingStoreTest, KnowsNobodyBeforeTheFirstRatedMatch) {
  EXPECT_TRUE(List().empty());
  const auto rating = store_.GetRating(kRuleSet, AccountId(1));
  ASSERT_THAT(rating, IsOk());
  EXPECT_FALSE(rating->has_value());
}

TEST_F(PgRatingStoreTest, MovesBothRatingsByARatedMatch) {
  Record(Rated(1, 1, 2));
  const Rating winner = Get(1);
  EXPECT_EQ(winner.account_id, AccountId(1));
  EXPECT_EQ(winner.handle, "player1");
  EXPECT_EQ(winner.rating, 1516.0);
  EXPECT_EQ(winner.rank, 1);
  EXPECT_EQ(winner.wins, 1);
  EXPECT_EQ(winner.losses, 0);
  const Rating loser = Get(2);
  EXPECT_EQ(loser.rating, 1484.0);
  EXPECT_EQ(loser.rank, 2);
  EXPECT_EQ(loser.wins, 0);
  EXPECT_EQ(loser.losses, 1);
}

TEST_F(PgRatingStoreTest, LetsTheSecondSeatWin) {
  MatchResult result = Rated(1, 1, 2);
  result.end.winner = Seat::kSecond;
  Record(result);
  EXPECT_EQ(Get(2).wins, 1);
  EXPECT_EQ(Get(1).losses, 1);
  EXPECT_GT(Get(2).rating, Get(1).rating);
}

TEST_F(PgRatingStoreTest, ShowsTheHandleOfTheLastRatedMatch) {
  Record(Rated(1, 1, 2));
  MatchResult later = Rated(2, 1, 2);
  later.players[0].handle = "renamed";
  Record(later);
  EXPECT_EQ(Get(1).handle, "renamed");
}

TEST_F(PgRatingStoreTest, TakesNoSecondEffectFromARepetition) {
  Record(Rated(1, 1, 2));
  const absl::Time update_time = Get(1).update_time;
  Record(Rated(1, 1, 2));
  // Whatever it says.
  Record(Rated(1, 2, 1));
  Record(Rated(1, 3, 4));
  EXPECT_EQ(Get(1).wins, 1);
  EXPECT_EQ(Get(1).update_time, update_time);
  EXPECT_EQ(List().size(), 2u);
  EXPECT_EQ(Count("SELECT count(*) FROM ranking.result"), 1);
}

TEST_F(PgRatingStoreTest, AppliesARaceOfRepetitionsOnce) {
  RunConcurrently(40, [&](int i) { EXPECT_THAT(store_.RecordResult(Rated(i % 2, 1, 2)), IsOk()); });
  EXPECT_EQ(Get(1).wins, 2);
  EXPECT_EQ(Get(2).losses, 2);
  ExpectRatingsEqualFold();
}

TEST_F(PgRatingStoreTest, StoresPracticeVoidAndUnratedMatchesWithoutRatings) {
  MatchResult practice = Rated(1, 1, 2);
  practice.rated = false;
  practice.players[1] = {.account_id = std::nullopt, .bot = "jota", .handle = "jota"};
  Record(practice);
  MatchResult unrated = Rated(2, 1, 2);
  unrated.rated = false;
  Record(unrated);
  MatchResult void_match = Rated(3, 1, 2);
  void_match.end.winner.reset();
  Record(void_match);
  EXPECT_EQ(Count("SELECT count(*) FROM ranking.result"), 3);
  EXPECT_EQ(Count("SELECT count(*) FROM ranking.result WHERE rating_change_number IS NOT NULL"), 0);
  EXPECT_TRUE(List().empty());
}

TEST_F(PgRatingStoreTest, StoresEveryReasonForAnEnd) {
  constexpr int kReasons = static_cast<int>(rules::EndReason::kAborted) + 1;
  for (int reason = 0; reason < kReasons; ++reason) {
    MatchResult result = Rated(reason, 1, 2);
    result.end.reason = static_cast<rules::EndReason>(reason);
    Record(result);
  }
  EXPECT_EQ(Count("SELECT count(DISTINCT end_reason) FROM ranking.result"), kReasons);
}

TEST_F(PgRatingStoreTest, KeepsRuleSetsApart) {
  Record(Rated(1, 1, 2));
  MatchResult other = Rated(2, 2, 1);
  other.rule_set = "clasica";
  Record(other);
  EXPECT_EQ(Get(1).wins, 1);
  EXPECT_EQ(Get(1).losses, 0);
  EXPECT_EQ(List(TopOfLeaderboard(), 10, "clasica").at(0).account_id, AccountId(2));
}

TEST_F(PgRatingStoreTest, LosesNoneOfTwoHundredResultsOfTheSameTwoPlayers) {
  constexpr int kMatches = 200;
  RunConcurrently(kMatches, [&](int i) {
    // Seats and winners vary, so that locks taken in the order of seats would deadlock.
    MatchResult result = i % 2 == 0 ? Rated(i, 1, 2) : Rated(i, 2, 1);
    if (i % 3 == 0) result.end.winner = Seat::kSecond;
    EXPECT_THAT(store_.RecordResult(result), IsOk());
  });
  const Rating one = Get(1);
  const Rating two = Get(2);
  EXPECT_EQ(one.wins + one.losses, kMatches);
  EXPECT_EQ(one.wins, two.losses);
  EXPECT_EQ(one.losses, two.wins);
  EXPECT_NEAR(one.rating + two.rating, 2 * rating::kStartRating, 1e-6);
  ExpectRatingsEqualFold();
}

TEST_F(PgRatingStoreTest, RatesManyPlayersAtOnceAsAFoldOfTheStoredResults) {
  constexpr int kMatches = 300;
  constexpr std::uint64_t kPlayers = 6;
  constexpr std::uint64_t kSeed = 20261129;
  base::SeededRandom random(kSeed);
  std::vector<MatchResult> results;
  for (int i = 0; i < kMatches; ++i) {
    const auto winner = random.Uniform(kPlayers);
    const auto loser = (winner + 1 + random.Uniform(kPlayers - 1)) % kPlayers;
    results.push_back(Rated(i, static_cast<int>(winner), static_cast<int>(loser)));
  }
  RunConcurrently(kMatches, [&](int i) {
    EXPECT_THAT(store_.RecordResult(results[static_cast<std::size_t>(i)]), IsOk());
  });
  std::int64_t wins = 0;
  std::int64_t losses = 0;
  double sum = 0;
  for (const Rating& rating : List()) {
    wins += rating.wins;
    losses += rating.losses;
    sum += rating.rating;
  }
  EXPECT_EQ(wins, kMatches);
  EXPECT_EQ(losses, kMatches);
  EXPECT_NEAR(sum, kPlayers * rating::kStartRating, 1e-6) << "seed " << kSeed;
  ExpectRatingsEqualFold();
}

TEST_F(PgRatingStoreTest, GivesEqualRatingsOneRankAndTheEarlierOneTheFirstPlace) {
  // 3 and 1 win, 4 and 2 lose: 1516, 1516, 1484, 1484.
  Record(Rated(1, 3, 4));
  Record(Rated(2, 1, 2));
  std::vector<std::pair<std::string, std::int64_t>> order;
  for (const Rating& rating : List()) order.emplace_back(rating.handle, rating.rank);
  EXPECT_THAT(order, ElementsAre(std::pair("player3", 1), std::pair("player1", 1),
                                 std::pair("player4", 3), std::pair("player2", 3)));
}

TEST_F(PgRatingStoreTest, GivesTheSameRanksInPagesOfAnySizeAndInGetRating) {
  constexpr int kPlayers = 60;
  constexpr std::uint64_t kSeed = 20261130;
  base::SeededRandom random(kSeed);
  std::vector<double> ratings;
  for (int i = 0; i < kPlayers; ++i) {
    // Few values, so that ties span pages; equal times too, so that the account id decides.
    ratings.push_back(1500.1 + static_cast<double>(random.Uniform(7)) / 3);
    Insert(i, ratings.back(),
           absl::FromUnixMicros(1'800'000'000'000'001 + static_cast<int>(random.Uniform(5))));
  }
  const std::vector<Rating> whole = List();
  ASSERT_EQ(whole.size(), ratings.size());
  for (const Rating& rating : whole) {
    const auto higher =
        std::count_if(ratings.begin(), ratings.end(), [&](double r) { return r > rating.rating; });
    EXPECT_EQ(rating.rank, 1 + higher) << "seed " << kSeed;
  }
  for (const int page_size : {1, 2, 3, 7, 59, 60, 61}) {
    LeaderboardPosition after = TopOfLeaderboard();
    std::size_t seen = 0;
    for (auto page = List(after, page_size); !page.empty(); page = List(after, page_size)) {
      for (const Rating& rating : page) {
        ASSERT_LT(seen, whole.size());
        EXPECT_EQ(rating.account_id, whole[seen].account_id) << "page size " << page_size;
        EXPECT_EQ(rating.rank, whole[seen].rank) << "page size " << page_size;
        ++seen;
      }
      after = {.rating = page.back().rating,
               .update_time = page.back().update_time,
               .account_id = page.back().account_id};
    }
    EXPECT_EQ(seen, whole.size()) << "page size " << page_size;
  }
  for (int i = 0; i < kPlayers; ++i) {
    const auto listed = std::find_if(whole.begin(), whole.end(), [&](const Rating& rating) {
      return rating.account_id == AccountId(i);
    });
    EXPECT_EQ(Get(i).rank, listed->rank);
  }
}

TEST_F(PgRatingStoreTest, GoesOnAfterAPositionThatNobodyHoldsAnyMore) {
  Insert(1, 1600, absl::FromUnixSeconds(10));
  Insert(2, 1550, absl::FromUnixSeconds(10));
  Insert(3, 1500, absl::FromUnixSeconds(10));
  const auto page = List(
      {.rating = 1575, .update_time = absl::FromUnixSeconds(5), .account_id = AccountId(9)}, 1);
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0].account_id, AccountId(2));
  EXPECT_EQ(page[0].rank, 2);
}

TEST_F(PgRatingStoreTest, SaysWhenTheDatabaseIsAwayAndRecordsAfterwards) {
  database_.RefuseConnections();
  EXPECT_EQ(store_.RecordResult(Rated(1, 1, 2)).status().code(), absl::StatusCode::kUnavailable);
  database_.AllowConnections();
  Record(Rated(1, 1, 2));
  EXPECT_EQ(Get(1).wins, 1);
}

}  // namespace
}  // namespace naval::ranking
