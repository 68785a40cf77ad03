// Results that reach the ranking at the same time. Each match counts once, and the ratings are
// those of one order of the matches.

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"
#include "services/ranking/test_ranking.h"
#include "tests/races/race.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/test_database.h"

namespace naval::testing {
namespace {

using ranking::v1::Rating;
using ranking::v1::RecordResultRequest;

class RankingRace : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // Sends both at the same time; gives the ratings of the players 2n and 2n + 1 afterwards, as
  // "first 1516.0 +1 -0, second 1484.0 +0 -1".
  absl::StatusOr<std::string> Ratings(size_t n, base::Random& random,
                                      const std::array<RecordResultRequest, 2>& results) {
    std::array<absl::Status, 2> recorded;
    AtOnce(random, {[&] { recorded[0] = ranking_.RecordResult(results[0]); },
                    [&] { recorded[1] = ranking_.RecordResult(results[1]); }});
    for (const absl::Status& status : recorded) NAVAL_RETURN_IF_ERROR(status);
    NAVAL_ASSIGN_OR_RETURN(const std::string first, RatingOf(First(n)));
    NAVAL_ASSIGN_OR_RETURN(const std::string second, RatingOf(Second(n)));
    return absl::StrCat("first ", first, ", second ", second);
  }

  static int First(size_t n) { return static_cast<int>(2 * n + 2); }
  static int Second(size_t n) { return static_cast<int>(2 * n + 3); }

  absl::StatusOr<std::string> RatingOf(int player) {
    ranking::v1::GetRatingRequest request;
    request.set_account_id(ranking::AccountId(player));
    request.set_rule_set("tablu");
    NAVAL_ASSIGN_OR_RETURN(const Rating rating, ranking_.GetRating(request));
    return absl::StrFormat("%.1f +%d -%d", rating.rating(), rating.wins(), rating.losses());
  }

  TestDatabase database_;
  ranking::TestRanking ranking_{database_.PoolOptions("ranking")};
};

TEST_F(RankingRace, OfOneResultToldTwiceCountsOnce) {
  Race race("one result told twice", {"first 1516.0 +1 -0, second 1484.0 +0 -1"});
  race.Run([&](size_t n, base::Random& random) {
    const RecordResultRequest result = ranking::WonBy(static_cast<int>(n), First(n), Second(n));
    return Ratings(n, random, {result, result});
  });
}

TEST_F(RankingRace, OfTwoResultsOfOneMatchCountsTheFirst) {
  Race race("two results of one match",
            {"first 1516.0 +1 -0, second 1484.0 +0 -1", "first 1484.0 +0 -1, second 1516.0 +1 -0"});
  race.Run([&](size_t n, base::Random& random) {
    const int match = static_cast<int>(n);
    return Ratings(
        n, random,
        {ranking::WonBy(match, First(n), Second(n)), ranking::WonBy(match, Second(n), First(n))});
  });
}

// Each of the two has won once. Who won later has a little more, for it beat a higher rating.
TEST_F(RankingRace, OfTwoMatchesOfTheSamePlayersCountsBothInOneOrder) {
  Race race("two matches of the same players",
            {"first 1498.5 +1 -1, second 1501.5 +1 -1", "first 1501.5 +1 -1, second 1498.5 +1 -1"});
  race.Run([&](size_t n, base::Random& random) {
    const int match = static_cast<int>(2 * n);
    return Ratings(n, random,
                   {ranking::WonBy(match, First(n), Second(n)),
                    ranking::WonBy(match + 1, Second(n), First(n))});
  });
}

}  // namespace
}  // namespace naval::testing
