#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/base/random.h"
#include "lib/rules/open_places.h"

// Drawing a completion where hardly any try succeeds: fleets of tables' own that nearly fill the
// board. For CompleteFleet, its tests and its measurements alone.

namespace naval::rules {

// The result of counting. Of several ships of one length only the set of their places counts.
struct CompletionCount {
  // Exact; nullopt where the limit or 2^64 was met before the end.
  std::optional<std::uint64_t> completions;
  // Drawn from all of them, each as likely as any other, where they were counted; otherwise the
  // first one met, if any was.
  std::optional<Choice> choice;
};

// Counts all completions, square by square, keeping the number of ways to go on from each state
// that the decided squares can be in. Fast where the ships nearly fill the board, for a state that
// leaves too few squares is left at once. Stops at `max_states`.
CompletionCount DrawByCounting(const OpenPlaces& open, std::size_t max_states,
                               base::Random& random);

// How many places the ships, in the order of OpenPlaces, have at most when those before them
// stand, wherever these stand.
std::vector<std::uint64_t> MostPlaces(const OpenPlaces& open);

// Lays ship by ship into places that are still free, going on with the probability (free places) /
// (MostPlaces) and starting anew otherwise. So each completion is as likely as any other: each of
// its ships is taken with the probability 1 / MostPlaces, whatever stands. It succeeds thousands
// of times as often as DrawByTrying on crowded boards. Nullopt after laying `max_ships` in vain.
std::optional<Choice> DrawByThinning(const OpenPlaces& open, int max_ships, base::Random& random);

// Grows `size` fleets together, ship by ship: for each next ship as many pairs of a fleet and a
// free place for it are drawn from all that there are, and one of the whole fleets at the end.
// NOT exactly uniform: the more fleets, the closer, and the fewer dead ends on the way, the closer.
// Nullopt where no fleet grew whole.
std::optional<Choice> DrawFromPopulation(const OpenPlaces& open, int size, base::Random& random);

}  // namespace naval::rules
