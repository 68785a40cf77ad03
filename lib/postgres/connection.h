#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/postgres/pool.h"

namespace naval::postgres {

// One connection to the server, used by one thread at a time. It never reconnects by itself.
class Connection {
 public:
  // Opens one; UNAVAILABLE when that fails.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Pool::Options& options);
  ~Connection();

  // Begins a transaction; UNAVAILABLE when the connection turns out to be dead.
  absl::Status Begin();

  // Runs `body` in the begun transaction and ends that, as Pool::Transact documents.
  absl::Status Finish(absl::FunctionRef<absl::Status(Transaction&)> body);

  // False once the connection broke; then it is good for nothing.
  bool IsUsable() const;

 private:
  struct State;
  explicit Connection(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace naval::postgres
