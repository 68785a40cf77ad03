#include "services/lobby/lobby_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <limits>

#include "lib/metrics/families.h"

namespace naval::lobby {
namespace {

using metrics::Counters;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Registry;

// How a call that proves who somebody is was answered.
class Outcomes {
 public:
  explicit Outcomes(Family<Counter>& family)
      : ok_(family.Add({{"outcome", "ok"}})),
        refused_(family.Add({{"outcome", "refused"}})),
        failed_(family.Add({{"outcome", "failed"}})) {}

  void Count(const absl::Status& status) {
    if (status.ok()) return ok_.Increment();
    (absl::IsUnauthenticated(status) ? refused_ : failed_).Increment();
  }

 private:
  Counter& ok_;
  Counter& refused_;
  Counter& failed_;
};

}  // namespace

struct LobbyMetrics::Metrics {
  explicit Metrics(Registry& where) : registry(where) {}

  Registry& registry;

  Family<Counter>& accounts = Counters(
      registry, "naval_accounts_total",
      "Accounts made: guests, registered at once (registered), and guests that registered later "
      "(guest_registered). Repeated calls are not counted.");
  Counter& guests = accounts.Add({{"origin", "guest"}});
  Counter& registered = accounts.Add({{"origin", "registered"}});
  Counter& guests_registered = accounts.Add({{"origin", "guest_registered"}});

  Outcomes log_ins = Outcomes(Counters(
      registry, "naval_log_ins_total",
      "Log-ins. refused: a wrong handle or password; many mean that somebody is guessing. failed: "
      "not decided, because the database was away or busy, or the account changed meanwhile. What "
      "the queue of passwords refuses is in "
      "naval_executor_refused_tasks_total{executor=\"passwords\"}."));
  Outcomes refreshes = Outcomes(Counters(
      registry, "naval_refreshes_total",
      "Refresh tokens shown. refused: ended, too old or stolen. failed: not decided, because the "
      "database was away or busy, or the session changed meanwhile."));

  Family<Counter>& starts = Counters(
      registry, "naval_match_starts_total",
      "Answers of the match service when it was asked to make a match. away: it is asked again "
      "until it answers. refused: the table was closed, and that is a bug: see match_refused in "
      "the log. failed: anything else, asked again too.");
  Counter& started = starts.Add({{"outcome", "started"}});
  Counter& away = starts.Add({{"outcome", "away"}});
  Counter& refused = starts.Add({{"outcome", "refused"}});
  Counter& failed = starts.Add({{"outcome", "failed"}});

  Family<Gauge>& tables =
      metrics::Gauges(registry, "naval_waiting_tables",
                      "Tables of all lobbies, counted every 10 s: open wait for a rival, starting "
                      "for the match service. starting above 0 for long: players wait and nothing "
                      "comes. NaN: Postgres cannot be asked.");
  Gauge& open = tables.Add({{"state", "open"}});
  Gauge& starting = tables.Add({{"state", "starting"}});
};

LobbyMetrics::LobbyMetrics() : metrics_(std::make_unique<Metrics>(registry())) {}

LobbyMetrics::~LobbyMetrics() = default;

void LobbyMetrics::AccountMade(AccountOrigin origin) {
  switch (origin) {
    case AccountOrigin::kGuest:
      return metrics_->guests.Increment();
    case AccountOrigin::kRegistered:
      return metrics_->registered.Increment();
    case AccountOrigin::kGuestRegistered:
      return metrics_->guests_registered.Increment();
  }
}

void LobbyMetrics::LoggedIn(const absl::Status& outcome) { metrics_->log_ins.Count(outcome); }

void LobbyMetrics::Refreshed(const absl::Status& outcome) { metrics_->refreshes.Count(outcome); }

void LobbyMetrics::MatchAsked(const absl::Status& answer) {
  if (answer.ok() || absl::IsAlreadyExists(answer)) return metrics_->started.Increment();
  if (absl::IsInvalidArgument(answer)) return metrics_->refused.Increment();
  const bool away =
      absl::IsUnavailable(answer) || absl::IsDeadlineExceeded(answer) || absl::IsCancelled(answer);
  (away ? metrics_->away : metrics_->failed).Increment();
}

void LobbyMetrics::TablesCounted(const absl::StatusOr<WaitingTables>& tables) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  metrics_->open.Set(tables.ok() ? static_cast<double>(tables->open) : kUnknown);
  metrics_->starting.Set(tables.ok() ? static_cast<double>(tables->starting) : kUnknown);
}

}  // namespace naval::lobby
