#pragma once

namespace naval::rating {

// The plain rating of Arpad E. Elo, "The Rating of Chessplayers, Past and Present" (1978), with the
// logistic curve in use today: 400 points of difference are odds of ten to one.
//
// Pure. Ratings are in points, unbounded in principle and unrounded: round for show only.

// What an account has before its first rated match.
inline constexpr double kStartRating = 1500.0;

// The most that one match moves a rating (Elo's K).
inline constexpr double kMostPointsAMatch = 32.0;

// The share of points, between 0 and 1, that a player with `rating` may expect against `rival`.
// ExpectedScore(a, b) + ExpectedScore(b, a) is 1.
double ExpectedScore(double rating, double rival);

struct Ratings {
  double winner = kStartRating;
  double loser = kStartRating;
};

// The ratings after a match between these two; what one gains the other loses. There are no draws.
Ratings Rate(Ratings before);

}  // namespace naval::rating
