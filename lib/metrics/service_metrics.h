#pragma once

#include <prometheus/collectable.h>
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

}  // namespace naval::metrics
