#pragma once

#include "absl/status/status.h"
#include "tools/cli/arguments.h"
#include "tools/cli/context.h"

namespace naval::cli {

// The commands that stay with a match until it is over: play finds or begins one, and takes moves;
// watch only looks on, or with --json prints a line for the state and one for each event. Both go
// on when the connection or the server was away. CANCELLED, see InterruptedBy, when a signal came.
absl::Status Run(const PlayCommand& command, Context& context);
absl::Status Run(const WatchCommand& command, Context& context);

}  // namespace naval::cli
