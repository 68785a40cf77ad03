#pragma once

#include "absl/functional/function_ref.h"
#include "lib/base/random.h"
#include "lib/rules/square.h"

namespace naval::bots {

// One of the squares, each equally likely. Requires one.
rules::Square AnyOf(rules::SquareSet squares, base::Random& random);

// So many of the squares, each set of them equally likely. Requires as many.
rules::SquareSet AnyOf(rules::SquareSet squares, int count, base::Random& random);

// The square with the highest score: at random among those that differ by rounding only. Requires
// one.
rules::Square Best(rules::SquareSet squares, base::Random& random,
                   absl::FunctionRef<double(rules::Square)> score);

// So many with the highest scores.
rules::SquareSet Best(rules::SquareSet squares, int count, base::Random& random,
                      absl::FunctionRef<double(rules::Square)> score);

}  // namespace naval::bots
