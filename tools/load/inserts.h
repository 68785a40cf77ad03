#pragma once

#include <sys/types.h>

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"

namespace naval::load {

struct InsertFigures {
  double events_per_second = 0;
  // Whether the server waits for the disk.
  bool fsync = false;
  // The server's first process; 0 when it is not on this machine.
  pid_t postmaster = 0;
};

// Writes rows like those of a log into a table of its own, which it makes in the database of this
// libpq connection string and drops again: one statement after the other with `batch` rows each,
// every one durable before the next. Straight by libpq, for this is the yardstick. Blocks for a
// little more than `duration`. Errors are UNAVAILABLE, with what Postgres said.
absl::StatusOr<InsertFigures> MeasureInserts(const std::string& connection_string, int batch,
                                             absl::Duration duration, base::Clock& clock);

}  // namespace naval::load
