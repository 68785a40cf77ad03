#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "lib/metrics/service_metrics.h"
#include "services/ranking/rating_store.h"

namespace naval::ranking {

// All metrics of the ranking; each one's HELP, in ranking_metrics.cc, says what it means to whoever
// is on call. Thread safe.
class RankingMetrics final : public metrics::ServiceMetrics {
 public:
  RankingMetrics();
  ~RankingMetrics() override;

  // How a result that was told was taken.
  void ResultTold(const absl::StatusOr<ResultUse>& use);

 private:
  struct Metrics;

  const std::unique_ptr<Metrics> metrics_;
};

}  // namespace naval::ranking
