#include "lib/bots/posterior.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "lib/base/random.h"
#include "lib/bots/jota.h"
#include "lib/bots/rey.h"
#include "lib/bots/test_range.h"
#include "lib/rules/test_match.h"

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
bool Agrees(const rules::RuleSet& rules, const rules::Fleet& fleet, const rules::SeaView& view) {
  rules::Sea sea(rules, fleet);
  for (const rules::ShotMark& shot : view.shots) {
    const rules::Impact impact = sea.Probe(shot.square);
    if (impact.result != shot.result) return false;
    sea.Record(shot.square, impact);
  }
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    const bool afloat = std::count(view.ships_afloat.begin(), view.ships_afloat.end(), ship) > 0;
    if (sea.IsAfloat(static_cast<int>(ship)) != afloat) return false;
  }
  return rules.sunk_report == rules::SunkReport::kClass || sea.sunk_ships() == view.sunk_ships;
}

// What ShipOdds computes, from every legal fleet.
SquareOdds BruteForce(const rules::RuleSet& rules, const std::vector<rules::Fleet>& fleets,
                      const Prior& prior, const rules::SeaView& view) {
  const FleetWeights weights(rules, prior);
  SquareOdds odds = {};
  double total = 0;
  for (const rules::Fleet& fleet : fleets) {
    if (!Agrees(rules, fleet, view)) continue;
    const double weight = weights.Weight(weights.CountsOf(rules::FleetSquareSet(rules, fleet)));
    total += weight;
    SquareSet found;
    for (const rules::ShipPlacement& sunk : view.sunk_ships) {
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

// Calls `check` with positions of a game by these rules, and the true odds.
void ForPositions(const rules::RuleSet& rules, const Prior& prior,
                  absl::FunctionRef<void(const KnownSea&, const SquareOdds&)> check) {
  constexpr std::uint64_t kSeed = 3;
  SCOPED_TRACE(absl::StrCat("seed ", kSeed));
  std::vector<rules::Fleet> fleets;
  rules::Fleet fleet;
  EveryFleet(rules, fleet, [&](const rules::Fleet& every) { fleets.push_back(every); });
  base::SeededRandom random(kSeed);
  Range range(rules, fleets[random.Uniform(fleets.size())]);
  while (!range.over()) {
    const rules::GameView view = range.view();
    SCOPED_TRACE(absl::StrCat("after ", range.shots(), " shots"));
    check(KnownSeaOf(view), BruteForce(rules, fleets, prior, view.sea(rules::Seat::kSecond)));
    // Five shots on, so that a game has few positions to wait for.
    for (int i = 0; i < 5 && !range.over(); ++i) {
      range.Fire(Jota().ChooseShot(range.view(), random));
    }
  }
}

rules::RuleSet NamesOnly(rules::RuleSet rules) {
  rules.sunk_report = rules::SunkReport::kClass;
  return rules;
}

std::vector<rules::RuleSet> SmallWorlds() {
  return {NamesOnly(Small(4, true, {3, 2, 2})),
          NamesOnly(Small(4, true, {2, 2, 1})),
          NamesOnly(Small(5, false, {3, 2, 1})),
          Small(4, true, {3, 2, 2}),
          Small(4, true, {2, 1, 1}),
          Small(5, false, {3, 2, 1}),
          Small(4, false, {2, 1, 1}),
          Small(5, false, {2, 2, 2})};
}

TEST(ShipOdds, AreThoseOfEveryFleetThatAgrees) {
  for (const rules::RuleSet& rules : SmallWorlds()) {
    for (const Prior& prior : {Prior(), PeoplePrior(rules)}) {
      ForPositions(rules, prior, [&](const KnownSea& sea, const SquareOdds& truth) {
        base::SeededRandom random(1);
        const SquareOdds odds = ShipOdds(sea, prior, {.samples = 20'000, .visits = 20'000}, random);
        EXPECT_LT(FarthestApart(odds, truth), 1e-9);
      });
    }
  }
}

TEST(ShipOdds, AreAboutTheSameWhenFleetsAreDrawn) {
  for (const rules::RuleSet& rules : SmallWorlds()) {
    const Prior prior = PeoplePrior(rules);
    ForPositions(rules, prior, [&](const KnownSea& sea, const SquareOdds& truth) {
      base::SeededRandom random(1);
      const SquareOdds odds = ShipOdds(sea, prior, {.samples = 2000, .visits = 0}, random);
      EXPECT_LT(FarthestApart(odds, truth), 0.08);
    });
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
