#include "services/match/match_application.h"

#include <utility>

#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/migrations.h"
#include "naval/match/migrations.h"

namespace naval::match {
namespace {

postgres::Pool::Options Observed(postgres::Pool::Options options,
                                 postgres::PoolObserver& observer) {
  options.observer = &observer;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<MatchApplication>> MatchApplication::Start(
    MatchOptions options, auth::Verifier verifier, auth::Sealer sealer, base::Secret service_token,
    base::Clock& clock) {
  std::unique_ptr<MatchApplication> application(new MatchApplication(
      std::move(options), std::move(verifier), std::move(sealer), std::move(service_token), clock));
  base::Log(base::LogLevel::kInfo, "sealing", {{"key_id", application->sealer_.key_id()}});
  NAVAL_RETURN_IF_ERROR(postgres::RequireSchema(application->pool_, kSchema));
  NAVAL_RETURN_IF_ERROR(application->ownership_.Start(
      {.acquired = [&matches = application->matches_](int p) { matches.OnAcquired(p); },
       .lost = [&matches = application->matches_](int p) { matches.OnLost(p); },
       .moved = [&forwarder = application->forwarder_](int p) { forwarder.OnMoved(p); }}));
  NAVAL_RETURN_IF_ERROR(application->matches_.Recover());
  application->lobby_outbox_.Start();
  application->ranking_outbox_.Start();
  return application;
}

MatchApplication::MatchApplication(MatchOptions options, auth::Verifier verifier,
                                   auth::Sealer sealer, base::Secret service_token,
                                   base::Clock& clock)
    : verifier_(std::move(verifier)),
      sealer_(std::move(sealer)),
      service_token_(std::move(service_token)),
      pool_(Observed(std::move(options.database), metrics_.pool_observer())),
      store_(pool_),
      lobby_outbox_(Destination::kLobby, store_, clock, std::move(options.send_to_lobby), metrics_),
      ranking_outbox_(Destination::kRanking, store_, clock, std::move(options.send_to_ranking),
                      metrics_),
      answers_({.name = "answers", .threads = 2, .max_queued = 4096}),
      loader_({.name = "loader", .threads = 2, .max_queued = 1024}),
      journal_(store_, answers_, machine_clock_, metrics_, {}),
      timers_(clock),
      ownership_(store_, machine_clock_, std::move(options.owner), std::move(options.peer_address)),
      context_{.clock = clock,
               .random = random_,
               .sealer = sealer_,
               .journal = journal_,
               .timers = timers_,
               .ownership = ownership_,
               .wake_outbox =
                   [this] {
                     lobby_outbox_.Wake();
                     ranking_outbox_.Wake();
                   },
               .observer = metrics_,
               .bots_pause = options.bots_pause},
      matches_(store_, loader_, context_, options.max_matches),
      forwarder_(ownership_, metrics_),
      match_service_(matches_, forwarder_, verifier_, clock),
      match_internal_service_(matches_, forwarder_, service_token_) {
  metrics_.ReadFrom(matches_, journal_, ownership_,
                    {.pool = pool_, .executors = {&answers_, &loader_, &journal_.writer()}});
}

void MatchApplication::Drain() {
  // First the matches, while the database may still be used freely; then the streams are told to
  // reconnect, to whoever takes them.
  ownership_.Drain();
  matches_.Drain();
  forwarder_.Drain();
  // Their last calls may take a while: both at the same time as those of the clients.
  lobby_outbox_.Drain();
  ranking_outbox_.Drain();
  pool_.Drain(server::kMaxWaitWhileDraining);
}

// Sources of work first, then what the work runs on, so that everything accepted is finished.
MatchApplication::~MatchApplication() {
  timers_.Stop();
  ownership_.Stop();
  matches_.Stop();
  loader_.Stop();
  journal_.Stop();
  answers_.Stop();
  lobby_outbox_.Stop();
  ranking_outbox_.Stop();
}

}  // namespace naval::match
