#pragma once

#include <vector>

#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"
#include "lib/rules/view.h"

namespace naval::bots {

// A shot that sank a ship whose place was not told. The ship covers the square, and besides it only
// hits that had been made by then.
struct Sinking {
  rules::Square square;
  // That of the shot among them.
  rules::SquareSet hits;
};

// The rival's sea as far as a view tells, drawn together: where a choice that thinks begins. The
// hidden ships are those whose place was not told, afloat or sunk.
struct KnownSea {
  const rules::RuleSet& rules;
  // What may be shot at.
  rules::SquareSet open;
  // Hits on hidden ships.
  rules::SquareSet hits;
  // Where no hidden ship can stand: water, told or certain, and ships that sank. Disjoint from the
  // hits.
  rules::SquareSet barred;
  // Where ships sank, as far as it was told. Part of `barred`.
  rules::SquareSet sunk;
  // Indices of the ships that are still afloat, the longest first.
  std::vector<int> afloat;
  // Indices of the hidden ships that sank, the longest first, and the shots that sank them, in the
  // order they were fired: which shot sank which is not known.
  std::vector<int> hidden_sunk;
  std::vector<Sinking> sinkings;
};

// Requires a view of a seat. Refers to the view's rules, which must outlive it.
KnownSea KnownSeaOf(const rules::GameView& view);

// Every place of a ship that sank by one of the sinkings. Those of two ships may overlap.
std::vector<rules::SquareSet> SinkingPlaces(const KnownSea& sea, int ship);

}  // namespace naval::bots
