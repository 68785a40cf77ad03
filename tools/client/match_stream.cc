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
  while (events_.empty() && reader_->Read(&message)) {
    if (!message.has_events()) return message;
    for (match::v1::MatchEvent& event : *message.mutable_events()->mutable_events()) {
      events_.push_back(std::move(event));
    }
  }
  if (!events_.empty()) {
    *message.mutable_event() = std::move(events_.front());
    events_.pop_front();
    return message;
  }
  ended_ = true;
  status_ = server::FromGrpcStatus(reader_->Finish());
  return std::nullopt;
}

}  // namespace naval::client
