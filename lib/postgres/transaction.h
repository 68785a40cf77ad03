#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "lib/postgres/row.h"
#include "lib/postgres/value.h"
#include "lib/postgres/watchdog.h"

namespace pqxx {
class transaction_base;
}

namespace naval::postgres {

// The reasons of the errors below.
inline constexpr char kDatabaseUnavailable[] = "DATABASE_UNAVAILABLE";
inline constexpr char kCommitInDoubt[] = "COMMIT_IN_DOUBT";
inline constexpr char kUniqueViolation[] = "UNIQUE_VIOLATION";
inline constexpr char kTransactionConflict[] = "TRANSACTION_CONFLICT";
inline constexpr char kInvalidText[] = "INVALID_TEXT";
inline constexpr char kDatabaseError[] = "DATABASE_ERROR";

// A transaction in progress (READ COMMITTED); given to the body of Pool::Transact and gone with it.
// For one thread.
class Transaction {
 public:
  Transaction(pqxx::transaction_base& transaction, Watchdog::Line& line);

  // Runs one statement, whose values are given as parameters only:
  //   tx.Execute("UPDATE lobby.account SET handle = $2 WHERE account_id = $1", {id, handle})
  // `sql` is a constant of the program: each connection has the server read it once, and keeps it.
  // Errors:
  //   UNAVAILABLE       DATABASE_UNAVAILABLE  the connection broke, the statement took too long, or
  //                                           the server is out of something; with a retry delay
  //   ALREADY_EXISTS    UNIQUE_VIOLATION      metadata "constraint" names the constraint
  //   UNAVAILABLE       TRANSACTION_CONFLICT  serialization failure, deadlock, or no lock in time;
  //                                           with a retry delay
  //   INVALID_ARGUMENT  INVALID_TEXT          a text holds a NUL byte or is not UTF-8
  //   INTERNAL          DATABASE_ERROR        anything else; what it was stands in the log only
  // After any of them the transaction can only roll back: further calls return the same error, and
  // Transact returns it whatever the body returns. Where a conflict is expected use ON CONFLICT.
  absl::StatusOr<Rows> Execute(absl::string_view sql, std::initializer_list<Param> params = {});
  // As above, for a number of values known at run time only.
  absl::StatusOr<Rows> Execute(absl::string_view sql, absl::Span<const Param> params);

  // Runs a text of several statements without parameters; for migrations. Errors as above.
  absl::Status ExecuteScript(absl::string_view sql);

  // From now on the transaction may take `limit`, in place of what is left of the call's: the
  // server ends a statement that takes longer, and a second later the connection is cut. For
  // migrations. Errors as above.
  absl::Status ExtendTo(absl::Duration limit);

  // The first error of a statement, else OK.
  const absl::Status& status() const { return status_; }

 private:
  // What libpqxx takes, or why a value cannot be sent.
  absl::StatusOr<std::vector<std::optional<std::string>>> Texts(absl::Span<const Param> params);
  absl::Status Fail(absl::Status error);

  pqxx::transaction_base& transaction_;
  Watchdog::Line& line_;
  absl::Status status_;
};

}  // namespace naval::postgres
