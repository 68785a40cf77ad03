#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "naval/lobby/v1/account_service.pb.h"

namespace naval::client {

// Where a session outlives its client and is shared by several, of other processes too. A refresh
// token is good once, so whoever exchanges it must be alone with it. Implementations are thread
// safe.
class SessionStore {
 public:
  using Change =
      absl::FunctionRef<absl::StatusOr<lobby::v1::Session>(const lobby::v1::Session& kept)>;

  virtual ~SessionStore() = default;

  // Gives `change` the session that is kept, an empty one where none is, and keeps and returns what
  // it gives; nobody else changes it meanwhile. An error, of `change` or of the store, leaves what
  // was kept.
  virtual absl::StatusOr<lobby::v1::Session> ChangeSession(Change change) = 0;
};

}  // namespace naval::client
