#pragma once

#include <vector>

#include "lib/rules/event.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"
#include "lib/rules/view.h"

namespace naval::bots {

// A single shot that sank a ship whose place was not told. The ship covers the square, and besides
// it only hits that had been made by then.
struct Sinking {
  int ship;
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
  // Hits on hidden ships. Of volleys it is not told where they hit: their answers stand below.
  rules::SquareSet hits;
  // Where no hidden ship can stand: water, told or certain, and ships that sank. Disjoint from the
  // hits.
  rules::SquareSet barred;
  // Where ships sank, as far as it was told. Part of `barred`.
  rules::SquareSet sunk;
  // Indices of the ships that are still afloat, the longest first.
  std::vector<int> afloat;
  // Indices of the hidden ships that sank, the longest first.
  std::vector<int> hidden_sunk;
  // The single shots that sank those, in the order they were fired.
  std::vector<Sinking> sinkings;
  // The answers to the seat's volleys, in order.
  std::vector<rules::VolleyAnswered> volleys;
  // The class of each ship, as an index into rules::ShipClasses.
  std::vector<int> ship_class;
};

// Requires a view of a seat. Refers to the view's rules, which must outlive it.
KnownSea KnownSeaOf(const rules::GameView& view);

// How many squares the seat of the view is to fire at now: one, or those of its volley. Requires a
// view of a seat whose shot or volley is due.
int ShotsDue(const rules::GameView& view);

// Every place where a hidden ship can stand as far as that can be told of each ship alone: two
// ships' may overlap, and ships of one class may need more hits than there are.
std::vector<rules::SquareSet> PlacesOf(const KnownSea& sea, int ship);

// What sank a hidden ship, as an index into `volleys` or, where single shots are fired, into
// `sinkings`; -1 for a ship afloat.
int SinkingIndex(const KnownSea& sea, int ship);

}  // namespace naval::bots
