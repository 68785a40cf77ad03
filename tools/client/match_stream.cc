#include "tools/client/match_stream.h"

#include <utility>

#include "lib/server/grpc_status.h"

namespace naval::client {

MatchStream::MatchStream(match::v1::MatchService::StubInterface& stub,
                         std::unique_ptr<grpc::ClientContext> context,
                         match::v1::WatchMatchRequest request)
    : stub_(stub), context_(std::move(context)), request_(std::move(request)) {}

MatchStream::~MatchStream() {
  if (reader_ == nullptr) return;
  Cancel();
  while (Next().has_value()) {
  }
}

std::optional<match::v1::WatchMatchResponse> MatchStream::Next() {
  if (ended_) return std::nullopt;
  if (reader_ == nullptr) reader_ = stub_.WatchMatch(context_.get(), request_);
  match::v1::WatchMatchResponse message;
  if (reader_->Read(&message)) return message;
  ended_ = true;
  status_ = server::FromGrpcStatus(reader_->Finish());
  return std::nullopt;
}

}  // namespace naval::client
