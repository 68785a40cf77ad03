#include "lib/metrics/pool_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/postgres/transaction.h"

namespace naval::metrics {
namespace {

const std::vector<double> kWaitBuckets = {0.001, 0.01, 0.1, 0.5, 1, 2};
const std::vector<double> kDurationBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                              0.1,    0.25,  0.5,    1,     2.5,  5};

// The reasons that the pool and its transactions give. Whatever else a call ends with is the
// refusal of its body.
const char* const kReasons[] = {postgres::kDatabaseUnavailable, postgres::kCommitInDoubt,
                                postgres::kTransactionConflict, postgres::kDatabaseError,
                                "SERVER_BUSY"};

}  // namespace

struct PoolMetrics::Metrics {
  explicit Metrics(prometheus::Registry& registry)
      : connections(prometheus::BuildGauge()
                        .Name("naval_postgres_connections")
                        .Help("Open connections to Postgres.")
                        .Register(registry)),
        in_use(connections.Add({{"state", "in_use"}})),
        idle(connections.Add({{"state", "idle"}})),
        max_connections(prometheus::BuildGauge()
                            .Name("naval_postgres_max_connections")
                            .Help("How many connections this process opens at most. With all in "
                                  "use, calls wait.")
                            .Register(registry)
                            .Add({})),
        waiting(prometheus::BuildGauge()
                    .Name("naval_postgres_waiting_calls")
                    .Help("Calls that wait for a connection.")
                    .Register(registry)
                    .Add({})),
        waited(prometheus::BuildHistogram()
                   .Name("naval_postgres_wait_seconds")
                   .Help("How long a call waited for a connection; after 2 s it is refused.")
                   .Register(registry)
                   .Add({}, kWaitBuckets)),
        took(prometheus::BuildHistogram()
                 .Name("naval_postgres_transaction_seconds")
                 .Help("From the beginning of a transaction to its end, failed ones too; with the "
                       "opening of a connection where one was needed.")
                 .Register(registry)
                 .Add({}, kDurationBuckets)),
        transactions(prometheus::BuildCounter()
                         .Name("naval_postgres_transactions_total")
                         .Help("Transactions by how they ended: refused are those that the service "
                               "itself gave up, such as a handle that is taken.")
                         .Register(registry)),
        committed(transactions.Add({{"outcome", "committed"}})),
        refused(transactions.Add({{"outcome", "refused"}})),
        failed(transactions.Add({{"outcome", "failed"}})) {
    auto& family = prometheus::BuildCounter()
                       .Name("naval_postgres_errors_total")
                       .Help(
                           "Failed transactions by reason. DATABASE_UNAVAILABLE: Postgres is "
                           "away. COMMIT_IN_DOUBT: it went away over a COMMIT. "
                           "TRANSACTION_CONFLICT: two at once, the caller tries again. "
                           "SERVER_BUSY: no connection was free in time. DATABASE_ERROR: a "
                           "statement that is wrong, ours to mend; see the log.")
                       .Register(registry);
    for (const char* reason : kReasons) errors[reason] = &family.Add({{"reason", reason}});
  }

  prometheus::Family<prometheus::Gauge>& connections;
  prometheus::Gauge& in_use;
  prometheus::Gauge& idle;
  prometheus::Gauge& max_connections;
  prometheus::Gauge& waiting;
  prometheus::Histogram& waited;
  prometheus::Histogram& took;
  prometheus::Family<prometheus::Counter>& transactions;
  prometheus::Counter& committed;
  prometheus::Counter& refused;
  prometheus::Counter& failed;
  std::map<std::string, prometheus::Counter*> errors;
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
