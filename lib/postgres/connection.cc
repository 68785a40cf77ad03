#include "lib/postgres/connection.h"

#include <fcntl.h>
#include <poll.h>

#include <memory>
#include <pqxx/pqxx>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/exception_status.h"

// libpqxx 6.4.5 forgets to free the result of the statement during which a connection broke: 2 KB
// each time. The leak checker of the sanitizer builds reads this, nothing else does.
extern "C" const char* __lsan_default_suppressions() {  // NOLINT(readability-identifier-naming)
  return "leak:PQmakeEmptyPGresult\n";
}

// Its report of what it passed over would stand among the JSON lines of the log.
extern "C" const char* __lsan_default_options() {  // NOLINT(readability-identifier-naming)
  return "print_suppressions=0";
}

namespace naval::postgres {
namespace {

// A server that cannot be reached is given up after these times, also by connections that nobody
// uses, which the watchdog leaves alone; libpq takes the connect_timeout in seconds and the
// tcp_user_timeout in milliseconds. Values that the caller gave stand first and lose.
std::string WithNetworkTimeouts(absl::string_view connection_string) {
  const bool is_uri = absl::StartsWith(connection_string, "postgresql://") ||
                      absl::StartsWith(connection_string, "postgres://");
  const std::string settings =
      absl::StrCat("connect_timeout=", absl::ToInt64Seconds(kMaxConnectDuration),
                   " keepalives_idle=5 keepalives_interval=5 tcp_user_timeout=10000");
  if (!is_uri) return absl::StrCat(connection_string, " ", settings);
  return absl::StrCat(connection_string, absl::StrContains(connection_string, '?') ? "&" : "?",
                      absl::StrReplaceAll(settings, {{" ", "&"}}));
}

int DuplicateSocket(const pqxx::connection& connection) {
  const int socket = fcntl(connection.sock(), F_DUPFD_CLOEXEC, 0);
  if (socket < 0) throw pqxx::broken_connection("no file descriptor is left");
  return socket;
}

// Not whether there is something to read: a server may tell of a setting that was changed.
bool HasHungUp(const pqxx::connection& connection) {
  pollfd socket = {.fd = connection.sock(), .events = POLLRDHUP, .revents = 0};
  return connection.sock() < 0 || poll(&socket, 1, /*timeout=*/0) != 0;
}

std::string Milliseconds(absl::Duration duration) {
  return absl::StrCat(absl::ToInt64Milliseconds(duration));
}

}  // namespace

struct Connection::State {
  State(const std::string& connection_string, Watchdog& watchdog)
      : connection(connection_string),
        notices(connection),
        line(watchdog, DuplicateSocket(connection)) {}

  pqxx::connection connection;
  // Drops the server's notices, which would be printed to standard error otherwise.
  pqxx::quiet_errorhandler notices;
  Watchdog::Line line;
  // What was begun; a statement by itself has a transaction that libpqxx only calls so.
  std::unique_ptr<pqxx::transaction_base> work;
  CallKind kind = CallKind::kTransaction;
};

Connection::Connection(std::unique_ptr<State> state) : state_(std::move(state)) {}

Connection::~Connection() = default;

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const Pool::Options& options,
                                                             Watchdog& watchdog,
                                                             absl::Time deadline) {
  try {
    auto state = std::make_unique<State>(WithNetworkTimeouts(options.connection_string), watchdog);
    state->line.CutAt(deadline);
    // libpqxx 6 would reconnect on its own and lose the settings below. It calls this deprecated
    // because version 7 never reconnects.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    state->connection.inhibit_reactivation(true);
#pragma GCC diagnostic pop
    // Errors without DETAIL, which quotes stored values: they go to the log.
    state->connection.set_verbosity(pqxx::connection_base::terse);
    pqxx::nontransaction session(state->connection);
    session.exec_params(
        "SELECT set_config('application_name', $1, false),"
        " set_config('statement_timeout', $2, false), set_config('lock_timeout', $3, false),"
        " set_config('idle_in_transaction_session_timeout', $4, false),"
        " set_config('timezone', 'UTC', false), set_config('datestyle', 'ISO', false),"
        " set_config('bytea_output', 'hex', false)",
        options.application_name, Milliseconds(options.statement_timeout),
        Milliseconds(options.lock_timeout),
        // The same limit seen from the other side: when it is we who fall silent, our locks must
        // not outlive us by the hours that TCP may take.
        Milliseconds(options.statement_timeout + kAnswerGrace));
    return std::unique_ptr<Connection>(new Connection(std::move(state)));
  } catch (...) {
    return StatusFromCurrentException();
  }
}

void Connection::CutAt(absl::Time deadline) { state_->line.CutAt(deadline); }

absl::Status Connection::Begin(CallKind kind) {
  try {
    state_->kind = kind;
    if (kind == CallKind::kTransaction) {
      state_->work = std::make_unique<pqxx::work>(state_->connection);
    } else {
      if (HasHungUp(state_->connection)) return DatabaseUnavailable();
      state_->work = std::make_unique<pqxx::nontransaction>(state_->connection);
    }
    return absl::OkStatus();
  } catch (...) {
    return StatusFromCurrentException();
  }
}

absl::Status Connection::Finish(absl::FunctionRef<absl::Status(Transaction&)> body) {
  Transaction transaction(*state_->work, state_->line);
  absl::Status status;
  try {
    status = body(transaction);
  } catch (...) {
    // A getter of Row that does not fit its column.
    status = StatusFromCurrentException();
  }
  // COMMIT of a transaction in which a statement failed would roll back and say nothing.
  if (!transaction.status().ok()) status = transaction.status();
  // Of a statement that the server itself ended it is known that nothing was done.
  if (state_->kind == CallKind::kStatement && !IsUsable()) status = AsOfACommit(std::move(status));
  try {
    if (status.ok()) state_->work->commit();
  } catch (...) {
    status = CommitStatusFromCurrentException();
  }
  // Rolls back what was not committed.
  state_->work.reset();
  state_->line.CutAt(absl::InfiniteFuture());
  return status;
}

bool Connection::IsUsable() const { return state_->connection.is_open() && !state_->line.IsCut(); }

}  // namespace naval::postgres
