#include "lib/server/channel.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include "lib/server/auth_context.h"

namespace naval::server {
namespace {

// UNAVAILABLE alone is retried: the other side, its database, or the way there is away for a
// moment. It does not say that nothing was done (the answer may have been lost); trying again is
// safe because every internal call may be repeated.
constexpr char kServiceConfig[] = R"({
  "methodConfig": [{
    "name": [{}],
    "retryPolicy": {
      "maxAttempts": 4,
      "initialBackoff": "0.1s",
      "maxBackoff": "1s",
      "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
})";

grpc::ChannelArguments WithKeepalive() {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // A service that comes back is found within a second, not after gRPC's two minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1'000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'000);
  return arguments;
}

}  // namespace

std::shared_ptr<grpc::Channel> NewChannel(const std::string& address) {
  grpc::ChannelArguments arguments = WithKeepalive();
  arguments.SetServiceConfigJSON(kServiceConfig);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

std::shared_ptr<grpc::Channel> NewForwardingChannel(const std::string& address) {
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), WithKeepalive());
}

std::unique_ptr<grpc::ClientContext> NewClientContext(const base::Secret& service_token,
                                                      absl::Duration timeout) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->AddMetadata(kServiceTokenKey, std::string(service_token.Reveal()));
  // A length of time, which gRPC counts on the steady clock from here.
  context->set_deadline(gpr_time_from_nanos(absl::ToInt64Nanoseconds(timeout), GPR_TIMESPAN));
  return context;
}

}  // namespace naval::server
