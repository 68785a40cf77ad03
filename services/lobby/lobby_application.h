#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/auth/access_token.h"
#include "lib/auth/password.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "lib/postgres/pool.h"
#include "lib/server/server.h"
#include "services/lobby/account_service.h"
#include "services/lobby/accounts.h"
#include "services/lobby/lobby_internal_service.h"
#include "services/lobby/lobby_metrics.h"
#include "services/lobby/lobby_service.h"
#include "services/lobby/match_starter.h"
#include "services/lobby/periodic_task.h"
#include "services/lobby/pg_account_store.h"
#include "services/lobby/pg_table_store.h"

namespace naval::lobby {

// What the lobby is given from outside.
struct LobbyOptions {
  // How many connections it takes is not asked: the lobby knows its threads.
  postgres::Pool::Options database;
  // "HOST:PORT" of the internal port of the match service.
  std::string match_address;
  auth::PasswordCost password_cost = auth::kPasswordCost;
};

// The lobby, wired: every part in the order in which each needs the ones above it.
class LobbyApplication final : public server::Application {
 public:
  // FAILED_PRECONDITION, reason SCHEMA_TOO_OLD, when --migrate was not run; the errors of the
  // database. `clock` must outlive the application.
  static absl::StatusOr<std::unique_ptr<LobbyApplication>> Start(LobbyOptions options,
                                                                 auth::Signer signer,
                                                                 auth::Verifier verifier,
                                                                 base::Secret service_token,
                                                                 base::Clock& clock);
  ~LobbyApplication() override;

  std::vector<grpc::Service*> PublicServices() override {
    return {&account_service_, &lobby_service_};
  }
  std::vector<grpc::Service*> InternalServices() override { return {&internal_service_}; }
  std::vector<const prometheus::Collectable*> Metrics() override { return {metrics_.get()}; }
  void Drain() override;

 private:
  LobbyApplication(const LobbyOptions& options, std::unique_ptr<LobbyMetrics> metrics,
                   std::unique_ptr<postgres::Pool> pool, auth::Signer signer,
                   auth::Verifier verifier, base::Secret service_token, base::Clock& clock);

  // Ends what nobody ended in time, and counts what waits.
  void Sweep();

  // Shared with the pool, which is made before the rest.
  const std::unique_ptr<LobbyMetrics> metrics_;
  base::Clock& clock_;
  const auth::Signer signer_;
  const auth::Verifier verifier_;
  const base::Secret service_token_;
  base::SecureRandom random_;
  const std::unique_ptr<postgres::Pool> pool_;
  PgAccountStore account_store_;
  PgTableStore table_store_;
  const auth::PasswordHasher hasher_;
  base::Executor executor_;
  base::Executor password_executor_;
  Accounts accounts_;
  MatchStarter starter_;
  AccountService account_service_;
  LobbyService lobby_service_;
  LobbyInternalService internal_service_;
  // How far the sweep has come in its walk over the guests. Its own.
  std::optional<std::string> last_guest_;
  PeriodicTask sweep_;
};

}  // namespace naval::lobby
