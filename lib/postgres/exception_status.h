#pragma once

#include "absl/status/status.h"

namespace naval::postgres {

// Inside a catch block: the exception in flight as a status, as Transaction::Execute documents it.
// Errors that are not a caller's business are logged with their text.
absl::Status StatusFromCurrentException();

// As above for an exception of COMMIT: when it leaves open whether the transaction is committed,
// UNAVAILABLE with the reason COMMIT_IN_DOUBT.
absl::Status CommitStatusFromCurrentException();

}  // namespace naval::postgres
