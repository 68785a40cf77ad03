#pragma once

#include "absl/status/status.h"
#include "tools/cli/arguments.h"
#include "tools/cli/context.h"

namespace naval::cli {

// The commands about a match that do one thing and come back. Each prints its answer; errors are
// those of MatchService and UsageError.
absl::Status Run(const ShowCommand& command, Context& context);
absl::Status Run(const WaitCommand& command, Context& context);
absl::Status Run(const ProposeCommand& command, Context& context);
absl::Status Run(const PlaceCommand& command, Context& context);
absl::Status Run(const ConfirmCommand& command, Context& context);
absl::Status Run(const FireCommand& command, Context& context);
absl::Status Run(const ResignCommand& command, Context& context);
absl::Status Run(const ClaimCommand& command, Context& context);

}  // namespace naval::cli
