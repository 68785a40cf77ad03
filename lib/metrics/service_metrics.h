#pragma once

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <optional>
#include <utility>
#include <vector>

#include "lib/base/executor.h"
#include "lib/metrics/pool_metrics.h"
#include "lib/postgres/pool.h"

namespace naval::metrics {

// The metrics of a service: those of its database pool and of its executors, and those that a
// subclass defines. Thread safe.
class ServiceMetrics : public prometheus::Collectable {
 public:
  // What is read at each scrape.
  struct Sources {
    const postgres::Pool& pool;
    std::vector<const base::Executor*> executors;
  };

  // For the options of the pool.
  postgres::PoolObserver& pool_observer() { return pool_metrics_; }

  // Call it once, before the first Collect. The sources must live as long as pages are collected.
  void ReadFrom(Sources sources) { sources_.emplace(std::move(sources)); }

  std::vector<prometheus::MetricFamily> Collect() const final;

 protected:
  ServiceMetrics() : pool_metrics_(registry_) {}

  // What the subclass counts is registered here.
  prometheus::Registry& registry() { return registry_; }

  // Sets the gauges of the subclass that have a present value elsewhere.
  virtual void ReadPresent() const {}

 private:
  prometheus::Registry registry_;
  // Its gauges are set at each scrape.
  mutable PoolMetrics pool_metrics_;
  std::optional<Sources> sources_;
};

// Counters that begin at 0: a family to which each value of a label is added.
prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help);
prometheus::Family<prometheus::Gauge>& Gauges(prometheus::Registry& registry, const char* name,
                                              const char* help);
// A histogram without labels. `buckets` are their upper bounds.
prometheus::Histogram& OneHistogram(prometheus::Registry& registry, const char* name,
                                    const char* help, const std::vector<double>& buckets);

}  // namespace naval::metrics
