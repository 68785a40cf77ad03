#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

namespace naval::client {

// A connection of its own to the public port at `address` (HOST:PORT), made when first used. A
// service that comes back is found within half a second, one that died without a word is noticed
// within 30 s.
std::shared_ptr<grpc::Channel> Connect(const std::string& address);

}  // namespace naval::client
