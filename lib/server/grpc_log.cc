#include "lib/server/grpc_log.h"

#include <grpcpp/version_info.h>

// From 1.66 on gRPC logs through absl/log, whose lines go to standard error; Debian's has its own
// log.
#if GRPC_CPP_VERSION_MAJOR == 1 && GRPC_CPP_VERSION_MINOR < 66
#include <grpc/support/log.h>

#include "absl/strings/str_cat.h"
#include "lib/base/log.h"

namespace naval::server {
namespace {

base::LogLevel LevelOf(gpr_log_severity severity) {
  switch (severity) {
    case GPR_LOG_SEVERITY_DEBUG:
      return base::LogLevel::kDebug;
    case GPR_LOG_SEVERITY_INFO:
      return base::LogLevel::kInfo;
    case GPR_LOG_SEVERITY_ERROR:
      return base::LogLevel::kError;
  }
  return base::LogLevel::kError;
}

}  // namespace

void RouteGrpcLog() {
  gpr_set_log_function([](gpr_log_func_args* arguments) {
    base::Log(LevelOf(arguments->severity), "grpc",
              {{"text", arguments->message},
               {"source", absl::StrCat(arguments->file, ":", arguments->line)}});
  });
}

}  // namespace naval::server

#else

namespace naval::server {

void RouteGrpcLog() {}

}  // namespace naval::server

#endif
