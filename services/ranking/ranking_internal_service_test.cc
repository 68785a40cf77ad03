#include "services/ranking/ranking_internal_service.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "lib/rating/elo.h"
#include "services/ranking/test_ranking.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::ranking {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;

class RankingInternalServiceTest : public ::testing::Test {
 protected:
  RankingInternalServiceTest() : ranking_(database_.PoolOptions("ranking")) {}

  v1::Rating Get(int account) {
    v1::GetRatingRequest request;
    request.set_rule_set("tablu");
    request.set_account_id(AccountId(account));
    const auto rating = ranking_.GetRating(request);
    EXPECT_THAT(rating, IsOk());
    return rating.value_or(v1::Rating());
  }

  // How many players the leaderboard has.
  int Players() {
    v1::ListLeaderboardRequest request;
    request.set_rule_set("tablu");
    const auto page = ranking_.ListLeaderboard(request);
    EXPECT_THAT(page, IsOk());
    return page.ok() ? page->ratings_size() : -1;
  }

  void ExpectRefused(const v1::RecordResultRequest& request, const std::string& reason,
                     const std::string& field) {
    const absl::Status status = ranking_.RecordResult(request);
    ASSERT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasReason(reason));
    ASSERT_FALSE(base::FieldViolationsOf(status).empty());
    EXPECT_EQ(base::FieldViolationsOf(status)[0].field, field);
  }

  testing::TestDatabase database_;
  TestRanking ranking_;
};

TEST_F(RankingInternalServiceTest, TakesResultsFromOtherServicesOnly) {
  EXPECT_THAT(ranking_.RecordResult(WonBy(1, 1, 2), base::Secret(std::string(40, 'x'))),
              HasReason("SERVICE_TOKEN_INVALID"));
  EXPECT_THAT(ranking_.RecordResult(WonBy(1, 1, 2), base::Secret(ranking_.access_token())),
              StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_EQ(Players(), 0);
}

TEST_F(RankingInternalServiceTest, RatesAMatchOnceHoweverOftenItHearsOfIt) {
  for (int i = 0; i < 3; ++i) EXPECT_THAT(ranking_.RecordResult(WonBy(1, 1, 2)), IsOk());
  EXPECT_EQ(Get(1).wins(), 1);
  EXPECT_EQ(Get(2).losses(), 1);
}

TEST_F(RankingInternalServiceTest, TakesPracticeAndRefusesToRateIt) {
  v1::RecordResultRequest practice = WonBy(1, 1, 2);
  practice.mutable_players(1)->clear_account_id();
  practice.mutable_players(1)->set_bot("jota");
  ExpectRefused(practice, "RATED_NOT_ALLOWED", "rated");
  practice.set_rated(false);
  EXPECT_THAT(ranking_.RecordResult(practice), IsOk());
  EXPECT_EQ(Players(), 0);
}

TEST_F(RankingInternalServiceTest, TakesVoidAndUnratedMatchesWithoutRatingThem) {
  v1::RecordResultRequest void_match = WonBy(1, 1, 2);
  void_match.mutable_result()->clear_winner();
  EXPECT_THAT(ranking_.RecordResult(void_match), IsOk());
  v1::RecordResultRequest unrated = WonBy(2, 1, 2);
  unrated.set_rated(false);
  EXPECT_THAT(ranking_.RecordResult(unrated), IsOk());
  EXPECT_EQ(Players(), 0);
}

TEST_F(RankingInternalServiceTest, NamesTheFieldOfABadResult) {
  v1::RecordResultRequest request = WonBy(1, 1, 2);
  request.set_match_id("1");
  ExpectRefused(request, "INVALID_MATCH_ID", "match_id");

  request = WonBy(1, 1, 2);
  request.set_rule_set("ajedrez");
  ExpectRefused(request, "UNKNOWN_RULE_SET", "rule_set");

  request = WonBy(1, 1, 2);
  request.clear_result();
  ExpectRefused(request, "INVALID_END_REASON", "result.reason");

  request = WonBy(1, 1, 2);
  request.mutable_result()->set_winner(static_cast<match::v1::Seat>(3));
  ExpectRefused(request, "INVALID_SEAT", "result.winner");

  request = WonBy(1, 1, 2);
  request.clear_end_time();
  ExpectRefused(request, "INVALID_TIME", "end_time");

  request = WonBy(1, 1, 2);
  request.mutable_end_time()->set_nanos(-1);
  ExpectRefused(request, "INVALID_TIME", "end_time");
}

TEST_F(RankingInternalServiceTest, NamesTheFieldOfABadPlayer) {
  v1::RecordResultRequest request = WonBy(1, 1, 2);
  request.mutable_players()->RemoveLast();
  ExpectRefused(request, "INVALID_PLAYER", "players");

  ExpectRefused(WonBy(1, 1, 1), "INVALID_PLAYER", "players");

  request = WonBy(1, 1, 2);
  request.mutable_players(1)->set_account_id("");
  ExpectRefused(request, "INVALID_ACCOUNT_ID", "players[1].account_id");

  request = WonBy(1, 1, 2);
  request.mutable_players(0)->set_handle("");
  ExpectRefused(request, "INVALID_PLAYER", "players[0].handle");

  request = WonBy(1, 1, 2);
  request.mutable_players(0)->set_bot("jota");
  ExpectRefused(request, "INVALID_PLAYER", "players[0].bot");

  request = WonBy(1, 1, 2);
  request.mutable_players(1)->set_bot("jota");
  ExpectRefused(request, "INVALID_PLAYER", "players[1].account_id");

  request = WonBy(1, 1, 2);
  request.mutable_players(1)->set_handle(std::string(65, 'x'));
  ExpectRefused(request, "INVALID_PLAYER", "players[1].handle");
}

TEST_F(RankingInternalServiceTest, LosesNoneOfTwoHundredResultsSentAtOnce) {
  constexpr int kMatches = 200;
  constexpr int kSenders = 20;
  std::vector<std::thread> senders;
  for (int sender = 0; sender < kSenders; ++sender) {
    senders.emplace_back([&, sender] {
      for (int i = sender; i < kMatches; i += kSenders) {
        EXPECT_THAT(ranking_.RecordResult(i % 3 == 0 ? WonBy(i, 2, 1) : WonBy(i, 1, 2)), IsOk());
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
  const v1::Rating one = Get(1);
  const v1::Rating two = Get(2);
  EXPECT_EQ(one.wins(), 133);
  EXPECT_EQ(one.losses(), 67);
  EXPECT_EQ(two.wins(), 67);
  EXPECT_EQ(two.losses(), 133);
  EXPECT_NEAR(one.rating() + two.rating(), 2 * rating::kStartRating, 1e-6);
}

}  // namespace
}  // namespace naval::ranking
