#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/base/executor.h"

namespace naval::metrics {

// Metrics that are counted where something happens: families to which each value of a label is
// added, and {} where there is no label. What is added begins at 0 and lives as long as `registry`,
// and so does its family. Finding one anew costs ten times an increment: keep the reference.
prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help);
prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name,
                                              const char* help);
// What is added takes the upper bounds of its buckets besides.
prometheus::Family<prometheus::Histogram>& Histograms(prometheus::Registry& registry,
                                                      const char* name, const char* help);

// Upper bounds, in seconds, for what waits for a transaction: mostly some ms, and at the worst the
// 5 s that Postgres gives a statement.
inline const prometheus::Histogram::BucketBoundaries kTransactionBuckets = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5};

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
