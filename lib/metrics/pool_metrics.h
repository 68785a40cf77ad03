#pragma once

#include <prometheus/registry.h>

#include <memory>

#include "lib/postgres/pool.h"

namespace naval::metrics {

// What a service's use of its database shows (naval_postgres_*). Thread safe.
class PoolMetrics final : public postgres::PoolObserver {
 public:
  // `registry` must outlive this.
  explicit PoolMetrics(prometheus::Registry& registry);
  ~PoolMetrics() override;

  void CallEnded(const postgres::PoolCall& call) override;

  // Takes over what `pool` is doing at this moment.
  void Read(const postgres::Pool& pool);

 private:
  struct Metrics;
  const std::unique_ptr<Metrics> metrics_;
};

}  // namespace naval::metrics
