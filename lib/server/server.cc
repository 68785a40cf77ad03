#include "lib/server/server.h"

#include <grpc/support/time.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/server/grpc_status.h"
#include "lib/server/request_check.h"
#include "lib/server/rpc_metrics.h"

namespace naval::server {
namespace {

// Streams and calls that one connection may have open; a browser page has one stream. Over it gRPC
// lets the next ones wait without a word.
constexpr int kMaxStreamsPerConnection = 1000;

// The same between services: one connection carries all that a process hands on to another.
constexpr int kMaxStreamsPerInternalConnection = 100'000;

// All the headers of a request together.
constexpr int kMaxHeaderBytes = 8 * 1024;

// A client may ping this often; gRPC's own limit of 5 minutes would cut the clients of our
// channels, which ping every 10 s.
constexpr int kMinPingIntervalMs = 9'000;

// Answers what is no method of this port, so that this, too, has a reason and is counted.
class UnknownMethods final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new Refusal;
  }

 private:
  class Refusal final : public grpc::ServerGenericBidiReactor {
   public:
    Refusal() {
      Finish(ToGrpcStatus(base::Error(absl::StatusCode::kUnimplemented, "UNKNOWN_METHOD",
                                      "this port has no method of this name")));
    }
    void OnDone() override { delete this; }
  };
};

// Linked in, the library of reflection switches it on for every server by itself.
class ReflectionOption final : public grpc::ServerBuilderOption {
 public:
  explicit ReflectionOption(bool reflection) : reflection_(reflection) {}

  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    auto ours = std::make_unique<grpc::reflection::ProtoServerReflectionPlugin>();
    plugins->erase(
        std::remove_if(plugins->begin(), plugins->end(),
                       [&](const auto& plugin) { return plugin->name() == ours->name(); }),
        plugins->end());
    if (reflection_) plugins->push_back(std::move(ours));
  }

 private:
  const bool reflection_;
};

void SetLimits(grpc::ServerBuilder& builder, int max_streams_per_connection) {
  builder.SetMaxReceiveMessageSize(kMaxReceivedBytes);
  // gRPC's default lets two servers share a port, each getting a part of the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, max_streams_per_connection);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kMaxHeaderBytes);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinPingIntervalMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // Who has not been heard of for both together is gone, with all its calls: a dead network says
  // nothing. naval.match.v1.Presence promises it.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
}

}  // namespace

// One gRPC port and what serves it.
class GrpcListener {
 public:
  struct Options {
    std::string address;
    bool reflection = false;
    int max_streams_per_connection = kMaxStreamsPerConnection;
  };

  static absl::StatusOr<std::unique_ptr<GrpcListener>> Start(
      const Options& options, const std::vector<grpc::Service*>& services,
      prometheus::Registry& metrics) {
    // gRPC builds no server that has no service.
    NAVAL_CHECK(!services.empty());
    std::unique_ptr<GrpcListener> listener(new GrpcListener(metrics));
    grpc::ServerBuilder builder;
    builder.AddListeningPort(options.address, grpc::InsecureServerCredentials(), &listener->port_);
    for (grpc::Service* service : services) builder.RegisterService(service);
    builder.RegisterCallbackGenericService(&listener->unknown_methods_);
    builder.SetOption(std::make_unique<ReflectionOption>(options.reflection));
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>>
        interceptors;
    // In the order in which they see an answer: what is counted is what leaves.
    interceptors.push_back(NewMalformedRequestAnswers());
    interceptors.push_back(listener->metrics_.Measure(builder));
    builder.experimental().SetInterceptorCreators(std::move(interceptors));
    SetLimits(builder, options.max_streams_per_connection);
    listener->server_ = builder.BuildAndStart();
    if (listener->server_ == nullptr || listener->port_ <= 0) {
      return base::Error(
          absl::StatusCode::kFailedPrecondition, "CANNOT_LISTEN",
          absl::StrCat("cannot listen on ", options.address,
                       ": the port is taken, or this is no HOST:PORT of this machine"));
    }
    listener->server().GetHealthCheckService()->SetServingStatus(kLiveness, true);
    return listener;
  }

  grpc::Server& server() { return *server_; }
  int port() const { return port_; }

 private:
  explicit GrpcListener(prometheus::Registry& metrics) : metrics_(metrics) {}

  RpcMetrics metrics_;
  UnknownMethods unknown_methods_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
};

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Application& application) {
  grpc::EnableDefaultHealthCheckService(true);
  std::unique_ptr<Server> server(new Server(application));
  NAVAL_ASSIGN_OR_RETURN(
      server->public_,
      GrpcListener::Start({.address = options.listen_address, .reflection = options.reflection},
                          application.PublicServices(), server->rpc_metrics_));
  if (!options.internal_listen_address.empty()) {
    NAVAL_ASSIGN_OR_RETURN(
        server->internal_,
        GrpcListener::Start({.address = options.internal_listen_address,
                             .reflection = options.reflection,
                             .max_streams_per_connection = kMaxStreamsPerInternalConnection},
                            application.InternalServices(), server->rpc_metrics_));
  }
  if (!options.metrics_listen_address.empty()) {
    std::vector<const prometheus::Collectable*> parts = application.Metrics();
    parts.insert(parts.begin(), {&server->process_metrics_, &server->rpc_metrics_});
    NAVAL_ASSIGN_OR_RETURN(
        server->page_, metrics::Listener::Start(options.metrics_listen_address, std::move(parts)));
  }
  server->SetServing(true);
  return server;
}

Server::Server(Application& application) : application_(application) {}

Server::~Server() { Stop(); }

int Server::public_port() const { return public_->port(); }
int Server::internal_port() const { return internal_ == nullptr ? 0 : internal_->port(); }
int Server::metrics_port() const { return page_ == nullptr ? 0 : page_->port(); }

void Server::Stop() {
  if (std::exchange(stopped_, true)) return;
  SetServing(false);
  application_.Drain();
  const gpr_timespec deadline = gpr_convert_clock_type(
      gpr_time_from_nanos(absl::ToInt64Nanoseconds(kDrainDuration), GPR_TIMESPAN),
      GPR_CLOCK_MONOTONIC);
  // The internal server goes second: while the public calls end, other services still reach this
  // one. Both have the same deadline.
  for (GrpcListener* listener : {public_.get(), internal_.get()}) {
    if (listener != nullptr) listener->server().Shutdown(deadline);
  }
  page_ = nullptr;
}

void Server::SetServing(bool serving) {
  for (GrpcListener* listener : {public_.get(), internal_.get()}) {
    if (listener == nullptr) continue;
    listener->server().GetHealthCheckService()->SetServingStatus("", serving);
  }
}

}  // namespace naval::server
