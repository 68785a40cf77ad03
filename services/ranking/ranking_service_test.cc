#include "services/ranking/ranking_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/error.h"
#include "services/ranking/test_ranking.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::ranking {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;

class RankingServiceTest : public ::testing::Test {
 protected:
  RankingServiceTest() : ranking_(database_.PoolOptions("ranking")) {}

  static v1::ListLeaderboardRequest Page(int page_size = 0, const std::string& page_token = "") {
    v1::ListLeaderboardRequest request;
    request.set_rule_set("tablu");
    request.set_page_size(page_size);
    request.set_page_token(page_token);
    return request;
  }

  static v1::GetRatingRequest RatingOf(int account) {
    v1::GetRatingRequest request;
    request.set_rule_set("tablu");
    request.set_account_id(AccountId(account));
    return request;
  }

  testing::TestDatabase database_;
  TestRanking ranking_;
};

TEST_F(RankingServiceTest, AnswersOnlyCallersWithAnAccessToken) {
  EXPECT_THAT(ranking_.ListLeaderboard(Page(), ""), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(ranking_.ListLeaderboard(Page(), ""), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(ranking_.GetRating(RatingOf(1), ""), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(ranking_.GetRating(RatingOf(1), "nvl_forged"), HasReason("TOKEN_INVALID"));
  ranking_.clock().Advance(auth::kAccessTokenLifetime + absl::Seconds(1));
  EXPECT_THAT(ranking_.ListLeaderboard(Page()), HasReason("TOKEN_EXPIRED"));
  EXPECT_THAT(ranking_.GetRating(RatingOf(1)), HasReason("TOKEN_EXPIRED"));
}

TEST_F(RankingServiceTest, AsksWhoCallsBeforeItLooksAtTheRequest) {
  EXPECT_THAT(ranking_.GetRating(v1::GetRatingRequest(), ""), HasReason("TOKEN_MISSING"));
}

TEST_F(RankingServiceTest, ShowsAnEmptyLeaderboard) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::ListLeaderboardResponse page,
                             ranking_.ListLeaderboard(Page()));
  EXPECT_EQ(page.ratings_size(), 0);
  EXPECT_EQ(page.next_page_token(), "");
}

TEST_F(RankingServiceTest, ShowsARatingWithEverythingThatItHas) {
  ASSERT_THAT(ranking_.RecordResult(WonBy(1, 1, 2)), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Rating rating, ranking_.GetRating(RatingOf(1)));
  EXPECT_EQ(rating.account_id(), AccountId(1));
  EXPECT_EQ(rating.handle(), "player1");
  EXPECT_EQ(rating.rating(), 1516.0);
  EXPECT_EQ(rating.rank(), 1);
  EXPECT_EQ(rating.wins(), 1);
  EXPECT_EQ(rating.losses(), 0);
  // The database's clock, not the simulated one.
  EXPECT_GT(rating.update_time().seconds(), 1'700'000'000);
}

TEST_F(RankingServiceTest, SaysThatAPlayerIsNotRated) {
  const auto rating = ranking_.GetRating(RatingOf(1));
  EXPECT_THAT(rating, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(rating, HasReason("NOT_RATED"));
}

TEST_F(RankingServiceTest, NamesTheFieldOfABadRequest) {
  v1::GetRatingRequest request = RatingOf(1);
  request.set_account_id("me");
  EXPECT_THAT(ranking_.GetRating(request), HasReason("INVALID_ACCOUNT_ID"));
  request = RatingOf(1);
  request.set_rule_set("ajedrez");
  const auto unknown = ranking_.GetRating(request);
  ASSERT_THAT(unknown, HasReason("UNKNOWN_RULE_SET"));
  EXPECT_EQ(base::FieldViolationsOf(unknown.status()).at(0).field, "rule_set");

  v1::ListLeaderboardRequest page = Page();
  page.set_rule_set("");
  EXPECT_THAT(ranking_.ListLeaderboard(page), HasReason("UNKNOWN_RULE_SET"));
  EXPECT_THAT(ranking_.ListLeaderboard(Page(-1)), HasReason("INVALID_PAGE_SIZE"));
  EXPECT_THAT(ranking_.ListLeaderboard(Page(0, "nonsense")), HasReason("PAGE_TOKEN_INVALID"));
}

TEST_F(RankingServiceTest, PagesOverTiesWithTheSameRanks) {
  // Five pairs, each once: five of 1516, then five of 1484, both in the order of the matches.
  for (int pair = 0; pair < 5; ++pair) {
    ASSERT_THAT(ranking_.RecordResult(WonBy(pair, 2 * pair + 1, 2 * pair + 2)), IsOk());
  }
  std::vector<std::string> handles;
  std::vector<std::int64_t> ranks;
  std::string token;
  int pages = 0;
  do {
    NAVAL_ASSERT_OK_AND_ASSIGN(const v1::ListLeaderboardResponse page,
                               ranking_.ListLeaderboard(Page(3, token)));
    for (const v1::Rating& rating : page.ratings()) {
      handles.push_back(rating.handle());
      ranks.push_back(rating.rank());
    }
    token = page.next_page_token();
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(pages, 4);
  EXPECT_THAT(handles, ElementsAre("player1", "player3", "player5", "player7", "player9", "player2",
                                   "player4", "player6", "player8", "player10"));
  EXPECT_THAT(ranks, ElementsAre(1, 1, 1, 1, 1, 6, 6, 6, 6, 6));
}

TEST_F(RankingServiceTest, EndsWithoutATokenOnAPageThatIsJustFull) {
  ASSERT_THAT(ranking_.RecordResult(WonBy(1, 1, 2)), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::ListLeaderboardResponse page,
                             ranking_.ListLeaderboard(Page(2)));
  EXPECT_EQ(page.ratings_size(), 2);
  EXPECT_EQ(page.next_page_token(), "");
}

}  // namespace
}  // namespace naval::ranking
