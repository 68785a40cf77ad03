#pragma once

#include "absl/status/status.h"

namespace naval::postgres {

// Inside a catch block: the exception in flight as a status, as Transaction::Execute documents it.
// Errors that are not a caller's business are logged with their text.
absl::Status StatusFromCurrentException();

// UNAVAILABLE with the reason DATABASE_UNAVAILABLE and a retry delay.
absl::Status DatabaseUnavailable();

}  // namespace naval::postgres
