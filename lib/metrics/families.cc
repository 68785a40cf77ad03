#include "lib/metrics/families.h"

namespace naval::metrics {
namespace {

prometheus::MetricFamily Family(prometheus::MetricType type, std::string name, std::string help,
                                const std::vector<Sample>& samples) {
  prometheus::MetricFamily family{
      .name = std::move(name), .help = std::move(help), .type = type, .metric = {}};
  for (const Sample& sample : samples) {
    prometheus::ClientMetric metric;
    metric.label = sample.labels;
    if (type == prometheus::MetricType::Counter) metric.counter.value = sample.value;
    if (type == prometheus::MetricType::Gauge) metric.gauge.value = sample.value;
    family.metric.push_back(std::move(metric));
  }
  return family;
}

}  // namespace

prometheus::MetricFamily GaugeFamily(std::string name, std::string help,
                                     const std::vector<Sample>& samples) {
  return Family(prometheus::MetricType::Gauge, std::move(name), std::move(help), samples);
}

prometheus::MetricFamily CounterFamily(std::string name, std::string help,
                                       const std::vector<Sample>& samples) {
  return Family(prometheus::MetricType::Counter, std::move(name), std::move(help), samples);
}

}  // namespace naval::metrics
