#include "lib/bots/known_sea.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "lib/rules/placement.h"
#include "lib/rules/seat.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

// The squares that meet a square of `set` at a corner: a straight ship has no two such squares.
SquareSet Diagonals(SquareSet set, int board_size) {
  SquareSet diagonals;
  for (const Square square : set) {
    for (const int column : {square.column() - 1, square.column() + 1}) {
      for (const int row : {square.row() - 1, square.row() + 1}) {
        if (column < 0 || row < 0 || column >= board_size || row >= board_size) continue;
        diagonals.Add(Square(column, row));
      }
    }
  }
  return diagonals;
}

void LongestFirst(const rules::RuleSet& rules, std::vector<int>& ships) {
  std::stable_sort(ships.begin(), ships.end(), [&rules](int a, int b) {
    return rules.ships[static_cast<std::size_t>(a)].length >
           rules.ships[static_cast<std::size_t>(b)].length;
  });
}

std::vector<int> ClassIndices(const rules::RuleSet& rules) {
  const std::vector<absl::string_view> classes = rules::ShipClasses(rules);
  std::vector<int> indices;
  for (const rules::Ship& ship : rules.ships) {
    const auto found = std::find(classes.begin(), classes.end(), rules::ClassOf(ship));
    indices.push_back(static_cast<int>(found - classes.begin()));
  }
  return indices;
}

void AddShots(const std::vector<rules::SeenShot>& shots, KnownSea& known) {
  for (const rules::SeenShot& shot : shots) {
    if (known.sunk.Contains(shot.square)) continue;
    (shot.result == rules::ShotResult::kWater ? known.barred : known.hits).Add(shot.square);
    if (shot.result == rules::ShotResult::kSunk) {
      known.sinkings.push_back({shot.sunk_ship.value(), shot.square, known.hits});
    }
  }
}

void AddVolleys(const rules::GameView& view, KnownSea& known) {
  for (const rules::VolleyAnswered& volley : view.volleys) {
    if (volley.seat != rules::SeatOf(view.viewer)) continue;
    known.volleys.push_back(volley);
    const bool water =
        std::all_of(volley.hits.begin(), volley.hits.end(), [](int hits) { return hits == 0; });
    if (water) known.barred |= volley.squares;
  }
}

// Whether a ship there agrees with how often its class was hit.
bool AgreesWithHits(const KnownSea& sea, int ship, SquareSet place) {
  const int of = sea.ship_class[static_cast<std::size_t>(ship)];
  const bool alone = std::count(sea.ship_class.begin(), sea.ship_class.end(), of) == 1;
  return std::all_of(sea.volleys.begin(), sea.volleys.end(), [&](const auto& volley) {
    const int here = (place & volley.squares).size();
    const int told = volley.hits[static_cast<std::size_t>(of)];
    return alone ? here == told : here <= told;
  });
}

bool CanFloatAt(const KnownSea& sea, int ship, SquareSet place) {
  if (place.Intersects(sea.barred)) return false;
  // A ship that was hit all over would have sunk.
  if (!sea.volleys.empty()) return place.Intersects(sea.open) && AgreesWithHits(sea, ship, place);
  if (sea.hits.ContainsAll(place)) return false;
  for (const Sinking& sinking : sea.sinkings) {
    if (place.Contains(sinking.square)) return false;
  }
  // The ship of a hit beside it would touch it.
  return sea.rules.ships_may_touch || !Ring(place).Intersects(sea.hits);
}

bool CanHaveSunkAt(const KnownSea& sea, int ship, SquareSet place) {
  return std::all_of(sea.sinkings.begin(), sea.sinkings.end(), [&](const Sinking& sinking) {
    // The last squares of two ships are not of one.
    if (sinking.ship != ship) return !place.Contains(sinking.square);
    return place.Contains(sinking.square) && sinking.hits.ContainsAll(place);
  });
}

bool CanHaveSunkByVolleyAt(const KnownSea& sea, int ship, SquareSet place) {
  const auto last = static_cast<std::size_t>(SinkingIndex(sea, ship));
  SquareSet fired;
  for (std::size_t volley = 0; volley <= last; ++volley) fired |= sea.volleys[volley].squares;
  return fired.ContainsAll(place) && place.Intersects(sea.volleys[last].squares) &&
         AgreesWithHits(sea, ship, place);
}

}  // namespace

KnownSea KnownSeaOf(const rules::GameView& view) {
  const rules::Seat seat = rules::SeatOf(view.viewer).value();
  const rules::SeaView& sea = view.sea(rules::Rival(seat));
  KnownSea known{.rules = view.rules,
                 .open = sea.open,
                 .barred = sea.ring,
                 .afloat = sea.ships_afloat,
                 .ship_class = ClassIndices(view.rules)};
  if (view.rules.sunk_report == rules::SunkReport::kClass) known.hidden_sunk = sea.sunk_ships;
  known.sunk = rules::FleetSquareSet(view.rules, sea.sunk_placements);
  known.barred |= known.sunk;
  if (view.rules.turn_order == rules::TurnOrder::kVolley) {
    AddVolleys(view, known);
  } else {
    AddShots(sea.shots, known);
  }
  // What the rules make certain is water even where they do not close it.
  if (!view.rules.ships_may_touch) {
    known.barred |= Ring(known.sunk) | Diagonals(known.hits, view.rules.board_size);
  }
  LongestFirst(view.rules, known.afloat);
  LongestFirst(view.rules, known.hidden_sunk);
  return known;
}

int ShotsDue(const rules::GameView& view) {
  if (view.rules.turn_order != rules::TurnOrder::kVolley) return 1;
  return view.sea(rules::SeatOf(view.viewer).value()).volley_size;
}

std::vector<SquareSet> PlacesOf(const KnownSea& sea, int ship) {
  const bool afloat = std::count(sea.afloat.begin(), sea.afloat.end(), ship) > 0;
  std::vector<SquareSet> places;
  for (const auto& [placement, place] : rules::ShipPlaces(sea.rules, ship)) {
    const bool can_stand = afloat                ? CanFloatAt(sea, ship, place)
                           : sea.volleys.empty() ? CanHaveSunkAt(sea, ship, place)
                                                 : CanHaveSunkByVolleyAt(sea, ship, place);
    if (can_stand) places.push_back(place);
  }
  return places;
}

int SinkingIndex(const KnownSea& sea, int ship) {
  for (std::size_t sinking = 0; sinking < sea.sinkings.size(); ++sinking) {
    if (sea.sinkings[sinking].ship == ship) return static_cast<int>(sinking);
  }
  for (std::size_t volley = 0; volley < sea.volleys.size(); ++volley) {
    const std::vector<int>& sunk = sea.volleys[volley].sunk_ships;
    if (std::count(sunk.begin(), sunk.end(), ship) > 0) return static_cast<int>(volley);
  }
  return -1;
}

}  // namespace naval::bots
