#pragma once

#include <prometheus/collectable.h>

#include <vector>

namespace naval::metrics {

// What Prometheus's client libraries tell of every process (process_*, read from /proc), which
// build it is (naval_build_info), and its log (naval_log_*). Thread safe.
class ProcessMetrics final : public prometheus::Collectable {
 public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

}  // namespace naval::metrics
