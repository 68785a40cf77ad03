#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "naval/match/v1/match_service.grpc.pb.h"

namespace naval::client {

// One WatchMatch call: nothing is checked or opened anew. Events that come in one message are given
// one by one. It begins with the first Next, so that Cancel ends the wait for a connection too. For
// one reader; Cancel may be called by any thread.
class MatchStream {
 public:
  // `stub` must outlive the stream.
  MatchStream(match::v1::MatchService::StubInterface& stub,
              std::unique_ptr<grpc::ClientContext> context, match::v1::WatchMatchRequest request);
  // Cancels what is still open.
  ~MatchStream();
  MatchStream(const MatchStream&) = delete;
  MatchStream& operator=(const MatchStream&) = delete;

  // Blocks until the next message comes; nullopt when the stream ended, status() then says how.
  std::optional<match::v1::WatchMatchResponse> Next();

  // How the stream ended. Valid once Next gave nullopt.
  const absl::Status& status() const { return status_; }

  void Cancel() { context_->TryCancel(); }

 private:
  match::v1::MatchService::StubInterface& stub_;
  const std::unique_ptr<grpc::ClientContext> context_;
  const match::v1::WatchMatchRequest request_;
  // Null before the call has begun.
  std::unique_ptr<grpc::ClientReaderInterface<match::v1::WatchMatchResponse>> reader_;
  // What came together and was not given yet, the next one first.
  std::deque<match::v1::MatchEvent> events_;
  bool ended_ = false;
  absl::Status status_;
};

}  // namespace naval::client
