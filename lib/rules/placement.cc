#include "lib/rules/placement.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/rules/crowded.h"
#include "lib/rules/open_places.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

int Length(const RuleSet& rules, int ship) {
  return rules.ships[static_cast<std::size_t>(ship)].length;
}

// How much CompleteFleet does at most: 0.2 s in all. Drafts of the four rule sets are done with the
// first two: of theirs the worst known needs 39 steps, and a try succeeds once in 4,000 or more
// often, so that less than one in 10^10 goes on to the others.
constexpr int kSearchSteps = 5'000;
constexpr int kTries = 100'000;
constexpr std::size_t kCountedStates = 100'000;
constexpr int kThinnedShips = 200'000;
constexpr int kPopulation = 5'000;

// Nullopt when none was found, though there may be one.
std::optional<Choice> DrawCompletion(const OpenPlaces& open, base::Random& random) {
  if (std::optional<Choice> choice = DrawByTrying(open, kTries, random)) return choice;
  CompletionCount count = DrawByCounting(open, kCountedStates, random);
  if (count.completions.has_value()) return std::move(count.choice);
  if (std::optional<Choice> choice = DrawByThinning(open, kThinnedShips, random)) return choice;
  if (std::optional<Choice> choice = DrawFromPopulation(open, kPopulation, random)) return choice;
  return std::move(count.choice);
}

// The kept ships as they are, then those of the choice in the order of the rule set.
Fleet Completed(absl::Span<const ShipPlacement> kept, const OpenPlaces& open,
                const Choice& choice) {
  Fleet drawn;
  for (const OpenShips& ships : open.lengths) {
    for (const int ship : ships.ships) {
      drawn.push_back(ships.places[choice[drawn.size()]]);
      drawn.back().ship = ship;
    }
  }
  std::sort(drawn.begin(), drawn.end(),
            [](const ShipPlacement& a, const ShipPlacement& b) { return a.ship < b.ship; });
  Fleet fleet(kept.begin(), kept.end());
  fleet.insert(fleet.end(), drawn.begin(), drawn.end());
  return fleet;
}

// A ship that stands inside the board.
struct Standing {
  int ship = 0;
  SquareSet squares;
};

// How two ships stand to each other, if they may not.
std::optional<ViolationKind> Conflict(const RuleSet& rules, SquareSet a, SquareSet b) {
  if (a.Intersects(b)) return ViolationKind::kOverlap;
  if (!rules.ships_may_touch && Ring(a).Intersects(b)) return ViolationKind::kTouching;
  return std::nullopt;
}

}  // namespace

std::optional<SquareSet> ShipSquareSet(const RuleSet& rules, const ShipPlacement& placement) {
  const int length = Length(rules, placement.ship);
  const bool horizontal = placement.orientation == Orientation::kHorizontal;
  const int last_column = placement.bow.column() + (horizontal ? length - 1 : 0);
  const int last_row = placement.bow.row() + (horizontal ? 0 : length - 1);
  if (last_column >= rules.board_size || last_row >= rules.board_size) return std::nullopt;
  SquareSet squares;
  for (int column = placement.bow.column(); column <= last_column; ++column) {
    for (int row = placement.bow.row(); row <= last_row; ++row) squares.Add(Square(column, row));
  }
  return squares;
}

std::optional<std::vector<Square>> ShipSquares(const RuleSet& rules,
                                               const ShipPlacement& placement) {
  const std::optional<SquareSet> squares = ShipSquareSet(rules, placement);
  if (!squares.has_value()) return std::nullopt;
  // The order of a set is that from bow to stern: a ship lies to the right of its bow or below it.
  return std::vector<Square>(squares->begin(), squares->end());
}

SquareSet FleetSquareSet(const RuleSet& rules, absl::Span<const ShipPlacement> fleet) {
  SquareSet squares;
  for (const ShipPlacement& ship : fleet) squares |= ShipSquareSet(rules, ship).value();
  return squares;
}

std::vector<ShipPlace> ShipPlaces(const RuleSet& rules, int ship) {
  std::vector<ShipPlace> places;
  for (const Square bow : SquareSet::Board(rules.board_size)) {
    for (const Orientation orientation : {Orientation::kHorizontal, Orientation::kVertical}) {
      if (Length(rules, ship) == 1 && orientation == Orientation::kVertical) continue;
      const ShipPlacement placement{ship, bow, orientation};
      const std::optional<SquareSet> squares = ShipSquareSet(rules, placement);
      if (squares.has_value()) places.push_back({placement, *squares});
    }
  }
  return places;
}

absl::string_view ViolationKindName(ViolationKind kind) {
  switch (kind) {
    case ViolationKind::kDuplicateShip:
      return "duplicate";
    case ViolationKind::kMissingShip:
      return "missing";
    case ViolationKind::kOutOfBoard:
      return "out of board";
    case ViolationKind::kOverlap:
      return "overlap";
    case ViolationKind::kTouching:
      return "touching";
  }
  return "";
}

std::vector<Violation> CheckFleet(const RuleSet& rules,
                                  absl::Span<const ShipPlacement> placements) {
  std::vector<Violation> violations;
  std::vector<int> places(rules.ships.size());
  std::vector<Standing> standing;
  for (const ShipPlacement& placement : placements) {
    const int place = ++places[static_cast<std::size_t>(placement.ship)];
    if (place == 2) violations.push_back({ViolationKind::kDuplicateShip, placement.ship, {}});
    if (place > 1) continue;
    const std::optional<SquareSet> squares = ShipSquareSet(rules, placement);
    if (!squares.has_value()) {
      violations.push_back({ViolationKind::kOutOfBoard, placement.ship, {}});
      continue;
    }
    for (const Standing& other : standing) {
      if (const std::optional<ViolationKind> kind = Conflict(rules, other.squares, *squares)) {
        violations.push_back({*kind, other.ship, placement.ship});
      }
    }
    standing.push_back({placement.ship, *squares});
  }
  for (std::size_t ship = 0; ship < places.size(); ++ship) {
    if (places[ship] > 0) continue;
    violations.push_back({ViolationKind::kMissingShip, static_cast<int>(ship), {}});
  }
  return violations;
}

absl::StatusOr<Fleet> CompleteFleet(const RuleSet& rules, absl::Span<const ShipPlacement> kept,
                                    base::Random& random) {
  const std::vector<Violation> violations = CheckFleet(rules, kept);
  const bool kept_are_legal = std::all_of(
      violations.begin(), violations.end(),
      [](const Violation& violation) { return violation.kind == ViolationKind::kMissingShip; });
  if (!kept_are_legal) return Refuse(Refusal::kNoLegalCompletion);
  const OpenPlaces open = FindOpenPlaces(rules, kept);
  if (FindCompletion(open, kSearchSteps) == Completable::kNo) {
    return Refuse(Refusal::kNoLegalCompletion);
  }
  std::optional<Choice> choice = DrawCompletion(open, random);
  // The rules have a legal fleet, so that none was found was bad luck.
  while (!choice.has_value() && kept.empty()) choice = DrawCompletion(open, random);
  if (!choice.has_value()) return Refuse(Refusal::kNoLegalCompletion);
  return Completed(kept, open, *choice);
}

Fleet ShuffleAlike(const RuleSet& rules, Fleet fleet, base::Random& random) {
  const auto class_at = [&](std::size_t i) {
    return ClassOf(rules.ships[static_cast<std::size_t>(fleet[i].ship)]);
  };
  for (std::size_t i = 1; i < fleet.size(); ++i) {
    std::vector<std::size_t> alike;
    for (std::size_t j = 0; j <= i; ++j) {
      if (class_at(j) == class_at(i)) alike.push_back(j);
    }
    if (alike.size() > 1) std::swap(fleet[i].ship, fleet[alike[random.Uniform(alike.size())]].ship);
  }
  return fleet;
}

Fleet CompleteDraft(const RuleSet& rules, absl::Span<const ShipPlacement> draft,
                    base::Random& random) {
  absl::StatusOr<Fleet> fleet = CompleteFleet(rules, draft, random);
  while (!fleet.ok()) {
    draft.remove_suffix(1);
    fleet = CompleteFleet(rules, draft, random);
  }
  return *std::move(fleet);
}

}  // namespace naval::rules
