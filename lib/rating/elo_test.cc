#include "lib/rating/elo.h"

#include <gtest/gtest.h>

namespace naval::rating {
namespace {

TEST(ExpectedScore, IsAHalfBetweenEquals) { EXPECT_DOUBLE_EQ(ExpectedScore(1500, 1500), 0.5); }

TEST(ExpectedScore, IsTenToOneForFourHundredPoints) {
  EXPECT_DOUBLE_EQ(ExpectedScore(1900, 1500), 10.0 / 11.0);
  EXPECT_DOUBLE_EQ(ExpectedScore(1500, 1900), 1.0 / 11.0);
}

TEST(ExpectedScore, OfBothPlayersIsOne) {
  for (const double difference : {0.0, 1.0, 17.5, 200.0, 800.0, 5000.0}) {
    EXPECT_DOUBLE_EQ(
        ExpectedScore(1500 + difference, 1500) + ExpectedScore(1500, 1500 + difference), 1.0);
  }
}

TEST(Rate, MovesSixteenPointsBetweenEquals) {
  const Ratings after = Rate({1500, 1500});
  EXPECT_DOUBLE_EQ(after.winner, 1516);
  EXPECT_DOUBLE_EQ(after.loser, 1484);
}

TEST(Rate, MovesLittleForTheFavouriteAndMuchForTheOutsider) {
  EXPECT_NEAR(Rate({1900, 1500}).winner, 1900 + 32.0 / 11.0, 1e-9);
  EXPECT_NEAR(Rate({1500, 1900}).winner, 1500 + 320.0 / 11.0, 1e-9);
}

TEST(Rate, GivesTheWinnerWhatTheLoserLoses) {
  for (const double rating : {0.0, 900.0, 1499.0, 1500.0, 2600.0}) {
    const Ratings after = Rate({rating, 1500});
    EXPECT_NEAR(after.winner + after.loser, rating + 1500, 1e-9);
    EXPECT_GT(after.winner, rating);
    EXPECT_LE(after.winner - rating, kMostPointsAMatch);
  }
}

}  // namespace
}  // namespace naval::rating
