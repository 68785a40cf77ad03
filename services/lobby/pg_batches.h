#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/postgres/pool.h"

namespace naval::lobby {

// How many rows one transaction of a sweep touches: far less than the statement timeout allows.
inline constexpr int kSweepBatch = 1000;

// Runs `sql`, a statement with the parameters $1 (`time`) and $2 (the most rows it may touch), each
// time in a transaction of its own, until it finds less than kSweepBatch rows. Ends at the first
// error; what was done before it stays.
absl::Status ExecuteInBatches(postgres::Pool& pool, absl::string_view sql, absl::Time time);

}  // namespace naval::lobby
