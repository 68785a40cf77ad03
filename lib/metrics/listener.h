#pragma once

#include <prometheus/collectable.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

struct MHD_Daemon;

namespace naval::metrics {

// Connections that a listener has open at once, and how long one may say nothing.
inline constexpr unsigned kMaxConnections = 16;
inline constexpr unsigned kConnectionTimeoutSeconds = 10;

// The page /metrics over HTTP, in Prometheus's text format
// (https://prometheus.io/docs/instrumenting/exposition_formats/, 0.0.4), on a thread of its own.
// It tells a service's inside, so its port belongs inside, too.
class Listener {
 public:
  // Serves on "HOST:PORT"; port 0 takes a free one. Each scrape collects `parts` one after the
  // other, on the listener's thread; all must outlive the listener. FAILED_PRECONDITION, reason
  // CANNOT_LISTEN, naming the address, when a port is taken or the address is wrong.
  static absl::StatusOr<std::unique_ptr<Listener>> Start(
      const std::string& address, std::vector<const prometheus::Collectable*> parts);

  // Takes no more requests; returns at once, or when the scrape in progress is collected.
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // The port that is really bound.
  int port() const;

  // What GET /metrics answers. Thread safe.
  std::string Page() const;

 private:
  explicit Listener(std::vector<const prometheus::Collectable*> parts) : parts_(std::move(parts)) {}

  const std::vector<const prometheus::Collectable*> parts_;
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace naval::metrics
