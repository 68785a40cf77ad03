// naval-bench: what a shot costs, in time and against a yardstick, and how much memory a live game
// holds.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/game.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/volley.h"
#include "tools/bench/allocated.h"

namespace naval::bench {
namespace {

using rules::Game;
using rules::Seat;

using SharedRules = std::shared_ptr<const rules::RuleSet>;

// Single shots first, then volleys.
const rules::RulesChoice kChoices[] = {{.rule_set = "tablu"},
                                       {.rule_set = "clasica"},
                                       {.rule_set = "salvo"},
                                       {.rule_set = "selminha"},
                                       {.rule_set = "salvo", .volley = true}};

SharedRules RulesOf(benchmark::State& state) {
  const rules::RulesChoice& choice = kChoices[state.range(0)];
  state.SetLabel(choice.rule_set + (choice.volley ? ", volleys" : ""));
  return rules::ChooseRules(choice, rules::Opponent::kPerson)->rules;
}

// A match of two seats that shoot at random.
class Match {
 public:
  Match(const SharedRules& rules, std::uint64_t seed)
      : random_(seed), game_({rules, Seat::kFirst}) {
    Apply(game_.Start(now_));
    for (const Seat seat : rules::kSeats) {
      Do(rules::ConfirmFleet{seat, rules::CompleteFleet(*rules, {}, random_).value()});
    }
  }

  bool over() const { return game_.phase() == rules::Phase::kOver; }

  // A shot, or as many as a volley has.
  rules::Command NextShots() {
    const Seat seat = game_.Awaits(Seat::kFirst) ? Seat::kFirst : Seat::kSecond;
    const rules::Sea& target = *game_.sea(rules::Rival(seat));
    rules::SquareSet open = target.open();
    rules::FireShots shots{seat, {}, game_.round()};
    const int size =
        game_.round() > 0 ? rules::VolleySize(game_.rules(), game_.sea(seat), &target) : 1;
    while (static_cast<int>(shots.squares.size()) < size) {
      const auto n = random_.Uniform(static_cast<std::uint64_t>(open.size()));
      shots.squares.push_back(open.Nth(static_cast<int>(n)));
      open.Remove(shots.squares.back());
    }
    return shots;
  }

  void Do(const rules::Command& command) {
    Apply(game_.Decide(command, now_, {random_, random_}).value());
  }

 private:
  void Apply(const std::vector<rules::Event>& events) {
    for (const rules::Event& event : events) game_.Apply(event);
  }

  base::SeededRandom random_;
  absl::Time now_ = absl::UnixEpoch();
  Game game_;
};

// The yardstick: a random number, as every proposal draws hundreds of.
void RandomNumber(benchmark::State& state) {
  base::SeededRandom random(1);
  for (auto _ : state) benchmark::DoNotOptimize(random.Uniform(100));
}
BENCHMARK(RandomNumber);

// Decide and Apply of one shot; whole matches, whose beginnings and choices of squares are not
// counted.
void Shot(benchmark::State& state) {
  const SharedRules rules = RulesOf(state);
  std::uint64_t seed = 1;
  std::optional<Match> match;
  constexpr int kBatch = 64;
  std::int64_t fired = 0;
  while (state.KeepRunningBatch(kBatch)) {
    for (int i = 0; i < kBatch; ++i) {
      if (!match.has_value() || match->over()) {
        state.PauseTiming();
        match.emplace(rules, seed++);
        state.ResumeTiming();
      }
      match->Do(match->NextShots());
      ++fired;
    }
  }
  state.SetItemsProcessed(fired);
}
BENCHMARK(Shot)->DenseRange(0, 3);

// Bytes of one game, on the heap and in itself, when its last shot falls; 1,000 games. Without its
// rules, which it shares.
void Memory(benchmark::State& state) {
  const SharedRules rules = RulesOf(state);
  double most = 0;
  for (auto _ : state) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
      const std::size_t before = AllocatedBytes();
      Match match(rules, seed);
      while (!match.over()) match.Do(match.NextShots());
      most = std::max(most, static_cast<double>(AllocatedBytes() - before + sizeof(Game)));
    }
  }
  state.counters["bytes"] = most;
}
BENCHMARK(Memory)->DenseRange(0, 4)->Iterations(1);

void Proposal(benchmark::State& state) {
  const SharedRules rules = RulesOf(state);
  base::SeededRandom random(1);
  for (auto _ : state) benchmark::DoNotOptimize(rules::CompleteFleet(*rules, {}, random));
}
BENCHMARK(Proposal)->DenseRange(0, 3);

}  // namespace
}  // namespace naval::bench

BENCHMARK_MAIN();
