#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/postgres/pool.h"
#include "lib/postgres/watchdog.h"

namespace naval::postgres {

// libpq counts it in whole seconds, and for each address of the server's name by itself.
inline constexpr absl::Duration kMaxConnectDuration = absl::Seconds(2);

// What the server gets to end a statement by itself, and to say so, before the connection is cut.
inline constexpr absl::Duration kAnswerGrace = absl::Seconds(1);

// One connection to the server, used by one thread at a time. It never reconnects by itself.
class Connection {
 public:
  // Connects, in kMaxConnectDuration, and sets it up until `deadline`, which stays its deadline;
  // UNAVAILABLE when that fails. `watchdog` must outlive it.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Pool::Options& options,
                                                          Watchdog& watchdog, absl::Time deadline);
  ~Connection();

  // Breaks the connection at `deadline`, whatever it waits for then. In place of the one before.
  void CutAt(absl::Time deadline);

  // Begins a transaction, or makes ready for a single statement without asking the server;
  // UNAVAILABLE when the connection turns out to be dead.
  absl::Status Begin(CallKind kind);

  // Runs `body` in what was begun and ends that, as Pool::Transact and Pool::TransactAlone
  // document. The connection then has no deadline any more.
  absl::Status Finish(absl::FunctionRef<absl::Status(Transaction&)> body);

  // False once the connection broke; then it is good for nothing.
  bool IsUsable() const;

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace naval::postgres
