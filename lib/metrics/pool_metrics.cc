#include "lib/metrics/pool_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <map>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/metrics/families.h"
#include "lib/postgres/transaction.h"

namespace naval::metrics {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Registry;

// A call waits for 2 s at most.
const Histogram::BucketBoundaries kWaitBuckets = {0.001, 0.01, 0.1, 0.5, 1, 2};

// The reasons that the pool and its transactions give. Whatever else a call ends with is the
// refusal of its body.
const char* const kReasons[] = {postgres::kDatabaseUnavailable, postgres::kCommitInDoubt,
                                postgres::kTransactionConflict, postgres::kDatabaseError,
                                "SERVER_BUSY"};

std::map<std::string, Counter*> ByReason(Family<Counter>& family) {
  std::map<std::string, Counter*> counters;
  for (const char* reason : kReasons) counters[reason] = &family.Add({{"reason", reason}});
  return counters;
}

}  // namespace

struct PoolMetrics::Metrics {
  explicit Metrics(Registry& where) : registry(where) {}

  Registry& registry;

  Family<Gauge>& connections =
      Gauges(registry, "naval_postgres_connections", "Open connections to Postgres.");
  Gauge& in_use = connections.Add({{"state", "in_use"}});
  Gauge& idle = connections.Add({{"state", "idle"}});
  Gauge& max_connections = Gauges(registry, "naval_postgres_max_connections",
                                  "How many connections this process opens at most. With all in "
                                  "use, calls wait.")
                               .Add({});
  Gauge& waiting =
      Gauges(registry, "naval_postgres_waiting_calls", "Calls that wait for a connection.").Add({});

  Histogram& waited =
      Histograms(registry, "naval_postgres_wait_seconds",
                 "How long a call waited for a connection; after 2 s it is refused.")
          .Add({}, kWaitBuckets);
  Histogram& took =
      Histograms(registry, "naval_postgres_transaction_seconds",
                 "From the beginning of a transaction to its end, failed ones too; with the "
                 "opening of a connection where one was needed.")
          .Add({}, kTransactionBuckets);

  Family<Counter>& transactions =
      Counters(registry, "naval_postgres_transactions_total",
               "Transactions by how they ended: refused are those that the service itself gave "
               "up, such as a handle that is taken.");
  Counter& committed = transactions.Add({{"outcome", "committed"}});
  Counter& refused = transactions.Add({{"outcome", "refused"}});
  Counter& failed = transactions.Add({{"outcome", "failed"}});
  std::map<std::string, Counter*> errors =
      ByReason(Counters(registry, "naval_postgres_errors_total",
                        "Failed transactions by reason. DATABASE_UNAVAILABLE: Postgres is away. "
                        "COMMIT_IN_DOUBT: it went away over a COMMIT. TRANSACTION_CONFLICT: two at "
                        "once, the caller tries again. SERVER_BUSY: no connection was free in "
                        "time. DATABASE_ERROR: a statement that is wrong, ours to mend; see the "
                        "log."));
};

PoolMetrics::PoolMetrics(prometheus::Registry& registry)
    : metrics_(std::make_unique<Metrics>(registry)) {}

PoolMetrics::~PoolMetrics() = default;

void PoolMetrics::CallEnded(const postgres::PoolCall& call) {
  metrics_->waited.Observe(absl::ToDoubleSeconds(call.waited));
  if (call.took.has_value()) metrics_->took.Observe(absl::ToDoubleSeconds(*call.took));
  if (call.status.ok()) return metrics_->committed.Increment();
  const auto error = metrics_->errors.find(base::ReasonOf(call.status));
  if (error == metrics_->errors.end()) return metrics_->refused.Increment();
  metrics_->failed.Increment();
  error->second->Increment();
}

void PoolMetrics::Read(const postgres::Pool& pool) {
  const postgres::Pool::Usage usage = pool.usage();
  metrics_->in_use.Set(static_cast<double>(usage.in_use));
  metrics_->idle.Set(static_cast<double>(usage.idle));
  metrics_->max_connections.Set(static_cast<double>(usage.max_connections));
  metrics_->waiting.Set(static_cast<double>(usage.waiting));
}

}  // namespace naval::metrics
