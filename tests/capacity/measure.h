#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace naval::capacity {

struct Plan {
  // Matches that go on when their process dies, at most kMaxMatches.
  int matches = 0;
  // Streams on them, at most one a match.
  int watchers = 0;
  // Matches that are played over days.
  int waiting = 0;
  // How many times what is due is looked for while it is measured what that costs; a minute each.
  int sweeps = 0;
};

// CPU time of both processes for one look through the store.
struct Sweep {
  absl::Duration match_cpu;
  absl::Duration postgres_cpu;
  int64_t resident_bytes = 0;
};

struct Figures {
  // Without and with waiting matches in the store, and no other.
  Sweep empty;
  Sweep waiting;
  int64_t rows = 0;
  // From the start of the process after the crash: until it serves, until all matches are in
  // memory, and until every clock has its time back.
  absl::Duration serving;
  absl::Duration loaded;
  absl::Duration resumed;
  // Until then, of both processes.
  absl::Duration match_cpu;
  absl::Duration postgres_cpu;
  // How long GetMatch takes of one match after another, while all are loaded.
  int asked = 0;
  absl::Duration asked_p50;
  absl::Duration asked_p99;
  // How many clocks did not get their time back, to the second.
  int clocks_short = 0;
  // How much of its time the worst of them lacks.
  absl::Duration most_short;
  int64_t bytes_per_match = 0;
  int64_t bytes_per_watcher = 0;
};

// Starts the services on a database of their own, fills it, and measures. DATA_LOSS when a match
// did not come back, or when one is in memory that should wait. For a program's main thread.
absl::StatusOr<Figures> Measure(const Plan& plan);

std::string TableText(const Plan& plan, const Figures& figures);
std::string JsonLine(const Plan& plan, const Figures& figures);

}  // namespace naval::capacity
