#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/auth/access_token.h"
#include "lib/auth/sealer.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "lib/postgres/pool.h"
#include "lib/server/server.h"
#include "services/match/forwarder.h"
#include "services/match/match_core.h"
#include "services/match/match_internal_service.h"
#include "services/match/match_metrics.h"
#include "services/match/match_service.h"
#include "services/match/pg_match_store.h"

namespace naval::match {

// What the match service is given from outside.
struct MatchOptions {
  postgres::Pool::Options database;
  MatchCore::Options core;
};

// The match service: the core on Postgres, behind gRPC.
class MatchApplication final : public server::Application {
 public:
  // As MatchCore::Start. FAILED_PRECONDITION, reason SCHEMA_TOO_OLD, when --migrate was not run;
  // the errors of the database. `clock` must outlive the application.
  static absl::StatusOr<std::unique_ptr<MatchApplication>> Start(MatchOptions options,
                                                                 auth::Verifier verifier,
                                                                 auth::Sealer sealer,
                                                                 base::Secret service_token,
                                                                 base::Clock& clock);
  ~MatchApplication() override;

  std::vector<grpc::Service*> PublicServices() override { return {&match_service_}; }
  // The public one, too: the other processes hand calls on to it.
  std::vector<grpc::Service*> InternalServices() override {
    return {&match_internal_service_, &match_service_};
  }
  std::vector<const prometheus::Collectable*> Metrics() override { return {&metrics_}; }
  void Drain() override;

 private:
  MatchApplication(MatchOptions options, auth::Verifier verifier, auth::Sealer sealer,
                   base::Secret service_token, base::Clock& clock);

  MatchMetrics metrics_;
  const auth::Verifier verifier_;
  const auth::Sealer sealer_;
  const base::Secret service_token_;
  base::SecureRandom random_;
  base::SystemClock machine_clock_;
  postgres::Pool pool_;
  PgMatchStore store_;
  MatchCore core_;
  Forwarder forwarder_;
  MatchService match_service_;
  MatchInternalService match_internal_service_;
};

}  // namespace naval::match
