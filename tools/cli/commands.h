#pragma once

#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "tools/cli/arguments.h"

namespace naval::cli {

// Does what the arguments ask for and prints the answer. ExitCodeOf tells what an error means.
// `clock` and `random`, which must be thread safe, must outlive the call.
absl::Status RunCommand(const Arguments& arguments, base::Clock& clock, base::Random& random);

}  // namespace naval::cli
