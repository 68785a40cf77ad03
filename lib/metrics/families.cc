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

prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name,
                                              const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

prometheus::Family<prometheus::Histogram>& Histograms(prometheus::Registry& registry,
                                                      const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

prometheus::MetricFamily GaugeFamily(std::string name, std::string help,
                                     const std::vector<Sample>& samples) {
  return Family(prometheus::MetricType::Gauge, std::move(name), std::move(help), samples);
}

prometheus::MetricFamily CounterFamily(std::string name, std::string help,
                                       const std::vector<Sample>& samples) {
  return Family(prometheus::MetricType::Counter, std::move(name), std::move(help), samples);
}

std::vector<prometheus::MetricFamily> ExecutorFamilies(
    const std::vector<const base::Executor*>& executors) {
  std::vector<Sample> running, queued, refused;
  for (const base::Executor* executor : executors) {
    const base::Executor::Usage usage = executor->usage();
    const std::vector<prometheus::ClientMetric::Label> labels = {{"executor", executor->name()}};
    running.push_back({labels, static_cast<double>(usage.running)});
    queued.push_back({labels, static_cast<double>(usage.queued)});
    refused.push_back({labels, static_cast<double>(usage.refused)});
  }
  return {
      GaugeFamily("naval_executor_running_tasks", "Tasks that run on a pool of threads.", running),
      GaugeFamily("naval_executor_queued_tasks",
                  "Tasks that wait for a thread of the pool. More than a few for long: it is "
                  "too slow for what comes in.",
                  queued),
      CounterFamily("naval_executor_refused_tasks_total",
                    "Tasks that were refused because too many waited; their callers were told "
                    "SERVER_BUSY.",
                    refused)};
}

}  // namespace naval::metrics
