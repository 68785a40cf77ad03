#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "lib/base/random.h"

namespace naval::lobby {

// Handles are the names that players see of each other: 3 to 20 of A-Z, a-z, 0-9, '_' and '-',
// unique without regard to case.

// OK when an account may be registered under `handle`. Else INVALID_ARGUMENT, reason
// INVALID_HANDLE, for the field "handle": other characters or lengths, and names that begin like a
// guest's.
absl::Status CheckHandle(absl::string_view handle);

// A handle for a guest, "guest-7k2m9q": one of 2^30. It may be taken: draw again then.
std::string NewGuestHandle(base::Random& random);

}  // namespace naval::lobby
