#include "lib/postgres/exception_status.h"

#include <exception>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/postgres/transaction.h"

namespace naval::postgres {
namespace {

using base::LogLevel;

// Connections are opened with terse errors: `what` holds no DETAIL, which would quote stored
// values.
void LogFailure(LogLevel level, absl::string_view event, const std::exception& error,
                absl::string_view sql_state = "", absl::string_view sql = "") {
  base::Log(level, event, {{"error", error.what()}, {"sql_state", sql_state}, {"sql", sql}});
}

// `duplicate key value violates unique constraint "account_handle_key"`: the first word in quotes.
std::string ConstraintOf(absl::string_view message) {
  const size_t begin = message.find('"');
  if (begin == absl::string_view::npos) return "";
  const size_t end = message.find('"', begin + 1);
  if (end == absl::string_view::npos) return "";
  return std::string(message.substr(begin + 1, end - begin - 1));
}

absl::Status CommitInDoubt() {
  return base::Error(absl::StatusCode::kUnavailable, kCommitInDoubt,
                     "the connection to the database broke while it stored the change; look "
                     "whether it is there before trying again");
}

absl::Status Conflict() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kAborted, kTransactionConflict,
                  "the transaction ran into another one at the same time; try again"),
      absl::Milliseconds(50));
}

absl::Status DatabaseUnavailable() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, kDatabaseUnavailable,
                  "the database cannot be reached at the moment; try again"),
      absl::Seconds(1));
}

// The codes stand in Postgres's manual, appendix A.
absl::Status StatusFromSqlError(const pqxx::sql_error& error) {
  const std::string& state = error.sqlstate();
  if (state == "55P03") return Conflict();  // lock_not_available
  if (state == "22021") {                   // character_not_in_repertoire
    return base::Error(absl::StatusCode::kInvalidArgument, kInvalidText,
                       "a text is not valid UTF-8");
  }
  const bool out_of_resources = absl::StartsWith(state, "53");
  const bool stopping_or_cancelled = absl::StartsWith(state, "57");
  const bool on_a_standby = state == "25006";  // read_only_sql_transaction
  if (out_of_resources || stopping_or_cancelled || on_a_standby) {
    LogFailure(LogLevel::kWarning, "database_unavailable", error, state, error.query());
    return DatabaseUnavailable();
  }
  LogFailure(LogLevel::kError, "database_error", error, state, error.query());
  return base::Error(absl::StatusCode::kInternal, kDatabaseError, "a database statement failed");
}

}  // namespace

absl::Status StatusFromCurrentException() {
  try {
    throw;
  } catch (const pqxx::in_doubt_error& error) {
    LogFailure(LogLevel::kWarning, "commit_in_doubt", error);
    return CommitInDoubt();
  } catch (const pqxx::broken_connection& error) {
    LogFailure(LogLevel::kWarning, "database_unavailable", error);
    return DatabaseUnavailable();
  } catch (const pqxx::transaction_rollback&) {
    return Conflict();
  } catch (const pqxx::unique_violation& error) {
    return base::Error(absl::StatusCode::kAlreadyExists, kUniqueViolation,
                       "something with these values exists already",
                       {{"constraint", ConstraintOf(error.what())}});
  } catch (const pqxx::sql_error& error) {
    return StatusFromSqlError(error);
  } catch (const std::exception& error) {
    LogFailure(LogLevel::kError, "database_error", error);
    return base::Error(absl::StatusCode::kInternal, kDatabaseError, "a database statement failed");
  }
}

absl::Status CommitStatusFromCurrentException() {
  absl::Status status = StatusFromCurrentException();
  // A server that went away over a COMMIT may have done it.
  if (base::ReasonOf(status) == kDatabaseUnavailable) return CommitInDoubt();
  return status;
}

}  // namespace naval::postgres
