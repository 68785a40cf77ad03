#include "services/ranking/ranking_application.h"

#include <cstddef>
#include <utility>

#include "lib/base/status_macros.h"
#include "lib/postgres/migrations.h"
#include "naval/ranking/migrations.h"

namespace naval::ranking {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kMaxQueued = 1024;

}  // namespace

absl::StatusOr<std::unique_ptr<RankingApplication>> RankingApplication::Start(
    postgres::Pool::Options database, auth::Verifier verifier, base::Secret service_token,
    const base::Clock& clock) {
  auto metrics = std::make_unique<RankingMetrics>();
  database.observer = &metrics->pool_observer();
  // One for each thread: no call waits for a connection.
  database.max_connections = kThreads;
  auto pool = std::make_unique<postgres::Pool>(std::move(database));
  NAVAL_RETURN_IF_ERROR(postgres::RequireSchema(*pool, kSchema));
  return std::unique_ptr<RankingApplication>(new RankingApplication(
      std::move(metrics), std::move(pool), std::move(verifier), std::move(service_token), clock));
}

RankingApplication::RankingApplication(std::unique_ptr<RankingMetrics> metrics,
                                       std::unique_ptr<postgres::Pool> pool,
                                       auth::Verifier verifier, base::Secret service_token,
                                       const base::Clock& clock)
    : metrics_(std::move(metrics)),
      verifier_(std::move(verifier)),
      service_token_(std::move(service_token)),
      pool_(std::move(pool)),
      store_(*pool_),
      executor_({.name = "ranking", .threads = kThreads, .max_queued = kMaxQueued}),
      ranking_service_(store_, verifier_, clock, executor_),
      internal_service_(store_, service_token_, executor_, *metrics_) {
  metrics_->ReadFrom({.pool = *pool_, .executors = {&executor_}});
}

}  // namespace naval::ranking
