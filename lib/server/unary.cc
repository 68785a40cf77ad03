#include "lib/server/unary.h"

#include <utility>

#include "lib/base/error.h"
#include "lib/server/grpc_status.h"
#include "lib/server/request_check.h"

namespace naval::server {

grpc::ServerUnaryReactor* ServeUnary(grpc::CallbackServerContext* context,
                                     const google::protobuf::MessageLite& request,
                                     base::Executor& executor,
                                     absl::AnyInvocable<absl::Status()> body) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  if (const absl::Status fits = CheckRequestSize(request); !fits.ok()) {
    reactor->Finish(ToGrpcStatus(fits));
    return reactor;
  }
  const absl::Status queued = executor.Submit([context, reactor, body = std::move(body)]() mutable {
    // gRPC cancels a call also when its deadline passes.
    reactor->Finish(ToGrpcStatus(context->IsCancelled() ? CallCancelled() : body()));
  });
  if (!queued.ok()) reactor->Finish(ToGrpcStatus(queued));
  return reactor;
}

absl::Status CallCancelled() {
  return base::Error(absl::StatusCode::kCancelled, "CALL_CANCELLED",
                     "the caller did not wait for the answer");
}

Finisher::~Finisher() {
  if (reactor_ != nullptr) (*this)(absl::InternalError("a call was dropped without an answer"));
}

Finisher::Finisher(Finisher&& other) noexcept : reactor_(std::exchange(other.reactor_, nullptr)) {}

void Finisher::operator()(const absl::Status& status) { (*this)(ToGrpcStatus(status)); }

void Finisher::operator()(const grpc::Status& status) {
  std::exchange(reactor_, nullptr)->Finish(status);
}

grpc::ServerUnaryReactor* ServeUnaryAsync(grpc::CallbackServerContext* context,
                                          const google::protobuf::MessageLite& request,
                                          absl::AnyInvocable<void(Finisher)> body) {
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  Finisher finish(reactor);
  if (const absl::Status fits = CheckRequestSize(request); !fits.ok()) {
    finish(fits);
  } else {
    body(std::move(finish));
  }
  return reactor;
}

}  // namespace naval::server
