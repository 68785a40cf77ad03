#include "tools/arena/fleets.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/status_macros.h"
#include "lib/bots/lay_fleet.h"
#include "lib/bots/prior.h"
#include "lib/rules/square.h"

namespace naval::arena {
namespace {

using rules::Square;
using rules::SquareSet;

constexpr int kChoices = 64;
constexpr int kTries = 10'000'000;

struct Named {
  absl::string_view name;
  FleetModel model;
};
constexpr Named kModels[] = {{"uniform", FleetModel::kUniform},
                             {"bot", FleetModel::kBot},
                             {"border", FleetModel::kBorder},
                             {"corners", FleetModel::kCorners},
                             {"cluster", FleetModel::kCluster}};

// The distance to the nearest border, 0 for a square on it.
int Depth(int line, int size) { return std::min(line, size - 1 - line); }

double CornerScore(const rules::RuleSet& rules, SquareSet fleet) {
  int squares = 0;
  for (const Square square : fleet) {
    const int size = rules.board_size;
    squares += Depth(square.column(), size) < 3 && Depth(square.row(), size) < 3 ? 1 : 0;
  }
  return squares;
}

// Minus the mean squared distance from the middle of the fleet.
double ClusterScore(const rules::RuleSet&, SquareSet fleet) {
  double columns = 0;
  double rows = 0;
  double squared = 0;
  for (const Square square : fleet) {
    columns += square.column();
    rows += square.row();
    squared += square.column() * square.column() + square.row() * square.row();
  }
  const double count = fleet.size();
  return (columns * columns + rows * rows) / (count * count) - squared / count;
}

absl::StatusOr<rules::Fleet> BestOf(
    absl::FunctionRef<double(const rules::RuleSet&, SquareSet)> score, const rules::RuleSet& rules,
    base::Random& random) {
  std::optional<rules::Fleet> best;
  double most = 0;
  for (int i = 0; i < kChoices; ++i) {
    NAVAL_ASSIGN_OR_RETURN(rules::Fleet fleet, rules::CompleteFleet(rules, {}, random));
    const double here = score(rules, rules::FleetSquareSet(rules, fleet));
    if (best.has_value() && here <= most) continue;
    best = std::move(fleet);
    most = here;
  }
  return *std::move(best);
}

// The places that the model leaves to a ship.
std::vector<rules::ShipPlace> BorderPlaces(const rules::RuleSet& rules, int ship) {
  const SquareSet border = bots::Border(rules.board_size);
  std::vector<rules::ShipPlace> places = rules::ShipPlaces(rules, ship);
  std::erase_if(places, [border](const rules::ShipPlace& place) {
    const bool single = place.squares.size() == 1;
    return single ? place.squares.Intersects(border) : !border.ContainsAll(place.squares);
  });
  return places;
}

absl::StatusOr<rules::Fleet> BorderFleet(const rules::RuleSet& rules, base::Random& random) {
  std::vector<std::vector<rules::ShipPlace>> places;
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    places.push_back(BorderPlaces(rules, static_cast<int>(ship)));
    if (places.back().empty()) return absl::FailedPreconditionError("no room along the border");
  }
  for (int i = 0; i < kTries; ++i) {
    rules::Fleet fleet;
    SquareSet taken;
    for (const std::vector<rules::ShipPlace>& of_ship : places) {
      const auto& [placement, squares] = of_ship[random.Uniform(of_ship.size())];
      if (squares.Intersects(taken)) break;
      taken |= rules.ships_may_touch ? squares : squares | Ring(squares);
      fleet.push_back(placement);
    }
    if (fleet.size() == rules.ships.size()) return fleet;
  }
  return absl::FailedPreconditionError("no fleet found that keeps to the border");
}

}  // namespace

absl::StatusOr<FleetModel> FindFleetModel(absl::string_view name) {
  for (const Named& known : kModels) {
    if (known.name == name) return known.model;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no such way to lay fleets: \"", name,
      "\"; known are: ", absl::StrJoin(kModels, " ", [](std::string* out, const Named& known) {
        out->append(std::string(known.name));
      })));
}

absl::StatusOr<rules::Fleet> DrawFleet(FleetModel model, const rules::RuleSet& rules,
                                       base::Random& random) {
  switch (model) {
    case FleetModel::kUniform:
      return rules::CompleteFleet(rules, {}, random);
    case FleetModel::kBot:
      return bots::LayFleet(rules, random);
    case FleetModel::kBorder:
      return BorderFleet(rules, random);
    case FleetModel::kCorners:
      return BestOf(CornerScore, rules, random);
    case FleetModel::kCluster:
      return BestOf(ClusterScore, rules, random);
  }
  return absl::InternalError("a fleet model without a case");
}

}  // namespace naval::arena
