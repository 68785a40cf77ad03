// naval-fleets: whether random fleets are drawn evenly, against exact counts, and what they cost.

#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/flags.h"
#include "lib/base/random.h"
#include "lib/rules/custom_rules.h"
#include "lib/rules/open_places.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_sets.h"
#include "tools/bench/occupancy.h"

ABSL_FLAG(std::string, rule_set, "", "Id of the only rule set to look at; all without it.");
ABSL_FLAG(int, draws, 1'000'000, "Fleets of each rule set.");
ABSL_FLAG(int, climbs, 2'000, "Steps of the search for the worst board of each rule set.");
ABSL_FLAG(int, crowded, 200, "How many of all fleets that a table may make up are tried.");
ABSL_FLAG(std::uint64_t, seed, 1, "The same seed draws the same.");

namespace naval::bench {
namespace {

using rules::Fleet;
using rules::OpenPlaces;
using rules::RuleSet;
using rules::Square;
using rules::SquareSet;

bool failed = false;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  failed = true;
  absl::PrintF("  FAILED: %s\n", what);
}

// Of this thread, in microseconds.
double CpuNow() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// CPU times of many calls.
class Times {
 public:
  template <typename Call>
  auto Of(const Call& call) {
    const double start = CpuNow();
    auto result = call();
    times_.push_back(CpuNow() - start);
    return result;
  }

  std::string ToString() {
    if (times_.empty()) return "none";
    std::sort(times_.begin(), times_.end());
    const auto at = [this](double part) {
      return times_[static_cast<std::size_t>(part * static_cast<double>(times_.size() - 1))];
    };
    return absl::StrFormat("CPU us: half %.1f, 99 %% %.1f, most %.1f", at(0.5), at(0.99), at(1));
  }

 private:
  std::vector<double> times_;
};

std::vector<RuleSet> AllFleets() {
  std::vector<RuleSet> all;
  const std::string only = absl::GetFlag(FLAGS_rule_set);
  for (const rules::Preset& preset : rules::AllRuleSets()) {
    if (!only.empty() && preset.rules.id != only) continue;
    all.push_back(preset.rules);
    if (preset.fleet_b.empty()) continue;
    all.push_back(preset.rules);
    all.back().id += ", fleet B";
    all.back().ships = preset.fleet_b;
  }
  return all;
}

void MeasureDraws(const RuleSet& rules, base::Random& random) {
  const Occupancy exact = CountAllFleets(rules);
  const int draws = absl::GetFlag(FLAGS_draws);
  Times times;
  std::array<int, rules::kMaxSquares> count = {};
  for (int i = 0; i < draws; ++i) {
    const Fleet fleet = times.Of([&] { return rules::CompleteFleet(rules, {}, random).value(); });
    for (const Square square : rules::FleetSquareSet(rules, fleet)) {
      ++count[static_cast<std::size_t>(square.index())];
    }
  }
  double farthest = 0;
  double border = 0;
  for (const Square square : SquareSet::Board(rules::kMaxBoardSize)) {
    const double p = exact.Probability(square);
    const double drawn = count[static_cast<std::size_t>(square.index())];
    farthest = std::max(farthest, std::abs(drawn - draws * p) / std::sqrt(draws * p * (1 - p)));
    if (KindOf(square) < kBorderKinds) border += drawn;
  }
  absl::PrintF("%s: %d legal fleets, %.6f border squares a fleet\n", rules.id, exact.fleets,
               exact.MeanBorder());
  absl::PrintF("  %d draws: the farthest square is off by %.2f sigma, border %.4f\n  %s\n", draws,
               farthest, border / draws, times.ToString());
  Expect(farthest < 5, "a square is off by 5 sigma or more");
}

// Of so many tries how many succeed.
int Successes(const OpenPlaces& open, int tries, base::Random& random) {
  int successes = 0;
  for (int i = 0; i < tries; ++i) {
    successes += rules::DrawByTrying(open, 1, random).has_value() ? 1 : 0;
  }
  return successes;
}

// Moves one ship of a draft after the other to where tries succeed more rarely.
void MeasureWorstDrafts(const RuleSet& rules, base::Random& random) {
  constexpr int kTries = 20'000;
  constexpr int kSteps = 1'000'000;
  Times proposals;
  Times refusals;
  int fewest = kTries;
  for (std::size_t kept = 1; kept + 1 < rules.ships.size(); ++kept) {
    Fleet draft = rules::CompleteFleet(rules, {}, random).value();
    std::shuffle(draft.begin(), draft.end(), std::minstd_rand(static_cast<unsigned>(kept)));
    draft.resize(kept);
    int best = kTries;
    for (int step = 0; step < absl::GetFlag(FLAGS_climbs); ++step) {
      Fleet other = draft;
      std::swap(other[random.Uniform(kept)], other.back());
      const int ship = other.back().ship;
      const std::vector<rules::ShipPlace> places = rules::ShipPlaces(rules, ship);
      other.back() = places[random.Uniform(places.size())].placement;
      const std::vector<rules::Violation> violations = rules::CheckFleet(rules, other);
      if (violations.size() != rules.ships.size() - kept) continue;
      const OpenPlaces open = rules::FindOpenPlaces(rules, other);
      const rules::Completable completable = rules::FindCompletion(open, kSteps);
      Expect(completable != rules::Completable::kUnknown, "a draft was not decided");
      if (completable == rules::Completable::kNo) {
        const bool refused =
            !refusals.Of([&] { return rules::CompleteFleet(rules, other, random); }).ok();
        Expect(refused, "a draft without a completion was completed");
        continue;
      }
      const bool completed =
          proposals.Of([&] { return rules::CompleteFleet(rules, other, random); }).ok();
      Expect(completed, "a draft with a completion was refused");
      const int successes = Successes(open, kTries, random);
      if (successes > best) continue;
      best = successes;
      draft = std::move(other);
    }
    fewest = std::min(fewest, best);
  }
  absl::PrintF("  worst drafts found: %d of %d tries succeed\n  %s\n  without completion: %s\n",
               fewest, kTries, proposals.ToString(), refusals.ToString());
}

// Fleets that a table may make up, at random among all of them.
void MeasureCrowded(base::Random& random) {
  Times times;
  int tried = 0;
  while (tried < absl::GetFlag(FLAGS_crowded)) {
    RuleSet rules;
    rules.ships_may_touch = random.Uniform(4) == 0;
    rules.ring_closed = false;
    const std::uint64_t ships = 8 + random.Uniform(rules::kMaxShips - 7);
    std::vector<int> lengths;
    for (std::uint64_t ship = 0; ship < ships; ++ship) {
      lengths.push_back(1 + static_cast<int>(random.Uniform(rules::kMaxShipLength)));
      rules.ships.push_back({absl::StrCat("ship-", ship), lengths.back()});
    }
    if (!rules::CanAllBePlaced(lengths, rules.ships_may_touch)) continue;
    ++tried;
    const absl::StatusOr<Fleet> fleet =
        times.Of([&] { return rules::CompleteFleet(rules, {}, random); });
    Expect(fleet.ok() && rules::CheckFleet(rules, *fleet).empty(), "a fleet was not laid");
  }
  absl::PrintF("%d fleets of 8 to 15 ships made up at random: all laid\n  %s\n", tried,
               times.ToString());
}

void Run() {
  base::SeededRandom random(absl::GetFlag(FLAGS_seed));
  for (const RuleSet& rules : AllFleets()) {
    MeasureDraws(rules, random);
    MeasureWorstDrafts(rules, random);
  }
  MeasureCrowded(random);
}

}  // namespace
}  // namespace naval::bench

int main(int argc, char** argv) {
  const std::vector<char*> rest =
      naval::base::ParseFlags(argc, argv, "measures random fleets; fails where they are not even.");
  if (!rest.empty()) {
    absl::FPrintF(stderr, "naval-fleets: '%s' is no flag; see --help\n", rest[0]);
    return 2;
  }
  if (const std::string only = absl::GetFlag(FLAGS_rule_set); !only.empty()) {
    const auto known = naval::rules::ChooseRules({.rule_set = only}, naval::rules::Opponent::kBot);
    if (!known.ok()) {
      absl::FPrintF(stderr, "naval-fleets: %s\n", known.status().message());
      return 2;
    }
  }
  naval::bench::Run();
  return naval::bench::failed ? 1 : 0;
}
