#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/random.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/square.h"

namespace naval::rules {

enum class Orientation : std::uint8_t {
  // Along its row, to the right of the bow.
  kHorizontal,
  // Along its column, below the bow.
  kVertical,
};

// Where a ship stands.
struct ShipPlacement {
  // Index into RuleSet::ships.
  int ship = 0;
  // The left end of a horizontal ship, the top end of a vertical one.
  Square bow;
  Orientation orientation = Orientation::kHorizontal;

  friend bool operator==(const ShipPlacement&, const ShipPlacement&) = default;
};

// Ships in the order of placing. A draft may lack ships or break the rules; a confirmed fleet is
// complete and legal.
using Fleet = std::vector<ShipPlacement>;

// The ship's squares; nullopt when it leaves the board. Requires a known ship.
std::optional<SquareSet> ShipSquareSet(const RuleSet& rules, const ShipPlacement& placement);

// The same from bow to stern.
std::optional<std::vector<Square>> ShipSquares(const RuleSet& rules,
                                               const ShipPlacement& placement);

// The squares of all ships together. Requires known ships inside the board.
SquareSet FleetSquareSet(const RuleSet& rules, absl::Span<const ShipPlacement> fleet);

// A place that a ship can take.
struct ShipPlace {
  ShipPlacement placement;
  SquareSet squares;
};

// Every place of the ship on the empty board, once each: a ship of one square, which lies the same
// way in both orientations, is horizontal. Requires a known ship.
std::vector<ShipPlace> ShipPlaces(const RuleSet& rules, int ship);

enum class ViolationKind : std::uint8_t {
  kDuplicateShip,
  kMissingShip,
  kOutOfBoard,
  kOverlap,
  kTouching,
};

// "missing", "overlap", ...: for messages.
absl::string_view ViolationKindName(ViolationKind kind);

// One thing wrong with a fleet.
struct Violation {
  ViolationKind kind;
  // Index of the ship concerned.
  int ship = 0;
  // The second ship of kOverlap and kTouching, placed after the first.
  std::optional<int> other_ship;

  friend bool operator==(const Violation&, const Violation&) = default;
};

// Everything that stands between the draft and its confirmation; empty for a complete legal fleet.
// Ships that overlap are not said to touch as well, and one that leaves the board stands nowhere:
// it is not said to overlap or touch. Of a ship that stands twice only the first place is looked at
// further, so the list has a bound whatever the length of the draft. Requires known ships: indices
// come from FindShip. (T-02, T-04)
std::vector<Violation> CheckFleet(const RuleSet& rules, absl::Span<const ShipPlacement> placements);

// Completes `kept` to a whole legal fleet: the kept ships first, as they are, then the others in
// the order of the rule set, drawn uniformly from all legal completions (T-05). With nothing kept
// that is a whole random fleet. FAILED_PRECONDITION, reason NO_LEGAL_COMPLETION, when there is
// none, be it that the kept ships break the rules among themselves or that they leave no room.
// Requires known ships and a rule set that has a legal fleet.
//
// Takes microseconds, 0.2 s at most. That bound has a price where a table's own fleet nearly fills
// the board. Uniform it is all the same where one of about 20,000 tries at laying ships succeeds,
// or where so few squares are left over that all ways can be counted; of the rest it draws from
// 5,000 fleets grown together, and some come more often than others (their number of border squares
// is off by less than 1 % on average; DrawFromPopulation). And a crowded draft for which nothing is
// found within the bound is refused as if there were no completion. With nothing kept there is no
// refusal: then it goes on, which no rule set of a table's own that was tried ever needed
// (tools/long/fleets).
absl::StatusOr<Fleet> CompleteFleet(const RuleSet& rules, absl::Span<const ShipPlacement> kept,
                                    base::Random& random);

// The fleet with the ships of each class exchanged at random: the squares stay, each arrangement is
// as likely as any other. Done to a fleet when it is confirmed, so that the id of a sunk ship tells
// nothing of where its owner placed the others (T-23). Draws nothing where no class has two ships.
// Requires a complete legal fleet.
Fleet ShuffleAlike(const RuleSet& rules, Fleet fleet, base::Random& random);

// What becomes of a draft when the placement clock ends: the latest placed ships are dropped one by
// one until a legal completion exists, and one is drawn (T-07). Takes as long as CompleteFleet for
// each ship that is dropped. Requires known ships and a rule set that has a legal fleet.
Fleet CompleteDraft(const RuleSet& rules, absl::Span<const ShipPlacement> draft,
                    base::Random& random);

}  // namespace naval::rules
