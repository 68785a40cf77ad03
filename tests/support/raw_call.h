#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <map>
#include <memory>
#include <string>
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

  // How the call ended, as a stub would say it.
  grpc::Status status() const {
    return {static_cast<grpc::StatusCode>(code), error_message, error_details};
  }

  bool operator==(const RawAnswer&) const = default;
};

// One call, unary or streaming, whose messages nobody parses on the way. Cancelled when the object
// goes. Thread safe.
class RawCall final : private grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // Sends `request`, the bytes of a message or any others, to `method`
  // ("/naval.match.v1.MatchService/GetMatch"); without a token when `access_token` is empty.
  RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
          const std::string& access_token, const std::string& request);
  // As above, with these headers.
  RawCall(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
          const std::multimap<std::string, std::string>& headers, const std::string& request);
  ~RawCall() override;
  RawCall(const RawCall&) = delete;
  RawCall& operator=(const RawCall&) = delete;

  // What has come so far.
  std::vector<std::string> messages() const NAVAL_EXCLUDES(mutex_);

  bool done() const NAVAL_EXCLUDES(mutex_);

  // Waits for the end. A call that has not ended within a minute is cancelled, and its code is
  // DEADLINE_EXCEEDED.
  RawAnswer Finish() NAVAL_EXCLUDES(mutex_);

 private:
  void OnReadDone(bool ok) override NAVAL_EXCLUDES(mutex_);
  void OnDone(const grpc::Status& status) override NAVAL_EXCLUDES(mutex_);

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  // The message being read: gRPC's until OnReadDone.
  grpc::ByteBuffer reading_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  RawAnswer answer_ NAVAL_GUARDED_BY(mutex_);
  bool done_ NAVAL_GUARDED_BY(mutex_) = false;
};

}  // namespace naval::testing
