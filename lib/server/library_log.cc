#include "lib/server/library_log.h"

#include <google/protobuf/stubs/common.h>
#include <grpcpp/version_info.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/log.h"

// From 1.66 and 22 on gRPC and protobuf log through absl/log, whose lines go to standard error;
// Debian's have a log each.
#define NAVAL_GRPC_HAS_A_LOG (GRPC_CPP_VERSION_MAJOR == 1 && GRPC_CPP_VERSION_MINOR < 66)
#define NAVAL_PROTOBUF_HAS_A_LOG (GOOGLE_PROTOBUF_VERSION < 4022000)

#if NAVAL_GRPC_HAS_A_LOG
#include <grpc/support/log.h>
#endif
#if NAVAL_PROTOBUF_HAS_A_LOG
#include <google/protobuf/stubs/logging.h>
#endif

namespace naval::server {
namespace {

#if NAVAL_GRPC_HAS_A_LOG
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

void RouteGrpcLog() {
  gpr_set_log_function([](gpr_log_func_args* arguments) {
    base::Log(LevelOf(arguments->severity), "grpc",
              {{"text", arguments->message},
               {"source", absl::StrCat(arguments->file, ":", arguments->line)}});
  });
}
#else
void RouteGrpcLog() {}
#endif

#if NAVAL_PROTOBUF_HAS_A_LOG
// An error of protobuf's is a message that does not parse, which any caller can send: our log calls
// that a warning.
base::LogLevel LevelOf(google::protobuf::LogLevel level) {
  switch (level) {
    case google::protobuf::LOGLEVEL_INFO:
      return base::LogLevel::kInfo;
    case google::protobuf::LOGLEVEL_WARNING:
    case google::protobuf::LOGLEVEL_ERROR:
      return base::LogLevel::kWarning;
    case google::protobuf::LOGLEVEL_FATAL:
      return base::LogLevel::kError;
  }
  return base::LogLevel::kError;
}

void RouteProtobufLog() {
  google::protobuf::SetLogHandler(
      [](google::protobuf::LogLevel level, const char* file, int line, const std::string& text) {
        base::Log(LevelOf(level), "protobuf",
                  {{"text", text}, {"source", absl::StrCat(file, ":", line)}});
      });
}
#else
void RouteProtobufLog() {}
#endif

}  // namespace

void RouteLibraryLogs() {
  RouteGrpcLog();
  RouteProtobufLog();
}

}  // namespace naval::server
