#include "lib/bots/posterior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "lib/bots/jota.h"
#include "lib/bots/rey.h"
#include "lib/bots/test_range.h"
#include "lib/rules/test_match.h"
#include "lib/rules/volley.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

rules::RuleSet Small(int board_size, bool ships_may_touch, const std::vector<int>& lengths) {
  rules::RuleSet rules = rules::Tablu();
  rules.board_size = board_size;
  rules.ships_may_touch = ships_may_touch;
  rules.ring_closed = !ships_may_touch;
  rules.ships.clear();
  for (const int length : lengths) {
    rules.ships.push_back({absl::StrCat("ship", rules.ships.size()), length});
  }
  return rules;
}

// Calls `visit` with every legal fleet.
void EveryFleet(const rules::RuleSet& rules, rules::Fleet& fleet,
                absl::FunctionRef<void(const rules::Fleet&)> visit) {
  if (fleet.size() == rules.ships.size()) {
    if (rules::CheckFleet(rules, fleet).empty()) visit(fleet);
    return;
  }
  const int ship = static_cast<int>(fleet.size());
  for (const Square bow : SquareSet::Board(rules.board_size)) {
    for (const auto way : {rules::Orientation::kHorizontal, rules::Orientation::kVertical}) {
      const bool single = rules.ships[fleet.size()].length == 1;
      if (single && way == rules::Orientation::kVertical) continue;
      if (!rules::ShipSquareSet(rules, {ship, bow, way}).has_value()) continue;
      fleet.push_back({ship, bow, way});
      EveryFleet(rules, fleet, visit);
      fleet.pop_back();
    }
  }
}

// Whether the shots of the view would have found the same in this fleet.
bool Agrees(const rules::RuleSet& rules, const rules::Fleet& fleet, const rules::GameView& view) {
  rules::Sea sea(rules, fleet);
  for (const rules::VolleyAnswered& volley : view.volleys) {
    if (volley.seat != rules::Seat::kFirst) continue;
    if (rules::AnswerVolley(rules, sea, volley.seat, volley.round, volley.squares) != volley) {
      return false;
    }
  }
  const rules::SeaView& seen = view.sea(rules::Seat::kSecond);
  for (const rules::SeenShot& shot : seen.shots) {
    if (shot.result == rules::ShotResult::kUnknown) continue;
    const rules::Impact impact = sea.Probe(shot.square);
    if (impact.result != shot.result) return false;
    if (impact.sunk_ship.has_value() && impact.sunk_ship->ship != shot.sunk_ship) return false;
    sea.Record(shot.square, impact);
  }
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    const bool afloat = std::count(seen.ships_afloat.begin(), seen.ships_afloat.end(), ship) > 0;
    if (sea.IsAfloat(static_cast<int>(ship)) != afloat) return false;
  }
  return rules.sunk_report == rules::SunkReport::kClass || sea.sunk_ships() == seen.sunk_placements;
}

// What ShipOdds computes, from every legal fleet.
SquareOdds BruteForce(const rules::RuleSet& rules, const std::vector<rules::Fleet>& fleets,
                      const Prior& prior, const rules::GameView& view) {
  const FleetWeights weights(rules, prior);
  SquareOdds odds = {};
  double total = 0;
  for (const rules::Fleet& fleet : fleets) {
    if (!Agrees(rules, fleet, view)) continue;
    const double weight = weights.Weight(weights.CountsOf(rules::FleetSquareSet(rules, fleet)));
    total += weight;
    SquareSet found;
    for (const rules::ShipPlacement& sunk : view.sea(rules::Seat::kSecond).sunk_placements) {
      found |= *rules::ShipSquareSet(rules, sunk);
    }
    for (const Square square : rules::FleetSquareSet(rules, fleet) - found) {
      odds[static_cast<std::size_t>(square.index())] += weight;
    }
  }
  for (double& here : odds) here /= total;
  return odds;
}

double FarthestApart(const SquareOdds& a, const SquareOdds& b) {
  double farthest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) farthest = std::max(farthest, std::abs(a[i] - b[i]));
  return farthest;
}

rules::RuleSet NamesOnly(rules::RuleSet rules) {
  rules.sunk_report = rules::SunkReport::kClass;
  return rules;
}

rules::RuleSet Volleys(rules::RuleSet rules, int shots) {
  rules.turn_order = rules::TurnOrder::kVolley;
  rules.shots_per_turn = shots;
  rules.ring_closed = false;
  return NamesOnly(std::move(rules));
}

// Ships of one length are one class.
rules::RuleSet Alike(rules::RuleSet rules) {
  for (rules::Ship& ship : rules.ships) ship.ship_class = absl::StrCat("of ", ship.length);
  return rules;
}

std::vector<rules::RuleSet> VolleyWorlds() {
  return {Volleys(Alike(Small(4, true, {3, 2, 2})), 3),
          Volleys(Alike(Small(4, true, {2, 1, 1, 1})), 2),
          Volleys(Alike(Small(5, false, {2, 2, 1})), 3), Volleys(Small(5, false, {3, 2, 1}), 4)};
}

std::vector<rules::RuleSet> SmallWorlds() {
  std::vector<rules::RuleSet> worlds = {NamesOnly(Small(4, true, {3, 2, 2})),
                                        NamesOnly(Small(4, true, {2, 2, 1})),
                                        NamesOnly(Small(5, false, {3, 2, 1})),
                                        Small(4, true, {3, 2, 2}),
                                        Small(4, true, {2, 1, 1}),
                                        Small(5, false, {3, 2, 1}),
                                        Small(4, false, {2, 1, 1}),
                                        Small(5, false, {2, 2, 2})};
  for (const rules::RuleSet& rules : VolleyWorlds()) worlds.push_back(rules);
  return worlds;
}

struct Position {
  rules::GameView view;
  // Over every fleet that agrees.
  SquareOdds truth;
};

// Some positions of one game by these rules.
std::vector<Position> PlayThrough(const rules::RuleSet& rules) {
  constexpr std::uint64_t kSeed = 3;
  std::vector<rules::Fleet> fleets;
  rules::Fleet fleet;
  EveryFleet(rules, fleet, [&](const rules::Fleet& every) { fleets.push_back(every); });
  base::SeededRandom random(kSeed);
  Range range(rules, fleets[random.Uniform(fleets.size())]);
  std::vector<Position> positions;
  while (!range.over()) {
    const rules::GameView view = range.view();
    positions.push_back({view, BruteForce(rules, fleets, PeoplePrior(rules), view)});
    const int next = range.shots() + 6;
    while (range.shots() < next && !range.over()) {
      range.Fire(Jota().ChooseShots(range.view(), random));
    }
  }
  return positions;
}

// Those of all small worlds, played once for all tests.
const std::vector<Position>& Positions() {
  static const auto* const kPositions = [] {
    auto* const all = new std::vector<Position>;
    for (const rules::RuleSet& rules : SmallWorlds()) {
      for (Position& position : PlayThrough(rules)) all->push_back(std::move(position));
    }
    return all;
  }();
  return *kPositions;
}

constexpr Effort kVisitAll = {.samples = 20'000, .visits = 20'000};

TEST(ShipOdds, AreThoseOfEveryFleetThatAgrees) {
  for (std::size_t i = 0; i < Positions().size(); ++i) {
    const auto& [view, truth] = Positions()[i];
    base::SeededRandom random(1);
    const SquareOdds odds = ShipOdds(KnownSeaOf(view), PeoplePrior(view.rules), kVisitAll, random);
    EXPECT_LT(FarthestApart(odds, truth), 1e-9) << "position " << i;
  }
}

TEST(ShipOdds, AreAboutTheSameWhenFleetsAreDrawn) {
  for (std::size_t i = 0; i < Positions().size(); ++i) {
    const auto& [view, truth] = Positions()[i];
    base::SeededRandom random(1);
    const SquareOdds odds =
        ShipOdds(KnownSeaOf(view), PeoplePrior(view.rules), {.samples = 1000, .visits = 0}, random);
    EXPECT_LT(FarthestApart(odds, truth), 0.1) << "position " << i;
  }
}

TEST(LikelyFleets, ComeAsOftenAsTheyAreLikely) {
  constexpr int kCount = 1000;
  for (std::size_t i = 0; i < Positions().size(); ++i) {
    SCOPED_TRACE(absl::StrCat("position ", i));
    const auto& [view, truth] = Positions()[i];
    const KnownSea sea = KnownSeaOf(view);
    base::SeededRandom random(1);
    int all = 0;
    SquareOdds odds = {};
    for (const PossibleFleet& fleet :
         LikelyFleets(sea, PeoplePrior(view.rules), kVisitAll, kCount, random)) {
      all += fleet.times;
      EXPECT_EQ(fleet.ships.size(), sea.afloat.size() + sea.hidden_sunk.size());
      for (const PossibleShip& ship : fleet.ships) {
        const auto index = static_cast<std::size_t>(ship.ship);
        EXPECT_EQ(ship.squares.size(), view.rules.ships[index].length);
        for (const Square square : ship.squares) {
          odds[static_cast<std::size_t>(square.index())] += fleet.times / double{kCount};
        }
      }
    }
    EXPECT_NEAR(all, kCount, 1);
    EXPECT_LT(FarthestApart(odds, truth), 0.05);
  }
}

TEST(ShipOdds, StillPointAtPlacesWhereNoFleetIsFound) {
  // A board so full that fleets drawn ship by ship come to a dead end.
  const rules::RuleSet rules = Small(4, true, {4, 4, 4, 3});
  Range range(rules, "ship0 A1 right, ship1 A2 right, ship2 A3 right, ship3 A4 right");
  range.FireAll("A1");
  const rules::GameView view = range.view();
  base::SeededRandom random(1);
  const SquareOdds odds = ShipOdds(KnownSeaOf(view), {}, {.samples = 0, .visits = 0}, random);
  const Square beside = Square::Parse("A2").value();
  const Square far = Square::Parse("C3").value();
  EXPECT_GT(odds[static_cast<std::size_t>(beside.index())],
            odds[static_cast<std::size_t>(far.index())]);
}

TEST(FleetWeights, PreferTheHabitsOfPeople) {
  const rules::RuleSet rules = rules::Tablu();
  const FleetWeights weights(rules, PeoplePrior(rules));
  const auto weight = [&](const char* fleet) {
    return weights.Weight(
        weights.CountsOf(rules::FleetSquareSet(rules, rules::ParseFleet(rules, fleet).value())));
  };
  const double border = weight(
      "portaaviones A1 right, acorazado G1 right, fragata A3 down, submarino J3 down, "
      "lancha A10 right");
  const double middle = weight(
      "portaaviones C2 right, acorazado D4 right, fragata D6 right, submarino D8 right, "
      "lancha H6 right");
  EXPECT_GT(border, 10 * middle);
  EXPECT_GT(middle, 0.8);
}

TEST(Rey, NeedsAsManyShotsAsThePosteriorDoes) {
  // 39 at full effort, with a deviation of 6.2 a fleet; a little more with so few fleets drawn.
  EXPECT_NEAR(MeanShots(Rey({.samples = 100, .visits = 300}), rules::Tablu(), /*fleets=*/30,
                        /*seed=*/1),
              39.5, 3.5);
}

}  // namespace
}  // namespace naval::bots
