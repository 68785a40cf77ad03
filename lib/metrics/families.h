#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/base/executor.h"

namespace naval::metrics {

// Metrics whose values are kept elsewhere and read when the page is asked for.

// A value and the labels that tell it from others of its family.
struct Sample {
  std::vector<prometheus::ClientMetric::Label> labels;
  double value = 0;
};

// A value that goes up and down.
prometheus::MetricFamily GaugeFamily(std::string name, std::string help,
                                     const std::vector<Sample>& samples);
inline prometheus::MetricFamily GaugeFamily(std::string name, std::string help, double value) {
  return GaugeFamily(std::move(name), std::move(help), {{.labels = {}, .value = value}});
}

// A value that only grows; its name ends in _total.
prometheus::MetricFamily CounterFamily(std::string name, std::string help,
                                       const std::vector<Sample>& samples);
inline prometheus::MetricFamily CounterFamily(std::string name, std::string help, double value) {
  return CounterFamily(std::move(name), std::move(help), {{.labels = {}, .value = value}});
}

// What these executors are doing and have refused (naval_executor_*), by their names.
std::vector<prometheus::MetricFamily> ExecutorFamilies(
    const std::vector<const base::Executor*>& executors);

}  // namespace naval::metrics
