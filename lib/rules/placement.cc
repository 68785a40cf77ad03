#include "lib/rules/placement.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/functional/function_ref.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

int Length(const RuleSet& rules, int ship) {
  return rules.ships[static_cast<std::size_t>(ship)].length;
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

// The squares that a ship takes from the others: its own, and those around it where ships may not
// touch.
SquareSet Taken(const RuleSet& rules, SquareSet ship) {
  return rules.ships_may_touch ? ship : ship | Ring(ship);
}

// All ways to complete a legal draft.
class Completions {
 public:
  // Requires kept ships that break no rule among themselves.
  Completions(const RuleSet& rules, absl::Span<const ShipPlacement> kept);

  // Whether there is one. Exact.
  bool Exist() const;

  // Draws every missing ship on its own and starts anew at the first conflict: each completion is
  // as likely as any other, because every try treats them alike. Nullopt after kTries tries in
  // vain.
  std::optional<Fleet> DrawByRejection(base::Random& random) const;

  // The same distribution by counting all of them first. Requires that there is one.
  Fleet DrawByCounting(base::Random& random) const;

 private:
  struct Place {
    ShipPlacement placement;
    SquareSet squares;
    SquareSet taken;
  };

  // Of a Tablú draft the worst known needs 218 tries, an empty ten-ship board about 4,000 on
  // average: who fails this often has so few completions that they can be counted.
  static constexpr int kTries = 200'000;

  // The places of the ship that the kept ships leave free.
  std::vector<Place> PlacesOf(int ship, SquareSet taken) const;
  // One try: a place for each missing ship, or false at the first conflict.
  bool TryOnce(base::Random& random, std::vector<const Place*>& drawn) const;
  // Calls `visit` with each completion of `fleet`, to which the missing ships before `next` are
  // added, until it returns false. Returns whether all were visited.
  bool Walk(std::size_t next, SquareSet taken, Fleet& fleet,
            absl::FunctionRef<bool(const Fleet&)> visit) const;
  bool WalkAll(absl::FunctionRef<bool(const Fleet&)> visit) const;

  const RuleSet& rules_;
  const Fleet kept_;
  // For each missing ship, in the order of the rule set, the places that are left to it.
  std::vector<std::vector<Place>> missing_;
};

Completions::Completions(const RuleSet& rules, absl::Span<const ShipPlacement> kept)
    : rules_(rules), kept_(kept.begin(), kept.end()) {
  SquareSet taken;
  std::vector<bool> stands(rules.ships.size());
  for (const ShipPlacement& placement : kept) {
    taken |= Taken(rules, ShipSquareSet(rules, placement).value());
    stands[static_cast<std::size_t>(placement.ship)] = true;
  }
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    if (!stands[ship]) missing_.push_back(PlacesOf(static_cast<int>(ship), taken));
  }
}

std::vector<Completions::Place> Completions::PlacesOf(int ship, SquareSet taken) const {
  std::vector<Place> places;
  for (const ShipPlace& place : ShipPlaces(rules_, ship)) {
    if (place.squares.Intersects(taken)) continue;
    places.push_back({place.placement, place.squares, Taken(rules_, place.squares)});
  }
  return places;
}

bool Completions::Exist() const {
  return !WalkAll([](const Fleet&) { return false; });
}

std::optional<Fleet> Completions::DrawByRejection(base::Random& random) const {
  std::vector<const Place*> drawn;
  drawn.reserve(missing_.size());
  for (int tries = 0; tries < kTries; ++tries) {
    if (!TryOnce(random, drawn)) continue;
    Fleet fleet = kept_;
    for (const Place* place : drawn) fleet.push_back(place->placement);
    return fleet;
  }
  return std::nullopt;
}

bool Completions::TryOnce(base::Random& random, std::vector<const Place*>& drawn) const {
  drawn.clear();
  SquareSet taken;
  for (const std::vector<Place>& places : missing_) {
    const Place& place = places[random.Uniform(places.size())];
    if (place.squares.Intersects(taken)) return false;
    taken |= place.taken;
    drawn.push_back(&place);
  }
  return true;
}

Fleet Completions::DrawByCounting(base::Random& random) const {
  std::uint64_t count = 0;
  WalkAll([&count](const Fleet&) {
    ++count;
    return true;
  });
  std::uint64_t before = random.Uniform(count);
  Fleet drawn;
  WalkAll([&](const Fleet& fleet) {
    if (before-- > 0) return true;
    drawn = fleet;
    return false;
  });
  return drawn;
}

bool Completions::WalkAll(absl::FunctionRef<bool(const Fleet&)> visit) const {
  Fleet fleet = kept_;
  return Walk(0, SquareSet(), fleet, visit);
}

bool Completions::Walk(std::size_t next, SquareSet taken, Fleet& fleet,
                       absl::FunctionRef<bool(const Fleet&)> visit) const {
  if (next == missing_.size()) return visit(fleet);
  for (const Place& place : missing_[next]) {
    if (place.squares.Intersects(taken)) continue;
    fleet.push_back(place.placement);
    const bool all = Walk(next + 1, taken | place.taken, fleet, visit);
    fleet.pop_back();
    if (!all) return false;
  }
  return true;
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
  const Completions completions(rules, kept);
  if (!completions.Exist()) return Refuse(Refusal::kNoLegalCompletion);
  if (std::optional<Fleet> fleet = completions.DrawByRejection(random)) return *std::move(fleet);
  return completions.DrawByCounting(random);
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
