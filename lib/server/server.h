#pragma once

#include <grpcpp/grpcpp.h>
#include <prometheus/collectable.h>
#include <prometheus/registry.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/metrics/listener.h"
#include "lib/metrics/process_metrics.h"

namespace naval::server {

// What a service is to the process that runs it: its gRPC services, what it tells of itself, and
// how it ends. It owns its executors, pools and timers as members; they are destroyed after the
// last call has ended.
class Application {
 public:
  virtual ~Application() = default;

  // The services on the public and on the internal port, one at least on each port there is; this
  // object keeps owning them.
  virtual std::vector<grpc::Service*> PublicServices() = 0;
  virtual std::vector<grpc::Service*> InternalServices() = 0;

  // The metrics of the service, besides what the server counts (rpc_metrics.h) and what is told of
  // every process (lib/metrics). Collected at each scrape, on a thread of its own while calls run;
  // must not block.
  virtual std::vector<const prometheus::Collectable*> Metrics() { return {}; }

  // Called once, before the servers stop and while calls still run: ends every open stream as
  // that stream's own protocol says farewell, and starts no new one. Must return within a moment.
  virtual void Drain() = 0;
};

// From the order to stop, open calls have this long to end; then they are cancelled.
inline constexpr absl::Duration kDrainDuration = absl::Seconds(2);

// What calls wait for, the database above all, is to be given up by then, so that their answers
// still leave.
inline constexpr absl::Duration kMaxWaitWhileDraining = absl::Milliseconds(1500);

// From the order to stop to the end of the process, at most; a process that takes longer ends
// itself.
inline constexpr absl::Duration kMaxStopDuration = absl::Seconds(3);

struct ServerOptions {
  // "HOST:PORT" with a numeric port; port 0 takes a free one.
  std::string listen_address;
  // As above, for the calls between services; empty for a service that has none.
  std::string internal_listen_address;
  // As above, for the page /metrics over HTTP; empty for none.
  std::string metrics_listen_address = {};
  // Whether both gRPC ports tell what they serve (grpc.reflection.v1alpha), so that a tool can call
  // them without the protos.
  bool reflection = false;
};

// The name that the health service gives a process that runs and answers, whatever else it may wait
// for: what restarts a process asks for this, what sends it calls asks for "".
inline constexpr char kLiveness[] = "liveness";

class GrpcListener;

// The servers of one service: gRPC with health, limits, keepalive, metrics and an ordered stop, and
// the page of its metrics. The standard health service (grpc.health.v1) answers on both gRPC
// ports for "" and kLiveness. A method that a port does not have is answered UNIMPLEMENTED, reason
// UNKNOWN_METHOD.
class Server {
 public:
  // Builds and starts; the health service says SERVING when it returns. `application` must outlive
  // the server. FAILED_PRECONDITION, naming the address, when a port is taken or an address is
  // wrong.
  static absl::StatusOr<std::unique_ptr<Server>> Start(const ServerOptions& options,
                                                       Application& application);
  // As Stop().
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The ports that are really bound, 0 for what there is none of.
  int public_port() const;
  int internal_port() const;
  int metrics_port() const;

  // Health turns NOT_SERVING, Application::Drain is called, then no call is taken any more and
  // those that are still open after kDrainDuration are cancelled. Returns when all have ended; a
  // handler that never finishes its call holds it up. The metrics are served until then. May be
  // called again.
  void Stop();

 private:
  explicit Server(Application& application);

  void SetServing(bool serving);

  Application& application_;
  metrics::ProcessMetrics process_metrics_;
  prometheus::Registry rpc_metrics_;
  std::unique_ptr<GrpcListener> public_;
  std::unique_ptr<GrpcListener> internal_;
  std::unique_ptr<metrics::Listener> page_;
  bool stopped_ = false;
};

// The body of a service's main(). With --migrate: calls `migrate`, and that is all. Otherwise
// blocks SIGTERM and SIGINT before any thread starts (gRPC's threads inherit the mask), ignores
// SIGPIPE, calls `start`, serves on --listen, --internal_listen and --metrics_listen, logs one
// "serving" line with the ports, waits for a signal, and stops in order. SIGUSR1 makes the log one
// level more talkative and SIGUSR2 one less, which a line "log_level_set" says. Returns the exit
// code: 0, or 1 when `migrate`, `start` or the servers failed (the error is in the log). A second
// signal, or a stop that takes longer than kMaxStopDuration, ends the process at once with code 1.
// ParseFlags must have been called.
int Run(absl::string_view name, absl::FunctionRef<absl::Status()> migrate,
        absl::FunctionRef<absl::StatusOr<std::unique_ptr<Application>>()> start);

}  // namespace naval::server
