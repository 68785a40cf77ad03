#include "tests/simulation/swarm.h"

#include <initializer_list>

namespace naval::simulation {
namespace {

template <typename Value>
Value OneOf(std::initializer_list<Value> values, base::Random& random) {
  return values.begin()[random.Uniform(values.size())];
}

}  // namespace

Swarm DrawSwarm(base::Random& random) {
  const auto often = [&](int one_in) { return OneOf({0, 0, one_in, one_in * 10}, random); };
  Swarm swarm;
  swarm.pods = OneOf({1, 1, 2, 2, 3}, random);
  swarm.asks_oracle = random.Uniform(8) == 0;
  swarm.twins = random.Uniform(32) == 0;
  swarm.matches = OneOf({1, 1, 1, 2}, random);
  swarm.interrupt_one_in = OneOf({0, 0, 2, 20, 200}, random);
  swarm.bots_pause = OneOf({false, false, true}, random);
  swarm.think = absl::Milliseconds(OneOf({20, 100, 300, 1000}, random));
  swarm.hit_one_in = OneOf({1, 1, 2, 3}, random);
  swarm.latency = absl::Milliseconds(OneOf({1, 10, 60, 400}, random));
  // In one run of eight nothing goes wrong at all.
  if (random.Uniform(8) == 0) return swarm;
  swarm.database = {.statement_lost_one_in = often(200),
                    .commit_in_doubt_one_in = often(50),
                    .slow_one_in = OneOf({0, 0, 10, 100, 1000}, random),
                    .slow_duration = absl::Milliseconds(OneOf({200, 1000, 3000, 12000}, random))};
  swarm.lost_one_in = often(10);
  swarm.doubled_one_in = often(4);
  swarm.stream_breaks_one_in = often(30);
  swarm.faulty_duration = absl::Seconds(OneOf({20, 40, 60, 90}, random));
  swarm.between_disasters = absl::Seconds(OneOf({3, 10, 30}, random));
  swarm.crashes = OneOf({false, true}, random);
  swarm.drains = OneOf({false, true}, random);
  swarm.pauses = OneOf({false, true}, random);
  swarm.database_away = OneOf({false, true}, random);
  swarm.mischief_one_in = often(4);
  swarm.absent_one_in = often(30);
  swarm.last_moment_one_in = OneOf({0, 0, 1, 4}, random);
  swarm.resign_one_in = OneOf({0, 0, 300}, random);
  swarm.leaves_one_in = OneOf({0, 0, 0, 60}, random);
  swarm.reader_stalls_one_in = OneOf({0, 0, 3, 10}, random);
  swarm.two_releases = OneOf({false, false, true}, random);
  swarm.clock_error = absl::Milliseconds(OneOf({0, 0, 100, 5'000, 120'000}, random));
  return swarm;
}

}  // namespace naval::simulation
