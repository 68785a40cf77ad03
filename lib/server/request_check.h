#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/server_interceptor.h>

#include <memory>

#include "absl/status/status.h"

namespace naval::server {

// What is refused of a request before anybody looks at what it says. Thread safe.

// A request is at most this long, on any port: the longest honest one, a placed fleet, has some
// hundred bytes. What counts is the parsed message, not what came: a singular field that is
// repeated on the wire counts once.
inline constexpr int kMaxRequestBytes = 4 * 1024;

// gRPC itself takes no longer message: it ends the call with RESOURCE_EXHAUSTED, saying both sizes,
// before any code of ours could add details. Between the two limits the answer is ours.
inline constexpr int kMaxReceivedBytes = 64 * 1024;

// RESOURCE_EXHAUSTED, reason REQUEST_TOO_LARGE, when `request` is longer than kMaxRequestBytes.
// Every handler asks it: ServeUnary and ServeUnaryAsync do so themselves.
absl::Status CheckRequestSize(const google::protobuf::MessageLite& request);

// Answers the requests that do not parse, for which gRPC calls no handler and says UNIMPLEMENTED:
// INVALID_ARGUMENT, reason MALFORMED_REQUEST. It looks after the services of the packages naval.*.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> NewMalformedRequestAnswers();

}  // namespace naval::server
