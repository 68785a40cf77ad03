#include "services/ranking/ranking_metrics.h"

#include <prometheus/counter.h>

#include "lib/metrics/families.h"

namespace naval::ranking {

struct RankingMetrics::Metrics {
  explicit Metrics(prometheus::Registry& registry)
      : results(metrics::Counters(
            registry, "naval_results_total",
            "Results of matches that the match service told. rated: both ratings changed. unrated: "
            "kept only. repeated: known already, an answer was lost. refused: not valid, and that "
            "is a bug; the match service tells it again and again. failed: not stored, told "
            "again.")) {}

  prometheus::Family<prometheus::Counter>& results;
  prometheus::Counter& rated = results.Add({{"outcome", "rated"}});
  prometheus::Counter& unrated = results.Add({{"outcome", "unrated"}});
  prometheus::Counter& repeated = results.Add({{"outcome", "repeated"}});
  prometheus::Counter& refused = results.Add({{"outcome", "refused"}});
  prometheus::Counter& failed = results.Add({{"outcome", "failed"}});
};

RankingMetrics::RankingMetrics() : metrics_(std::make_unique<Metrics>(registry())) {}

RankingMetrics::~RankingMetrics() = default;

void RankingMetrics::ResultTold(const absl::StatusOr<ResultUse>& use) {
  if (!use.ok()) {
    const bool refused = absl::IsInvalidArgument(use.status());
    return (refused ? metrics_->refused : metrics_->failed).Increment();
  }
  switch (*use) {
    case ResultUse::kRated:
      return metrics_->rated.Increment();
    case ResultUse::kUnrated:
      return metrics_->unrated.Increment();
    case ResultUse::kRepeated:
      return metrics_->repeated.Increment();
  }
}

}  // namespace naval::ranking
