#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/base/mutex.h"
#include "lib/server/server.h"
#include "lib/server/testdata/echo.grpc.pb.h"

namespace naval::server {

// The smallest whole service, for the tests of this folder.
class EchoApplication final : public Application, public echo::v1::EchoService::CallbackService {
 public:
  using EchoHandler = std::function<grpc::ServerUnaryReactor*(
      grpc::CallbackServerContext*, const echo::v1::EchoRequest*, echo::v1::EchoResponse*)>;

  // Echo is served by `echo`, or by a plain answer at once without one.
  explicit EchoApplication(EchoHandler echo = nullptr) : echo_(std::move(echo)) {}

  std::vector<grpc::Service*> PublicServices() override { return {this}; }
  std::vector<grpc::Service*> InternalServices() override { return {this}; }
  void Drain() override;

  grpc::ServerUnaryReactor* Echo(grpc::CallbackServerContext* context,
                                 const echo::v1::EchoRequest* request,
                                 echo::v1::EchoResponse* response) override;
  grpc::ServerWriteReactor<echo::v1::EchoResponse>* Watch(
      grpc::CallbackServerContext* context, const echo::v1::EchoRequest* request) override;

  // Makes Drain leave the streams open, as a service with a bug would.
  void IgnoreDrain() { ignore_drain_ = true; }
  bool drained() const { return drained_; }

 private:
  class Stream;

  const EchoHandler echo_;
  bool ignore_drain_ = false;
  bool drained_ = false;
  base::Mutex mutex_;
  absl::flat_hash_set<Stream*> streams_ NAVAL_GUARDED_BY(mutex_);
};

}  // namespace naval::server
