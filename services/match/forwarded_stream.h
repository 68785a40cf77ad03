#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "naval/match/v1/match_service.grpc.pb.h"
#include "services/match/forwarder.h"

namespace naval::match {

// One WatchMatch call that another process answers: reads a message from there, writes it, and only
// then reads the next, so that the owner's WatchStream is the one queue of the call, and knows a
// slow reader as such. The forwarder owns it until gRPC is done with both of its ends. Thread safe.
class ForwardedStream final : public grpc::ServerWriteReactor<v1::WatchMatchResponse>,
                              public std::enable_shared_from_this<ForwardedStream> {
 public:
  // `forwarder` must outlive the stream; `context` and `request` are those of the call.
  ForwardedStream(Forwarder& forwarder, const grpc::CallbackServerContext& context,
                  const v1::WatchMatchRequest& request);

  void Begin(const std::shared_ptr<grpc::Channel>& owner);

  // Lets go of the owner and tells the caller to reconnect.
  void Reconnect();

  // Of the match.
  int partition() const { return partition_; }

  void OnWriteDone(bool ok) override;
  void OnDone() override;

 private:
  // The end at the owner.
  class Source final : public grpc::ClientReadReactor<v1::WatchMatchResponse> {
   public:
    explicit Source(ForwardedStream& stream) : stream_(stream) {}
    void OnReadDone(bool ok) override { stream_.MessageRead(ok); }
    void OnDone(const grpc::Status& status) override { stream_.SourceEnded(status); }

   private:
    ForwardedStream& stream_;
  };

  void MessageRead(bool ok);
  void SourceEnded(const grpc::Status& status);

  // A message is read, or written, or the stream ends: one after the other, so that nothing here
  // needs a lock.
  Forwarder& forwarder_;
  const grpc::CallbackServerContext& context_;
  const v1::WatchMatchRequest& request_;
  const int partition_;
  const std::unique_ptr<grpc::ClientContext> outgoing_;
  Source source_{*this};
  v1::WatchMatchResponse message_;
  // The last number that the caller was sent, or began after; nullopt before the whole state.
  std::optional<int64_t> last_seq_;
  // But for this one, and outgoing_, which any thread may cancel.
  std::atomic<bool> reconnecting_ = false;
};

}  // namespace naval::match
