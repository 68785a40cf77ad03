// naval-health ADDRESS [SERVICE]: asks a server how it is, by the standard grpc.health.v1.

#include <grpcpp/grpcpp.h>

#include <cstdio>
#include <string>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "lib/base/flags.h"

namespace {

namespace health = grpc::health::v1;

constexpr char kUsage[] =
    "naval-health ADDRESS [SERVICE]\n"
    "Prints the state that the server at ADDRESS (HOST:PORT) gives for SERVICE, or for itself as a "
    "whole,\nand exits with 0 when it is SERVING and with 1 otherwise. Waits one second at most.";

int Check(const std::string& address, const std::string& service) {
  const auto stub =
      health::Health::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(gpr_time_from_seconds(1, GPR_TIMESPAN));
  health::HealthCheckRequest request;
  request.set_service(service);
  health::HealthCheckResponse response;
  const grpc::Status status = stub->Check(&context, request, &response);
  if (status.error_code() == grpc::StatusCode::NOT_FOUND) {
    std::printf("%s knows no service '%s'\n", address.c_str(), service.c_str());
    return 1;
  }
  if (!status.ok()) {
    std::printf("no answer from %s: %s\n", address.c_str(), status.error_message().c_str());
    return 1;
  }
  std::printf("%s\n", health::HealthCheckResponse::ServingStatus_Name(response.status()).c_str());
  return response.status() == health::HealthCheckResponse::SERVING ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<char*> arguments = naval::base::ParseFlags(argc, argv, kUsage);
  if (arguments.empty() || arguments.size() > 2) {
    std::fprintf(stderr, "usage: %s\n", kUsage);
    return 2;
  }
  return Check(arguments[0], arguments.size() == 2 ? arguments[1] : "");
}
