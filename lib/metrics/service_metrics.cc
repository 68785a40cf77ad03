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

prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name,
                                              const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

prometheus::Histogram& OneHistogram(prometheus::Registry& registry, const char* name,
                                    const char* help, const std::vector<double>& buckets) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
}

}  // namespace naval::metrics
