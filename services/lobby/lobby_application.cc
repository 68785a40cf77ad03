#include "services/lobby/lobby_application.h"

#include <utility>

#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/migrations.h"
#include "lib/server/channel.h"
#include "naval/lobby/migrations.h"

namespace naval::lobby {
namespace {

constexpr size_t kThreads = 8;
constexpr size_t kMaxQueued = 1024;

// One password hash takes 19 MiB and 50 ms of a core: a storm of log-ins is turned away early, and
// play goes on.
constexpr size_t kPasswordThreads = 2;
constexpr size_t kMaxQueuedPasswords = 16;

// Besides the executors the starter's loop and the sweep use the database.
constexpr size_t kConnections = kThreads + kPasswordThreads + 2;

constexpr absl::Duration kSweepPause = absl::Seconds(10);

void LogFailure(absl::string_view what, const absl::Status& status) {
  if (status.ok()) return;
  base::Log(base::LogLevel::kWarning, "sweep_failed", {{"what", what}, {"status", status}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<LobbyApplication>> LobbyApplication::Start(
    LobbyOptions options, auth::Signer signer, auth::Verifier verifier, base::Secret service_token,
    base::Clock& clock) {
  auto metrics = std::make_unique<LobbyMetrics>();
  options.database.max_connections = kConnections;
  options.database.observer = &metrics->pool_observer();
  auto pool = std::make_unique<postgres::Pool>(options.database);
  NAVAL_RETURN_IF_ERROR(postgres::RequireSchema(*pool, kSchema));
  return std::unique_ptr<LobbyApplication>(
      new LobbyApplication(options, std::move(metrics), std::move(pool), std::move(signer),
                           std::move(verifier), std::move(service_token), clock));
}

LobbyApplication::LobbyApplication(const LobbyOptions& options,
                                   std::unique_ptr<LobbyMetrics> metrics,
                                   std::unique_ptr<postgres::Pool> pool, auth::Signer signer,
                                   auth::Verifier verifier, base::Secret service_token,
                                   base::Clock& clock)
    : metrics_(std::move(metrics)),
      clock_(clock),
      signer_(std::move(signer)),
      verifier_(std::move(verifier)),
      service_token_(std::move(service_token)),
      pool_(std::move(pool)),
      account_store_(*pool_),
      table_store_(*pool_),
      hasher_(options.password_cost),
      executor_({.name = "lobby", .threads = kThreads, .max_queued = kMaxQueued}),
      password_executor_(
          {.name = "passwords", .threads = kPasswordThreads, .max_queued = kMaxQueuedPasswords}),
      accounts_(account_store_, hasher_, signer_, clock_, random_, *metrics_),
      starter_(server::NewChannel(options.match_address), service_token_, table_store_, executor_,
               clock_, *metrics_),
      account_service_(accounts_, verifier_, clock_, executor_, password_executor_),
      lobby_service_(table_store_, starter_, verifier_, clock_, random_, executor_),
      internal_service_(table_store_, service_token_, executor_),
      sweep_(clock_, kSweepPause, [this] { Sweep(); }) {
  metrics_->ReadFrom({.pool = *pool_, .executors = {&executor_, &password_executor_}});
}

void LobbyApplication::Drain() {
  starter_.Drain();
  pool_->Drain(server::kMaxWaitWhileDraining);
}

// Sources of work first, then what the work runs on, so that everything accepted is finished.
LobbyApplication::~LobbyApplication() {
  sweep_.Stop();
  starter_.Stop();
  password_executor_.Stop();
  executor_.Stop();
}

void LobbyApplication::Sweep() {
  LogFailure("tables", table_store_.CloseExpired(clock_.Now()));
  LogFailure("accounts", account_store_.DeleteExpired(clock_.Now()));
  absl::StatusOr<std::optional<std::string>> last_guest =
      account_store_.DeleteIdleGuests(last_guest_);
  LogFailure("guests", last_guest.status());
  if (last_guest.ok()) last_guest_ = *std::move(last_guest);
  const absl::StatusOr<WaitingTables> waiting = table_store_.CountWaiting();
  LogFailure("count", waiting.status());
  metrics_->TablesCounted(waiting);
}

}  // namespace naval::lobby
