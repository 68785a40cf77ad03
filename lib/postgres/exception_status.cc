#include "lib/postgres/exception_status.h"

#include <exception>
#include <pqxx/pqxx>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
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
  base::Log(level, event, {{"status", error.what()}, {"sql_state", sql_state}, {"sql", sql}});
}

// What stands around a name in the languages that Postgres speaks: "x" 'x' “x” „x“ ‚x‘ »x« « x »
// 「x」.
constexpr absl::string_view kQuoteMarks[] = {"\"", "'", "«", "»", "‹", "›",  "“", "”",
                                             "„",  "‟", "‘", "’", "‚", "「", "」"};

// French puts spaces, of which one does not break, between the marks and the name.
constexpr absl::string_view kSpaces[] = {" ", "\u00a0", "\u202f"};

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool EndsInQuoteMark(absl::string_view text) {
  for (const absl::string_view space : kSpaces) {
    if (absl::ConsumeSuffix(&text, space)) break;
  }
  return absl::c_any_of(kQuoteMarks, [&](absl::string_view m) { return absl::EndsWith(text, m); });
}

bool BeginsWithQuoteMark(absl::string_view text) {
  for (const absl::string_view space : kSpaces) {
    if (absl::ConsumePrefix(&text, space)) break;
  }
  return absl::c_any_of(kQuoteMarks,
                        [&](absl::string_view m) { return absl::StartsWith(text, m); });
}

absl::Status CommitInDoubt() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, kCommitInDoubt,
                  "it is not known whether the change was stored: send it again with the same "
                  "request_id"),
      absl::Seconds(1));
}

// Not ABORTED: nothing was done, and whoever called need not look at anything before it asks again.
absl::Status Conflict() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, kTransactionConflict,
                  "the transaction ran into another one at the same time; try again"),
      absl::Milliseconds(50));
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

absl::Status DatabaseUnavailable() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, kDatabaseUnavailable,
                  "the database cannot be reached at the moment; try again"),
      absl::Seconds(1));
}

std::string ConstraintOf(absl::string_view message) {
  size_t end = message.size();
  while (end > 0) {
    size_t begin = end;
    while (begin > 0 && IsNameCharacter(message[begin - 1])) --begin;
    if (begin < end && EndsInQuoteMark(message.substr(0, begin)) &&
        BeginsWithQuoteMark(message.substr(end))) {
      return std::string(message.substr(begin, end - begin));
    }
    end = begin < end ? begin : end - 1;
  }
  return "";
}

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
  return AsOfACommit(StatusFromCurrentException());
}

absl::Status AsOfACommit(absl::Status status) {
  // A server that went away over a COMMIT may have done it.
  if (base::ReasonOf(status) == kDatabaseUnavailable) return CommitInDoubt();
  return status;
}

}  // namespace naval::postgres
