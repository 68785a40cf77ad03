#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_interceptor.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "lib/base/clock.h"

namespace naval::server {

// Rates, codes and durations of every call of a server, under the names of go-grpc-middleware
// (providers/prometheus/server_metrics.go), so that the dashboards of the field fit:
//   grpc_server_started_total, grpc_server_msg_received_total, grpc_server_msg_sent_total and
//   grpc_server_handling_seconds {grpc_type, grpc_service, grpc_method},
//   grpc_server_handled_total {grpc_type, grpc_service, grpc_method, grpc_code}.
// Every method, with every code, is there with a zero from the start. Calls of methods that the
// server does not have are counted together, so that no client makes the page grow. What is
// missing: a request that is longer than the server receives, which gRPC's core ends before any
// code above it sees the call.
class RpcMetrics {
 public:
  // `registry` must outlive this.
  explicit RpcMetrics(prometheus::Registry& registry);
  ~RpcMetrics();
  RpcMetrics(const RpcMetrics&) = delete;
  RpcMetrics& operator=(const RpcMetrics&) = delete;

  // Counts the calls of the one server that `builder` builds, which this must outlive. What is
  // returned must be the last of its interceptors, so that it sees what the others make of a call.
  std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> Measure(
      grpc::ServerBuilder& builder);

 private:
  class Call;
  class Interceptors;
  class ServiceList;
  struct Families;
  struct Method;

  // Not thread safe: only before the server starts.
  void AddService(absl::string_view name);
  Method& MethodOf(absl::string_view path) const;

  const base::SystemClock clock_;
  const std::unique_ptr<Families> families_;
  // By path: "/naval.match.v1.MatchService/FireShots", and "" for what the server does not have.
  absl::flat_hash_map<std::string, std::unique_ptr<Method>> methods_;
};

}  // namespace naval::server
