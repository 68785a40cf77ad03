#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/mutex.h"

namespace naval::testing {

// All that a caller gets of one call, as the bytes that came over the wire.
struct RawAnswer {
  std::vector<std::string> messages;
  int code = 0;
  std::string error_message;
  // The serialized google.rpc.Status.
  std::string error_details;
  // What the server sent besides.
  std::multimap<std::string, std::string> metadata;

  bool operator==(const RawAnswer&) const = default;
};

// One call, unary or streaming, whose messages nobody parses on the way. It is read on a thread of
// its own until it ends. Cancelled when the object goes.
class RawCall {
 public:
  // Sends `request`, a serialized message, to `method` ("/naval.match.v1.MatchService/GetMatch").
  RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
          const std::string& access_token, const std::string& request);
  ~RawCall();
  RawCall(const RawCall&) = delete;
  RawCall& operator=(const RawCall&) = delete;

  // What has come so far.
  std::vector<std::string> messages() const NAVAL_EXCLUDES(mutex_);

  // Waits for the end.
  RawAnswer Finish() NAVAL_EXCLUDES(mutex_);

 private:
  void Run(const std::string& method, const std::string& request) NAVAL_EXCLUDES(mutex_);
  // Waits for the one operation in progress; gives whether it succeeded.
  bool Await();

  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  grpc::ClientContext context_;
  mutable base::Mutex mutex_;
  RawAnswer answer_ NAVAL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace naval::testing
