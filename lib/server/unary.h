#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/grpcpp.h>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "lib/base/executor.h"

namespace naval::server {

// Unary handlers of gRPC's callback API. A handler returns what these functions return:
//   grpc::ServerUnaryReactor* GetRating(grpc::CallbackServerContext* context,
//                                       const v1::GetRatingRequest* request,
//                                       v1::GetRatingResponse* response) override {
//     return server::ServeUnary(context, *request, executor_,
//                               [=, this] { return DoGetRating(...); });
//   }
// gRPC keeps context, request and response alive until the call is finished.

// Runs `body` on `executor` and finishes the call with its status. Without running it: with
// RESOURCE_EXHAUSTED when the request is too long (reason REQUEST_TOO_LARGE, see request_check.h)
// or the executor full (SERVER_BUSY, with a retry delay), UNAVAILABLE (SHUTTING_DOWN) when it has
// stopped, and with CANCELLED when its turn comes only after the caller gave up or the call's
// deadline passed.
grpc::ServerUnaryReactor* ServeUnary(grpc::CallbackServerContext* context,
                                     const google::protobuf::MessageLite& request,
                                     base::Executor& executor,
                                     absl::AnyInvocable<absl::Status()> body);

// CANCELLED, reason CALL_CANCELLED: what such a call is finished with.
absl::Status CallCancelled();

// Ends one call. Move-only; call it once, from any thread. If it is destroyed uncalled the call
// ends with INTERNAL, so that no caller waits forever for an answer that was lost.
class Finisher {
 public:
  explicit Finisher(grpc::ServerUnaryReactor* reactor) : reactor_(reactor) {}
  ~Finisher();
  Finisher(Finisher&& other) noexcept;
  Finisher& operator=(Finisher&&) = delete;

  // Request, response and context are gone when this returns.
  void operator()(const absl::Status& status);

  // As above, with the answer to a call that was handed on: it leaves as it is.
  void operator()(const grpc::Status& status);

 private:
  grpc::ServerUnaryReactor* reactor_;
};

// Calls `body` at once, on gRPC's thread, and leaves the end of the call to the Finisher it is
// given, which may go on to other threads. `body` must not block: it hands the work on (to a
// match's queue). A request that is too long is refused as above.
grpc::ServerUnaryReactor* ServeUnaryAsync(grpc::CallbackServerContext* context,
                                          const google::protobuf::MessageLite& request,
                                          absl::AnyInvocable<void(Finisher)> body);

}  // namespace naval::server
