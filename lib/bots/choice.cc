#include "lib/bots/choice.h"

#include <cstdint>

namespace naval::bots {

using rules::Square;
using rules::SquareSet;

Square AnyOf(SquareSet squares, base::Random& random) {
  return squares.Nth(static_cast<int>(random.Uniform(static_cast<std::uint64_t>(squares.size()))));
}

SquareSet AnyOf(SquareSet squares, int count, base::Random& random) {
  SquareSet chosen;
  while (chosen.size() < count) chosen.Add(AnyOf(squares - chosen, random));
  return chosen;
}

Square Best(SquareSet squares, base::Random& random, absl::FunctionRef<double(Square)> score) {
  // Scores that differ by less are equal but for rounding.
  constexpr double kRounding = 1e-9;
  SquareSet best;
  double most = 0;
  for (const Square square : squares) {
    const double here = score(square);
    if (!best.empty() && here < most - kRounding) continue;
    if (best.empty() || here > most + kRounding) {
      best = {};
      most = here;
    }
    best.Add(square);
  }
  return AnyOf(best, random);
}

SquareSet Best(SquareSet squares, int count, base::Random& random,
               absl::FunctionRef<double(Square)> score) {
  SquareSet chosen;
  while (chosen.size() < count) chosen.Add(Best(squares - chosen, random, score));
  return chosen;
}

}  // namespace naval::bots
