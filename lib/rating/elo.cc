#include "lib/rating/elo.h"

#include <cmath>

namespace naval::rating {

double ExpectedScore(double rating, double rival) {
  return 1.0 / (1.0 + std::pow(10.0, (rival - rating) / 400.0));
}

Ratings Rate(Ratings before) {
  const double gain = kMostPointsAMatch * (1.0 - ExpectedScore(before.winner, before.loser));
  return {before.winner + gain, before.loser - gain};
}

}  // namespace naval::rating
