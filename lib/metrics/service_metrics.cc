#include "lib/metrics/service_metrics.h"

#include <iterator>

#include "lib/metrics/families.h"

namespace naval::metrics {

std::vector<prometheus::MetricFamily> ServiceMetrics::Collect() const {
  pool_metrics_.Read(sources_->pool);
  ReadPresent();
  std::vector<prometheus::MetricFamily> families = registry_.Collect();
  std::vector<prometheus::MetricFamily> executors = ExecutorFamilies(sources_->executors);
  families.insert(families.end(), std::make_move_iterator(executors.begin()),
                  std::make_move_iterator(executors.end()));
  return families;
}

}  // namespace naval::metrics
