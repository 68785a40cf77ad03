#include "lib/server/server.h"

#include <grpc/support/time.h>
#include <grpcpp/health_check_service_interface.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"

namespace naval::server {
namespace {

// Streams and calls that one connection may have open; a browser page has one stream.
constexpr int kMaxStreamsPerConnection = 1000;

// All the headers of a request together.
constexpr int kMaxHeaderBytes = 8 * 1024;

// A client may ping this often; gRPC's own limit of 5 minutes would cut the clients of our
// channels, which ping every 10 s.
constexpr int kMinPingIntervalMs = 9'000;

struct Listener {
  std::unique_ptr<grpc::Server> server;
  int port = 0;
};

absl::StatusOr<Listener> Listen(const std::string& address, int max_request_bytes,
                                const std::vector<grpc::Service*>& services) {
  // gRPC builds no server that has no service.
  NAVAL_CHECK(!services.empty());
  Listener listener;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &listener.port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  builder.SetMaxReceiveMessageSize(max_request_bytes);
  // gRPC's default lets two servers share a port, each getting a part of the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxStreamsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxHeaderBytes);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  listener.server = builder.BuildAndStart();
  if (listener.server == nullptr || listener.port <= 0) {
    return base::Error(
        absl::StatusCode::kFailedPrecondition, "CANNOT_LISTEN",
        absl::StrCat("cannot listen on ", address,
                     ": the port is taken, or this is no HOST:PORT of this machine"));
  }
  listener.server->GetHealthCheckService()->SetServingStatus(kLiveness, true);
  return listener;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Application& application) {
  grpc::EnableDefaultHealthCheckService(true);
  std::unique_ptr<Server> server(new Server(application));
  NAVAL_ASSIGN_OR_RETURN(
      Listener public_listener,
      Listen(options.listen_address, kMaxPublicRequestBytes, application.PublicServices()));
  server->public_server_ = std::move(public_listener.server);
  server->public_port_ = public_listener.port;
  if (!options.internal_listen_address.empty()) {
    NAVAL_ASSIGN_OR_RETURN(Listener internal_listener,
                           Listen(options.internal_listen_address, kMaxInternalRequestBytes,
                                  application.InternalServices()));
    server->internal_server_ = std::move(internal_listener.server);
    server->internal_port_ = internal_listener.port;
  }
  server->SetServing(true);
  return server;
}

Server::~Server() { Stop(); }

void Server::Stop() {
  if (std::exchange(stopped_, true)) return;
  SetServing(false);
  application_.Drain();
  const gpr_timespec deadline = gpr_convert_clock_type(
      gpr_time_from_nanos(absl::ToInt64Nanoseconds(kDrainDuration), GPR_TIMESPAN),
      GPR_CLOCK_MONOTONIC);
  // The internal server goes second: while the public calls end, other services still reach this
  // one. Both have the same deadline.
  for (grpc::Server* server : {public_server_.get(), internal_server_.get()}) {
    if (server != nullptr) server->Shutdown(deadline);
  }
}

void Server::SetServing(bool serving) {
  for (grpc::Server* server : {public_server_.get(), internal_server_.get()}) {
    if (server == nullptr) continue;
    server->GetHealthCheckService()->SetServingStatus("", serving);
  }
}

}  // namespace naval::server
