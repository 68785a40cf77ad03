#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/postgres/transaction.h"
#include "lib/postgres/watchdog.h"

namespace naval::postgres {

class Connection;

// What a call runs: a transaction, or one statement that is one by itself.
enum class CallKind { kTransaction, kStatement };

// One call of Pool::Transact, when it has ended.
struct PoolCall {
  // For the right to use a connection.
  absl::Duration waited;
  // From then on, with the opening of a connection where that was needed; none when the call did
  // not get that far.
  std::optional<absl::Duration> took;
  // What the call returned.
  absl::Status status;
};

// Is told what a pool does, to count it. Called on the thread of the call; must not block. Thread
// safe.
class PoolObserver {
 public:
  virtual ~PoolObserver() = default;
  virtual void CallEnded(const PoolCall& call) = 0;
};

// A bounded set of connections to one database. Opens them when they are needed, keeps them, and
// drops one that broke. Thread safe; every call blocks, so never call it on a gRPC thread.
//
// No call blocks for longer than Options::statement_timeout and a second, whatever the server and
// the network do: a connection that has not answered by then is cut. (Three things are libpq's to
// end: a connection that is being made, after 2 s; where the name of the server has several
// addresses, each gets those 2 s; and the name is looked up for as long as the system's resolver
// takes.) After a server that kept silent when it was asked for a connection, calls that need a new
// one fail at once for a second, so that a queue of them is answered in that time too and not one
// after the other.
class Pool {
 public:
  struct Options {
    // A libpq connection string or URI. A password is better kept in PGPASSFILE.
    std::string connection_string;
    // Shown in pg_stat_activity: "naval-match".
    std::string application_name;
    size_t max_connections = 8;
    // How many calls may wait for a connection, and for how long.
    size_t max_waiting = 256;
    absl::Duration max_wait_duration = absl::Seconds(2);
    // After these the server ends a statement, or its wait for a lock, with an error. The first
    // also limits the whole call, see above.
    absl::Duration statement_timeout = absl::Seconds(5);
    absl::Duration lock_timeout = absl::Seconds(2);
    // Must outlive the pool; may be null.
    PoolObserver* observer = nullptr;
  };

  // Opens nothing yet.
  explicit Pool(Options options);
  // No call may be in progress.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Runs `body(Transaction&)`, which returns an absl::Status or an absl::StatusOr<T>, in one
  // transaction, and returns what it returned: committed when that is OK, rolled back otherwise.
  // The body runs at most once; nothing is retried once it has begun. Besides the errors of the
  // body and of Transaction::Execute:
  // UNAVAILABLE, reason DATABASE_UNAVAILABLE, when no connection could be opened, or after Drain,
  // and
  // RESOURCE_EXHAUSTED, reason SERVER_BUSY, when none was free in time: nothing happened.
  // UNAVAILABLE, reason COMMIT_IN_DOUBT, with a retry delay, when the connection broke during
  // COMMIT: it may have happened or not. Read the state anew, or repeat what is known as a
  // repetition.
  template <typename Body>
  std::invoke_result_t<Body&, Transaction&> Transact(Body&& body) {
    return Call(CallKind::kTransaction, body);
  }

  // As Transact, for a body that runs one statement: that commits by itself, in one round trip
  // where Transact makes three. So what the body returns afterwards undoes nothing; and when the
  // connection breaks, it is not known whether the statement came to its end: COMMIT_IN_DOUBT.
  template <typename Body>
  std::invoke_result_t<Body&, Transaction&> TransactAlone(Body&& body) {
    return Call(CallKind::kStatement, body);
  }

  // The pool at this moment: connections that calls use and that wait for one, and calls that wait
  // for a connection.
  struct Usage {
    size_t in_use = 0;
    size_t idle = 0;
    size_t waiting = 0;
    size_t max_connections = 0;
  };
  Usage usage() const NAVAL_EXCLUDES(mutex_);

  // Ends the use of the database within `limit`: what is not done by then is cut, as when its own
  // time is over, and later calls fail at once with DATABASE_UNAVAILABLE. Until then all goes on,
  // but no new connection is opened when that could take longer. Does not block.
  void Drain(absl::Duration limit) NAVAL_EXCLUDES(mutex_);

 private:
  template <typename Body>
  std::invoke_result_t<Body&, Transaction&> Call(CallKind kind, Body& body) {
    using Result = std::invoke_result_t<Body&, Transaction&>;
    if constexpr (std::is_same_v<Result, absl::Status>) {
      return Run(kind, body);
    } else {
      Result result = absl::UnknownError("the transaction did not run");
      absl::Status status = Run(kind, [&](Transaction& transaction) {
        result = body(transaction);
        return result.status();
      });
      if (!status.ok()) return status;
      return result;
    }
  }

  using BodyRef = absl::FunctionRef<absl::Status(Transaction&)>;
  absl::Status Run(CallKind kind, BodyRef body) NAVAL_EXCLUDES(mutex_);
  // Runs the body on a connection that Acquire gave, and gives that back.
  absl::Status RunOn(std::unique_ptr<Connection> idle, absl::Time deadline, CallKind kind,
                     BodyRef body) NAVAL_EXCLUDES(mutex_);
  // Waits for the right to use one connection; gives an idle one, or none when one is to be opened.
  absl::StatusOr<std::unique_ptr<Connection>> Acquire(absl::Time deadline) NAVAL_EXCLUDES(mutex_);
  // Closes what nobody uses.
  void DropIdle() NAVAL_EXCLUDES(mutex_);
  // Gives the right back, and the connection unless it is null.
  void Release(std::unique_ptr<Connection> connection) NAVAL_EXCLUDES(mutex_);
  // A connection with a call begun on it, to be cut at `deadline`: `idle` if it still works, else
  // one opened anew.
  absl::StatusOr<std::unique_ptr<Connection>> Begin(std::unique_ptr<Connection> idle,
                                                    absl::Time deadline, CallKind kind)
      NAVAL_EXCLUDES(mutex_);
  absl::StatusOr<std::unique_ptr<Connection>> Open(absl::Time deadline) NAVAL_EXCLUDES(mutex_);

  const Options options_;
  base::SystemClock clock_;
  Watchdog watchdog_;
  mutable base::Mutex mutex_;
  base::CondVar released_;
  std::vector<std::unique_ptr<Connection>> idle_ NAVAL_GUARDED_BY(mutex_);
  size_t in_use_ NAVAL_GUARDED_BY(mutex_) = 0;
  size_t waiting_ NAVAL_GUARDED_BY(mutex_) = 0;
  // Until when no other connection is asked for, after one that got no answer.
  absl::Time silent_until_ NAVAL_GUARDED_BY(mutex_) = absl::InfinitePast();
  // Set by Drain.
  absl::Time end_ NAVAL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
};

}  // namespace naval::postgres
