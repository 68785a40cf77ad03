#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/auth/access_token.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "lib/base/secret.h"
#include "lib/postgres/pool.h"
#include "lib/server/server.h"
#include "services/ranking/pg_rating_store.h"
#include "services/ranking/ranking_internal_service.h"
#include "services/ranking/ranking_metrics.h"
#include "services/ranking/ranking_service.h"

namespace naval::ranking {

// The ranking, wired: every part in the order in which each needs the ones above it.
class RankingApplication final : public server::Application {
 public:
  // How many connections it takes is not asked: the ranking knows its threads. FAILED_PRECONDITION,
  // reason SCHEMA_TOO_OLD, when --migrate was not run; the errors of the database. `clock` must
  // outlive the application.
  static absl::StatusOr<std::unique_ptr<RankingApplication>> Start(postgres::Pool::Options database,
                                                                   auth::Verifier verifier,
                                                                   base::Secret service_token,
                                                                   const base::Clock& clock);
  // Everything accepted is finished.
  ~RankingApplication() override { executor_.Stop(); }

  std::vector<grpc::Service*> PublicServices() override { return {&ranking_service_}; }
  std::vector<grpc::Service*> InternalServices() override { return {&internal_service_}; }
  std::vector<const prometheus::Collectable*> Metrics() override { return {metrics_.get()}; }
  // There are no streams.
  void Drain() override { pool_->Drain(server::kMaxWaitWhileDraining); }

 private:
  RankingApplication(std::unique_ptr<RankingMetrics> metrics, std::unique_ptr<postgres::Pool> pool,
                     auth::Verifier verifier, base::Secret service_token, const base::Clock& clock);

  // Shared with the pool, which is made before the rest.
  const std::unique_ptr<RankingMetrics> metrics_;
  const auth::Verifier verifier_;
  const base::Secret service_token_;
  const std::unique_ptr<postgres::Pool> pool_;
  PgRatingStore store_;
  base::Executor executor_;
  RankingService ranking_service_;
  RankingInternalService internal_service_;
};

}  // namespace naval::ranking
