#include "lib/server/rpc_metrics.h"

#include <google/protobuf/descriptor.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <grpcpp/impl/server_initializer.h>
#include <grpcpp/support/interceptor.h>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "grpc/health/v1/health.pb.h"
#include "lib/base/check.h"
#include "lib/metrics/families.h"

namespace naval::server {
namespace {

// grpc_code has the names of Go's package codes, in the order of their numbers.
constexpr std::array<const char*, 17> kCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

// The default buckets of Prometheus's clients, with two finer ones before: most of our calls end
// within 5 ms.
const std::vector<double> kDurationBuckets = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
                                              0.25,  0.5,    1,     2.5,  5,     10};

const char* TypeOf(const google::protobuf::MethodDescriptor& method) {
  if (method.client_streaming()) {
    return method.server_streaming() ? "bidi_stream" : "client_stream";
  }
  return method.server_streaming() ? "server_stream" : "unary";
}

}  // namespace

struct RpcMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : started(metrics::Counters(registry, "grpc_server_started_total", "Calls that came in.")),
        handled(metrics::Counters(
            registry, "grpc_server_handled_total",
            "Calls that ended, by the code they were answered with. Internal, Unknown and DataLoss "
            "are ours to mend; Unavailable means that the database or another service is away, or "
            "that this one stops.")),
        received(metrics::Counters(registry, "grpc_server_msg_received_total",
                                   "Messages that came in.")),
        sent(metrics::Counters(registry, "grpc_server_msg_sent_total", "Messages that were sent.")),
        handling(metrics::Histograms(
            registry, "grpc_server_handling_seconds",
            "From the call's coming in to its answer; of a stream, its whole life, so leave "
            "grpc_type=\"server_stream\" out of latencies.")) {}

  prometheus::Family<prometheus::Counter>& started;
  prometheus::Family<prometheus::Counter>& handled;
  prometheus::Family<prometheus::Counter>& received;
  prometheus::Family<prometheus::Counter>& sent;
  prometheus::Family<prometheus::Histogram>& handling;
};

// The metrics of one method. References, because finding them costs ten times an increment.
struct RpcMetrics::Method {
  Method(Families& families, const prometheus::Labels& labels)
      : started(families.started.Add(labels)),
        received(families.received.Add(labels)),
        sent(families.sent.Add(labels)),
        handling(families.handling.Add(labels, kDurationBuckets)) {
    for (size_t code = 0; code < kCodeNames.size(); ++code) {
      prometheus::Labels with_code = labels;
      with_code["grpc_code"] = kCodeNames[code];
      handled[code] = &families.handled.Add(with_code);
    }
  }

  prometheus::Counter& started;
  prometheus::Counter& received;
  prometheus::Counter& sent;
  prometheus::Histogram& handling;
  std::array<prometheus::Counter*, kCodeNames.size()> handled;
};

// One call on its way. gRPC hands it everything that comes and goes, also what it refuses by
// itself.
class RpcMetrics::Call final : public grpc::experimental::Interceptor {
 public:
  Call(Method& method, const base::Clock& clock) : method_(method), clock_(clock) {
    method_.started.Increment();
  }

  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    using grpc::experimental::InterceptionHookPoints;
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_MESSAGE) &&
        batch->GetRecvMessage() != nullptr) {
      method_.received.Increment();
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_MESSAGE)) {
      method_.sent.Increment();
    }
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      End(batch->GetSendStatus().error_code());
    }
    batch->Proceed();
  }

 private:
  void End(grpc::StatusCode code) {
    auto index = static_cast<size_t>(code);
    // A handler may put any number into its status.
    if (index >= kCodeNames.size()) index = static_cast<size_t>(grpc::StatusCode::UNKNOWN);
    method_.handled[index]->Increment();
    method_.handling.Observe(absl::ToDoubleSeconds(clock_.Now() - begin_));
  }

  Method& method_;
  const base::Clock& clock_;
  const absl::Time begin_ = clock_.Now();
};

class RpcMetrics::Interceptors final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit Interceptors(const RpcMetrics& metrics) : metrics_(metrics) {}

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override {
    return new Call(metrics_.MethodOf(info->method()), metrics_.clock_);
  }

 private:
  const RpcMetrics& metrics_;
};

// Learns the services of a server while it is built: gRPC tells their names to plugins only.
class RpcMetrics::ServiceList final : public grpc::ServerBuilderOption {
 public:
  explicit ServiceList(RpcMetrics& metrics) : metrics_(metrics) {}

  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    plugins->push_back(std::make_unique<Plugin>(metrics_));
  }

 private:
  class Plugin final : public grpc::ServerBuilderPlugin {
   public:
    explicit Plugin(RpcMetrics& metrics) : metrics_(metrics) {}

    std::string name() override { return "naval_rpc_metrics"; }
    // Before the server starts, and after the plugins before this one have added their services.
    void InitServer(grpc::ServerInitializer* initializer) override {
      for (const std::string& service : *initializer->GetServiceList()) {
        metrics_.AddService(service);
      }
    }
    void Finish(grpc::ServerInitializer*) override {}
    void ChangeArguments(const std::string&, void*) override {}

   private:
    RpcMetrics& metrics_;
  };

  RpcMetrics& metrics_;
};

RpcMetrics::RpcMetrics(prometheus::Registry& registry)
    : families_(std::make_unique<Families>(registry)) {
  methods_[""] =
      std::make_unique<Method>(*families_, prometheus::Labels{{"grpc_type", "bidi_stream"},
                                                              {"grpc_service", "unknown"},
                                                              {"grpc_method", "unknown"}});
  // gRPC adds its own health service when the server starts, too late for a plugin.
  AddService(grpc::health::v1::HealthCheckRequest::descriptor()->file()->service(0)->full_name());
}

RpcMetrics::~RpcMetrics() = default;

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> RpcMetrics::Measure(
    grpc::ServerBuilder& builder) {
  builder.SetOption(std::make_unique<ServiceList>(*this));
  return std::make_unique<Interceptors>(*this);
}

void RpcMetrics::AddService(absl::string_view name) {
  const google::protobuf::ServiceDescriptor* const service =
      google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(std::string(name));
  // Whoever serves a service has linked its messages.
  NAVAL_CHECK(service != nullptr);
  for (int i = 0; i < service->method_count(); ++i) {
    const google::protobuf::MethodDescriptor& method = *service->method(i);
    std::unique_ptr<Method>& metrics =
        methods_[absl::StrCat("/", service->full_name(), "/", method.name())];
    if (metrics != nullptr) continue;
    metrics = std::make_unique<Method>(*families_,
                                       prometheus::Labels{{"grpc_type", TypeOf(method)},
                                                          {"grpc_service", service->full_name()},
                                                          {"grpc_method", method.name()}});
  }
}

RpcMetrics::Method& RpcMetrics::MethodOf(absl::string_view path) const {
  const auto it = methods_.find(path);
  return *(it == methods_.end() ? methods_.at("") : it->second);
}

}  // namespace naval::server
