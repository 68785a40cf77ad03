#pragma once

#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "tools/client/client.h"

namespace naval::demo {

// Plays and prints everything that naval-demo shows. The error says what did not hold. `clock` and
// `random`, which must be thread safe, must outlive the call.
absl::Status RunDemo(const client::Addresses& addresses, base::Clock& clock, base::Random& random);

}  // namespace naval::demo
