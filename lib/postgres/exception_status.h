#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace naval::postgres {

// UNAVAILABLE, reason DATABASE_UNAVAILABLE, with a retry delay.
absl::Status DatabaseUnavailable();

// Inside a catch block: the exception in flight as a status, as Transaction::Execute documents it.
// Errors that are not a caller's business are logged with their text.
absl::Status StatusFromCurrentException();

// As above for an exception of COMMIT: when it leaves open whether the transaction is committed,
// UNAVAILABLE with the reason COMMIT_IN_DOUBT.
absl::Status CommitStatusFromCurrentException();

// The same for the status of a statement that commits by itself.
absl::Status AsOfACommit(absl::Status status);

// The constraint that the text of a unique violation names, whatever language the server speaks
// (lc_messages): the last word of A-Z, a-z, 0-9 and '_' between quote marks. Empty when there is
// none. libpqxx 6 hands on nothing but the text.
std::string ConstraintOf(absl::string_view message);

}  // namespace naval::postgres
