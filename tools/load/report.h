#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "tools/load/history.h"

namespace naval::load {

// How long each of many things took, all of them kept: percentiles are exact.
class Samples {
 public:
  void Add(absl::Duration sample) { samples_.push_back(absl::ToInt64Microseconds(sample)); }

  // The smallest sample, in milliseconds, that at least `percent` of all do not exceed (nearest
  // rank); 0 without samples.
  double PercentileMs(double percent) const;

  std::size_t size() const { return samples_.size(); }

 private:
  std::vector<int64_t> samples_;
};

// What a run has found. Rates and costs are those of the measured time.
struct Report {
  std::string rule_set;
  std::vector<std::string> options;
  int players = 0;
  absl::Duration think_time;
  absl::Duration measured;

  // From sending a shot or volley to its answer, over all its tries.
  Samples shots;
  // From sending it to the rival's stream telling of it.
  Samples events;
  // Matches that were played to their end.
  int64_t games = 0;
  // CPU time by process: "match", "lobby", "ranking", "postgres", "load". Those that cannot be
  // known are left out.
  std::map<std::string, absl::Duration> cpu;
  // Of the whole run, from the first match to the end of the last: tries that failed, by the names
  // of their codes, and what the histories show.
  std::map<std::string, int64_t> errors;
  Faults faults;
  // Matches that did not come to their end when all was to end.
  int64_t stuck = 0;

  // A bare echo server, called as the players call: as many calls at once, of the same size.
  double echo_calls_per_second = 0;
  absl::Duration echo_cpu_per_call;
  // Rows written to the same Postgres in batches of as many as there are matches, each batch
  // durable before the next; nothing where no Postgres was given.
  std::optional<double> insert_events_per_second;
  // Whether that Postgres waits for the disk.
  std::optional<bool> fsync;
};

// One line of JSON.
std::string JsonLine(const Report& report);

// The same for people, with the ratios.
std::string TableText(const Report& report);

}  // namespace naval::load
