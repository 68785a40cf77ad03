#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tests/chaos/faults.h"
#include "tests/support/cluster.h"
#include "tools/load/witness.h"

namespace naval::chaos {

// What is wrong, by what it is, with the first of each kind in words.
class Findings {
 public:
  // There is such a check; it may find nothing.
  void Look(const std::string& what) { counts_.emplace(what, 0); }
  void Add(const std::string& what, const std::string& example);
  void Add(const std::string& what, int64_t count);

  const std::map<std::string, int64_t>& counts() const { return counts_; }
  const std::map<std::string, std::string>& examples() const { return examples_; }
  bool none() const;

 private:
  std::map<std::string, int64_t> counts_;
  std::map<std::string, std::string> examples_;
};

// What was held against each other.
struct Checked {
  int64_t matches = 0;
  int64_t histories = 0;
  int64_t answers = 0;
  int64_t events = 0;
  int64_t rows = 0;
  int64_t timeouts = 0;
  int64_t results = 0;
};

// Has the database note, from now on, every row that was written by a process that did not own the
// match at that moment, and every change of an owner. It does so in the transaction that writes, so
// that no clock and no client is believed.
absl::Status Audit(testing::Cluster& cluster);

// Waits until ranking has every result that it is to have; whether it has.
bool AwaitResults(testing::Cluster& cluster);

// Holds all matches that the database has against what players were told of them, and against each
// other. Requires that nothing is played any more.
absl::StatusOr<Checked> Check(testing::Cluster& cluster,
                              const std::vector<load::MatchRecord>& records,
                              const std::vector<Fault>& faults, Findings& findings);

}  // namespace naval::chaos
