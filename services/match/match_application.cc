#include "services/match/match_application.h"

#include <utility>

#include "absl/strings/str_cat.h"
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

// FAILED_PRECONDITION when the newest match is sealed with a key that is not there. Better no
// process than one that can play none of the matches and seals new ones with a key of its own.
absl::Status RequireSealingKey(PgMatchStore& store, const auth::Sealer& sealer) {
  NAVAL_ASSIGN_OR_RETURN(const std::string body, store.NewestBody());
  const absl::Status status = sealer.RequireKeyOf(body);
  if (status.ok()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the newest match in the database cannot be read: ", status.message(),
                   "; add the line with that key to --sealing_key_file"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<MatchApplication>> MatchApplication::Start(
    MatchOptions options, auth::Verifier verifier, auth::Sealer sealer, base::Secret service_token,
    base::Clock& clock) {
  std::unique_ptr<MatchApplication> application(new MatchApplication(
      std::move(options), std::move(verifier), std::move(sealer), std::move(service_token), clock));
  base::Log(base::LogLevel::kInfo, "sealing", {{"key_id", application->sealer_.key_id()}});
  NAVAL_RETURN_IF_ERROR(postgres::RequireSchema(application->pool_, kSchema));
  NAVAL_RETURN_IF_ERROR(RequireSealingKey(application->store_, application->sealer_));
  NAVAL_RETURN_IF_ERROR(application->core_.Start(
      [&forwarder = application->forwarder_](int partition) { forwarder.OnMoved(partition); }));
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
      core_({.store = store_,
             .sealer = sealer_,
             .random = random_,
             .clock = clock,
             .machine_clock = machine_clock_,
             .observer = metrics_},
            std::move(options.core)),
      forwarder_(core_.ownership(), metrics_),
      match_service_(core_.matches(), forwarder_, verifier_, clock),
      match_internal_service_(core_.matches(), forwarder_, service_token_) {
  metrics_.ReadFrom(core_.matches(), core_.journal(), core_.ownership(),
                    {.pool = pool_, .executors = core_.executors()});
}

void MatchApplication::Drain() {
  core_.Drain();
  forwarder_.Drain();
  pool_.Drain(server::kMaxWaitWhileDraining);
}

// The core tells the forwarder what it finds out.
MatchApplication::~MatchApplication() { core_.Stop(); }

}  // namespace naval::match
