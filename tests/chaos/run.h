#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tests/chaos/checks.h"
#include "tests/chaos/faults.h"
#include "tools/load/report.h"

namespace naval::chaos {

// A finding: players waited for more than 3 s after the kill of a process of the match service, at
// the 99th percentile.
inline constexpr char kPauseTooLong[] = "pauses after a kill of match longer than 3 s, p99";

struct Plan {
  absl::Duration duration;
  // Other than 0: so many halts of the owner past its lease, in place of the duration.
  int stops = 0;
  uint64_t seed = 0;
  // Even.
  int players = 64;
  absl::Duration think_time = absl::Milliseconds(200);
  // Of a hundred turns, how many players let pass until the clock ends.
  int idle_percent = 1;
  Schedule schedule = {};
  // As for Faults.
  std::string postgres_tool = {};
  std::string postgres = {};
};

struct Outcome {
  std::vector<Fault> faults;
  // By what was done to the services when they began.
  std::map<std::string, load::Samples> pauses;
  // From the first match to the end of the last.
  load::Report played;
  // Answers of GetMatch by each process, beside what was played.
  int64_t reads = 0;
  Checked checked;
  Findings findings;
  // Why the run shows nothing; empty when it does.
  std::string invalid;
};

// Starts the services, has players play while they are harmed, heals them, lets all matches be
// played to their end, and checks everything. Blocks for a few minutes more than the duration.
absl::StatusOr<Outcome> Run(const Plan& plan);

std::string TableText(const Plan& plan, const Outcome& outcome);

}  // namespace naval::chaos
