#include "lib/server/request_check.h"

#include <google/protobuf/descriptor.h>

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/error.h"
#include "lib/server/grpc_status.h"

namespace naval::server {
namespace {

using grpc::experimental::InterceptionHookPoints;

// The full name of what `method` ("/naval.match.v1.MatchService/Resign") takes.
std::string RequestTypeOf(absl::string_view method) {
  absl::ConsumePrefix(&method, "/");
  const auto* const descriptor =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(
          absl::StrReplaceAll(method, {{"/", "."}}));
  return descriptor == nullptr ? std::string(method) : descriptor->input_type()->full_name();
}

absl::Status MalformedRequest(absl::string_view method) {
  const std::string type = RequestTypeOf(method);
  return base::Error(absl::StatusCode::kInvalidArgument, "MALFORMED_REQUEST",
                     absl::StrCat("the request is no ", type,
                                  ": its bytes do not parse, or a text in it is not UTF-8"),
                     {{"type", type}});
}

// Sees a request that did not parse as no request, and replaces what gRPC answers then.
class MalformedRequestAnswer final : public grpc::experimental::Interceptor {
 public:
  explicit MalformedRequestAnswer(const char* method) : method_(method) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::POST_RECV_MESSAGE)) {
      malformed_ = methods->GetRecvMessage() == nullptr;
    }
    if (malformed_ &&
        methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      methods->ModifySendStatus(ToGrpcStatus(MalformedRequest(method_)));
    }
    methods->Proceed();
  }

 private:
  const char* const method_;
  bool malformed_ = false;
};

class MalformedRequestAnswers final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // gRPC takes the interceptor.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override {
    if (!absl::StartsWith(call->method(), "/naval.")) return nullptr;
    return new MalformedRequestAnswer(call->method());
  }
};

}  // namespace

absl::Status CheckRequestSize(const google::protobuf::MessageLite& request) {
  const std::size_t bytes = request.ByteSizeLong();
  if (bytes <= static_cast<std::size_t>(kMaxRequestBytes)) return absl::OkStatus();
  return base::Error(
      absl::StatusCode::kResourceExhausted, "REQUEST_TOO_LARGE",
      absl::StrCat("the request has ", bytes, " bytes; at most ", kMaxRequestBytes, " are taken"),
      {{"bytes", absl::StrCat(bytes)}, {"limit", absl::StrCat(kMaxRequestBytes)}});
}

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>
NewMalformedRequestAnswers() {
  return std::make_unique<MalformedRequestAnswers>();
}

}  // namespace naval::server
