#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"

namespace naval::load {

struct EchoFigures {
  double calls_per_second = 0;
  // Of the server.
  absl::Duration cpu_per_call;
};

// Calls a bare echo server, started as a process of its own for it, with `concurrency` calls at
// once over as many connections as players have. Blocks for a little more than `duration`.
absl::StatusOr<EchoFigures> MeasureEcho(int concurrency, absl::Duration duration,
                                        base::Clock& clock, base::Random& random);

}  // namespace naval::load
