// The process that run_test.cc starts and stops.

#include <memory>

#include "absl/flags/flag.h"
#include "lib/base/log.h"
#include "lib/server/echo_application.h"
#include "lib/server/flags.h"
#include "lib/server/server.h"

ABSL_FLAG(bool, never_answer, false, "Take calls of Echo and never finish them.");
ABSL_FLAG(bool, fail_to_start, false, "Fail as a service without its database does.");

namespace {

using ::naval::server::Application;
using ::naval::server::EchoApplication;

absl::StatusOr<std::unique_ptr<Application>> Start() {
  if (absl::GetFlag(FLAGS_fail_to_start)) return absl::UnavailableError("no database");
  if (!absl::GetFlag(FLAGS_never_answer)) return std::make_unique<EchoApplication>();
  return std::make_unique<EchoApplication>([](auto* context, auto*, auto*) {
    naval::base::Log(naval::base::LogLevel::kInfo, "echo_taken");
    return context->DefaultReactor();
  });
}

}  // namespace

int main(int argc, char** argv) {
  naval::server::ParseFlags(argc, argv, "Echoes what it is sent.");
  return naval::server::Run(
      "echo", [] { return absl::OkStatus(); }, Start);
}
