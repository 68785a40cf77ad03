#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tools/load/history.h"
#include "tools/load/report.h"

namespace naval::load {

// What the players report of what they do. Shots, events and games count between Open and Close,
// errors from Begin on, faults always. For one thread.
class Tally {
 public:
  void Begin() { begun_ = true; }
  void Open() { open_ = true; }
  void Close() { open_ = false; }

  void Shot(absl::Duration took) {
    if (open_) shots_.Add(took);
  }
  void Event(absl::Duration took) {
    if (open_) events_.Add(took);
  }
  void Game() { games_ += open_ ? 1 : 0; }
  void Error(const absl::Status& status) {
    if (begun_) ++errors_[absl::StatusCodeToString(status.code())];
  }
  void Add(const Faults& faults) { faults_ += faults; }

  // The first error that makes going on senseless; OK as long as there is none.
  void Fail(const absl::Status& status) { status_.Update(status); }
  const absl::Status& status() const { return status_; }

  void WriteTo(Report& report) const {
    report.shots = shots_;
    report.events = events_;
    report.games = games_;
    report.errors = errors_;
    report.faults = faults_;
  }

 private:
  bool begun_ = false;
  bool open_ = false;
  Samples shots_;
  Samples events_;
  int64_t games_ = 0;
  std::map<std::string, int64_t> errors_;
  Faults faults_;
  absl::Status status_;
};

}  // namespace naval::load
