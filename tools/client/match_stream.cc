#include "tools/client/match_stream.h"

#include <utility>

#include "lib/server/grpc_status.h"

namespace naval::client {

MatchStream::MatchStream(match::v1::MatchService::StubInterface& stub,
                         std::unique_ptr<grpc::ClientContext> context,
                         const match::v1::WatchMatchRequest& request)
    : context_(std::move(context)), reader_(stub.WatchMatch(context_.get(), request)) {}

MatchStream::~MatchStream() {
  Cancel();
  while (Next().has_value()) {
  }
}

std::optional<match::v1::WatchMatchResponse> MatchStream::Next() {
  if (ended_) return std::nullopt;
  match::v1::WatchMatchResponse message;
  if (reader_->Read(&message)) return message;
  ended_ = true;
  status_ = server::FromGrpcStatus(reader_->Finish());
  return std::nullopt;
}

}  // namespace naval::client
