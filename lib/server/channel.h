#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "absl/time/time.h"
#include "lib/base/secret.h"

namespace naval::server {

// A channel to the internal port of another service at `address` ("HOST:PORT" or a gRPC target).
// Calls are retried on UNAVAILABLE and nothing else, by gRPC itself, at most 4 tries within the
// call's deadline, with backoff; keepalive finds a dead peer within 20 s. Connects when first used.
std::shared_ptr<grpc::Channel> NewChannel(const std::string& address);

// As above, without the retries: for calls of clients that are handed on, who try again themselves.
// A call fails at once while the other side cannot be reached, and after a second when it keeps
// silent.
std::shared_ptr<grpc::Channel> NewForwardingChannel(const std::string& address);

// A context for one internal call: with the service token, and with a deadline `timeout` from now.
// No call between services goes without a deadline.
std::unique_ptr<grpc::ClientContext> NewClientContext(const base::Secret& service_token,
                                                      absl::Duration timeout);

}  // namespace naval::server
