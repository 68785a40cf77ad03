#include "lib/rules/open_places.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "absl/numeric/int128.h"

namespace naval::rules {
namespace {

int Length(const RuleSet& rules, int ship) {
  return rules.ships[static_cast<std::size_t>(ship)].length;
}

int Side(const RuleSet& rules) { return rules.board_size + (rules.ships_may_touch ? 0 : 1); }

// Of a ship with its bow in A1.
Footprint Shape(const RuleSet& rules, int length, Orientation orientation) {
  const int margin = rules.ships_may_touch ? 0 : 1;
  const bool horizontal = orientation == Orientation::kHorizontal;
  const int columns = (horizontal ? length : 1) + margin;
  const int rows = (horizontal ? 1 : length) + margin;
  Footprint shape = 0;
  for (int column = 0; column < columns; ++column) {
    shape |= ((Footprint(1) << rows) - 1) << (column * Side(rules));
  }
  return shape;
}

Footprint FootprintOf(const RuleSet& rules, const ShipPlacement& placement) {
  const Footprint shape = Shape(rules, Length(rules, placement.ship), placement.orientation);
  return shape << (placement.bow.column() * Side(rules) + placement.bow.row());
}

// Depth first, with a limit.
class Search {
 public:
  Search(const OpenPlaces& open, int max_steps) : open_(open), steps_left_(max_steps) {}

  // Lays the ships from `length` on, of which `laid` stand already; ships of one length in the
  // order of their places, from `first` on.
  Completable From(std::size_t length, std::size_t laid, std::size_t first, Footprint taken) {
    if (length == open_.lengths.size()) return Completable::kYes;
    const OpenShips& open = open_.lengths[length];
    if (laid == open.ships.size()) return From(length + 1, 0, 0, taken);
    if (steps_left_-- <= 0) return Completable::kUnknown;
    if (!EachHasRoom(length, laid, taken)) return Completable::kNo;
    for (std::size_t place = first; place < open.places.size(); ++place) {
      const Footprint footprint = open.footprints[place];
      if ((footprint & taken) != 0) continue;
      const Completable found = From(length, laid + 1, place + 1, taken | footprint);
      if (found != Completable::kNo) return found;
    }
    return Completable::kNo;
  }

 private:
  // Whether each length has as many places left as ships to lay.
  bool EachHasRoom(std::size_t length, std::size_t laid, Footprint taken) const {
    for (; length < open_.lengths.size(); ++length, laid = 0) {
      const OpenShips& open = open_.lengths[length];
      std::size_t needed = open.ships.size() - laid;
      for (const Footprint footprint : open.footprints) {
        if ((footprint & taken) == 0 && --needed == 0) break;
      }
      if (needed > 0) return false;
    }
    return true;
  }

  const OpenPlaces& open_;
  int steps_left_;
};

// Ships whose places come out of one random number. Read as a fraction of 2^64 and multiplied by
// the number of a ship's places, it gives the place as its whole part and leaves a fraction for the
// next ship. The few numbers that would favour some places end in a fraction below `left_out`.
// N. Brackett-Rozinsky, D. Lemire, Batched Ranged Random Integer Generation, 2024.
struct Batch {
  std::vector<absl::Span<const Footprint>> ships;
  std::uint64_t left_out = 0;
};

// Of so many outcomes a batch leaves out less than one in a million.
constexpr std::uint64_t kMostOutcomes = std::uint64_t{1} << 44;

std::vector<Batch> Batches(const OpenPlaces& open) {
  std::vector<Batch> batches(1);
  std::uint64_t outcomes = 1;
  for (const OpenShips& length : open.lengths) {
    const std::uint64_t places = length.places.size();
    for (std::size_t ship = 0; ship < length.ships.size(); ++ship) {
      if (outcomes > kMostOutcomes / places) {
        batches.emplace_back();
        outcomes = 1;
      }
      outcomes *= places;
      batches.back().ships.push_back(length.footprints);
      batches.back().left_out = (0 - outcomes) % outcomes;
    }
  }
  return batches;
}

// One try: false at the first conflict. Leaving a number out is a failed try like any other.
bool TryOnce(const std::vector<Batch>& batches, base::Random& random, Choice& choice) {
  choice.clear();
  Footprint taken = 0;
  for (const Batch& batch : batches) {
    std::uint64_t fraction = random.Next();
    for (const absl::Span<const Footprint> places : batch.ships) {
      const absl::uint128 product = absl::uint128(fraction) * places.size();
      const std::uint64_t place = absl::Uint128High64(product);
      fraction = absl::Uint128Low64(product);
      if ((places[place] & taken) != 0) return false;
      taken |= places[place];
      choice.push_back(place);
    }
    if (fraction < batch.left_out) return false;
  }
  return true;
}

}  // namespace

OpenPlaces FindOpenPlaces(const RuleSet& rules, absl::Span<const ShipPlacement> kept) {
  Footprint taken = 0;
  std::vector<int> missing(rules.ships.size());
  std::iota(missing.begin(), missing.end(), 0);
  for (const ShipPlacement& placement : kept) {
    taken |= FootprintOf(rules, placement);
    std::erase(missing, placement.ship);
  }
  std::stable_sort(missing.begin(), missing.end(),
                   [&](int a, int b) { return Length(rules, a) > Length(rules, b); });
  const int side = Side(rules);
  OpenPlaces open{{}, side, ((Footprint(1) << (side * side)) - 1) & ~taken};
  for (const int ship : missing) {
    const int length = Length(rules, ship);
    if (open.lengths.empty() || open.lengths.back().length != length) {
      OpenShips& ships = open.lengths.emplace_back(OpenShips{length, {}, {}, {}});
      for (const ShipPlace& place : ShipPlaces(rules, ship)) {
        const Footprint footprint = FootprintOf(rules, place.placement);
        if ((footprint & taken) != 0) continue;
        ships.places.push_back(place.placement);
        ships.footprints.push_back(footprint);
      }
    }
    open.lengths.back().ships.push_back(ship);
  }
  return open;
}

Completable FindCompletion(const OpenPlaces& open, int max_steps) {
  return Search(open, max_steps).From(0, 0, 0, 0);
}

std::optional<Choice> DrawByTrying(const OpenPlaces& open, int max_tries, base::Random& random) {
  const std::vector<Batch> batches = Batches(open);
  Choice choice;
  for (int tries = 0; tries < max_tries; ++tries) {
    if (TryOnce(batches, random, choice)) return choice;
  }
  return std::nullopt;
}

}  // namespace naval::rules
