#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "tests/simulation/world.h"

namespace naval::simulation {

struct SeedRange {
  std::uint64_t first = 1;
  std::uint64_t last = 1;
};

struct SeedsReport {
  std::uint64_t runs = 0;
  std::uint64_t commands = 0;
  std::uint64_t disasters = 0;
  // Of all runs, in whatever order they were.
  std::uint64_t digest = 0;
  // What is wrong, by seed.
  std::map<std::uint64_t, std::string> failures;
};

// Runs every seed once, in `processes` processes, for a run that goes wrong ends its own; 0: as
// many as there are processors. Stops after `max_failures`.
SeedsReport RunSeeds(SeedRange range, int processes, std::size_t max_failures);

}  // namespace naval::simulation
