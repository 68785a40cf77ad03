#include "services/match/forwarded_stream.h"

#include "lib/server/grpc_status.h"
#include "services/match/partition.h"
#include "services/match/refusals.h"

namespace naval::match {

ForwardedStream::ForwardedStream(Forwarder& forwarder, const grpc::CallbackServerContext& context,
                                 const v1::WatchMatchRequest& request)
    : forwarder_(forwarder),
      context_(context),
      request_(request),
      partition_(PartitionOf(request.match_id())),
      outgoing_(Forwarder::NewContext(context)) {
  if (request.has_after_seq()) last_seq_ = request.after_seq();
}

void ForwardedStream::Begin(const std::shared_ptr<grpc::Channel>& owner) {
  v1::MatchService::NewStub(owner)->async()->WatchMatch(outgoing_.get(), &request_, &source_);
  // For reads that are begun by the end of a write.
  source_.AddHold();
  source_.StartRead(&message_);
  source_.StartCall();
}

void ForwardedStream::MessageRead(bool ok) {
  if (!ok) return source_.RemoveHold();
  if (message_.has_snapshot()) last_seq_ = message_.snapshot().seq();
  if (message_.has_event()) last_seq_ = message_.event().seq();
  for (const v1::MatchEvent& event : message_.events().events()) last_seq_ = event.seq();
  StartWrite(&message_);
}

void ForwardedStream::OnWriteDone(bool ok) {
  if (ok) return source_.StartRead(&message_);
  // The reader is gone.
  outgoing_->TryCancel();
  source_.RemoveHold();
}

void ForwardedStream::Reconnect() {
  reconnecting_ = true;
  outgoing_->TryCancel();
}

void ForwardedStream::SourceEnded(const grpc::Status& status) {
  // What the owner said before it was let go of is the end all the same.
  if (status.ok() || !reconnecting_) return Finish(forwarder_.Answer(context_, status));
  forwarder_.observer_.CallForwarded(ForwardOutcome::kReconnected);
  if (!last_seq_.has_value()) return Finish(server::ToGrpcStatus(OwnerAway()));
  message_.mutable_reconnect()->set_seq(*last_seq_);
  StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
}

void ForwardedStream::OnDone() { forwarder_.Remove(shared_from_this()); }

}  // namespace naval::match
