#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "lib/base/random.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"

// What CompleteFleet is made of; for it, its tests and its measurements alone.

namespace naval::rules {

// The squares that a ship takes for itself, one bit each. Where ships may touch, they are its own.
// Where they may not, they are those to the right of it and below as well, on a board with one
// more column and row. Either way two ships may stand together exactly when they share none.
__extension__ using Footprint = unsigned __int128;

// The ships of one length that a draft lacks, all free to go to the same places.
struct OpenShips {
  int length = 0;
  // Indices into RuleSet::ships, at least one.
  std::vector<int> ships;
  // Every place that the kept ships leave to such a ship, and what it takes there. Side by side.
  std::vector<ShipPlacement> places;
  std::vector<Footprint> footprints;
};

// What a draft lacks: longest ships first.
struct OpenPlaces {
  std::vector<OpenShips> lengths;
  // Columns and rows of the board that footprints lie on; its squares go column by column.
  int side = 0;
  // The squares that no kept ship takes.
  Footprint free;
};

// Requires kept ships that break no rule among themselves.
OpenPlaces FindOpenPlaces(const RuleSet& rules, absl::Span<const ShipPlacement> kept);

// A completion: for each missing ship, in the order in which OpenPlaces lists them, the number of
// its place.
using Choice = std::vector<std::size_t>;

// What is known of a draft.
enum class Completable { kYes, kNo, kUnknown };

// Looks for one completion, the longest ships first. The drafts of the four rule sets take some
// dozens of steps; kUnknown after `max_steps`.
Completable FindCompletion(const OpenPlaces& open, int max_steps);

// Draws a place for each ship on its own, and all of them anew at the first conflict: every
// completion is as likely as any other, because each try treats them alike. Nullopt after
// `max_tries` in vain. Requires a place for every ship.
std::optional<Choice> DrawByTrying(const OpenPlaces& open, int max_tries, base::Random& random);

}  // namespace naval::rules
