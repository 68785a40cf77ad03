#include "tests/support/grpc_pin.h"

#include <grpcpp/grpcpp.h>

#include <future>

#include "grpc/health/v1/health.grpc.pb.h"

namespace naval::testing {
namespace {

namespace health = grpc::health::v1;

// Never destroyed.
health::Health::Stub* MakePin() {
  // Nobody serves the discard port: the call fails, and that is as good as an answer.
  auto* const stub = health::Health::NewStub(
                         grpc::CreateChannel("127.0.0.1:9", grpc::InsecureChannelCredentials()))
                         .release();
  grpc::ClientContext context;
  const health::HealthCheckRequest request;
  health::HealthCheckResponse response;
  std::promise<void> finished;
  stub->async()->Check(&context, &request, &response,
                       [&](const grpc::Status&) { finished.set_value(); });
  finished.get_future().wait();
  return stub;
}

}  // namespace

void PinGrpc() { [[maybe_unused]] static health::Health::Stub* const pin = MakePin(); }

}  // namespace naval::testing
