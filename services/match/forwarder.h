#pragma once

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "lib/base/mutex.h"
#include "lib/server/unary.h"
#include "naval/match/v1/match_service.pb.h"
#include "services/match/match_observer.h"
#include "services/match/ownership.h"

namespace naval::match {

class ForwardedStream;

// The metadata key of a call that another process has handed on: it is not handed on again.
inline constexpr char kForwardedKey[] = "x-naval-forwarded";

// After so long a unary call is given up: as long as the owner would wait for its database.
inline constexpr absl::Duration kForwardTimeout = absl::Seconds(5);

// Hands calls about matches of other processes on to these, over one channel to each: with what the
// caller proves itself by, its deadline and its giving up. What the owner answers is answered, to
// the byte. Where it does not answer that is UNAVAILABLE, reason MATCH_UNAVAILABLE: nothing is
// tried again here, for it is not known what became of the call, and the client's request_id finds
// it out; but it is looked where the match is now. Nothing waits in here: of a stream the next
// message is read when the one before was written. Thread safe; nothing blocks.
class Forwarder {
 public:
  // Both must outlive the forwarder.
  Forwarder(Ownership& ownership, MatchObserver& observer);
  // No call may be under way.
  ~Forwarder();
  Forwarder(const Forwarder&) = delete;
  Forwarder& operator=(const Forwarder&) = delete;

  // Whether another process answers the call, about the match `request.match_id()`, which must be
  // an id: then it has `finish`. False when it is to be answered here, where a match of another is
  // refused: also when it was handed on already, or it is not known where the owner is.
  template <typename Request, typename Response>
  bool HandOn(const grpc::CallbackServerContext& context, const Request& request,
              Response* response, server::Finisher& finish) {
    std::shared_ptr<grpc::Channel> owner = OwnerOf(context, request.match_id());
    if (owner == nullptr) return false;
    const std::shared_ptr<grpc::ClientContext> outgoing = NewUnaryContext(context);
    // Copyable, as gRPC wants it.
    const auto shared = std::make_shared<server::Finisher>(std::move(finish));
    grpc::TemplatedGenericStub<Request, Response>(std::move(owner))
        .UnaryCall(outgoing.get(), MethodOf(*Request::descriptor()), grpc::StubOptions(), &request,
                   response, [this, &context, outgoing, shared](const grpc::Status& status) {
                     (*shared)(Answer(context, status));
                   });
    return true;
  }

  // The same for a stream: its reactor, or null when it is to be answered here.
  grpc::ServerWriteReactor<v1::WatchMatchResponse>* Watch(
      const grpc::CallbackServerContext& context, const v1::WatchMatchRequest& request)
      NAVAL_EXCLUDES(mutex_);

  // The matches of a partition are not any more where they were: its streams are told to reconnect.
  void OnMoved(int partition) NAVAL_EXCLUDES(mutex_);

  // Tells every stream to reconnect.
  void Drain() NAVAL_EXCLUDES(mutex_);

 private:
  friend class ForwardedStream;

  // The one method that takes such requests: "/naval.match.v1.MatchService/Resign".
  static std::string MethodOf(const google::protobuf::Descriptor& request);
  static std::unique_ptr<grpc::ClientContext> NewContext(
      const grpc::CallbackServerContext& context);
  static std::unique_ptr<grpc::ClientContext> NewUnaryContext(
      const grpc::CallbackServerContext& context);

  // The way to the owner; null as for HandOn.
  std::shared_ptr<grpc::Channel> OwnerOf(const grpc::CallbackServerContext& context,
                                         const std::string& match_id) NAVAL_EXCLUDES(mutex_);
  // What the caller is told of how the owner's call ended.
  grpc::Status Answer(const grpc::CallbackServerContext& context, const grpc::Status& status);
  // The stream has ended.
  void Remove(const std::shared_ptr<ForwardedStream>& stream) NAVAL_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<ForwardedStream>> Streams() NAVAL_EXCLUDES(mutex_);

  Ownership& ownership_;
  MatchObserver& observer_;
  base::Mutex mutex_;
  // By address.
  absl::flat_hash_map<std::string, std::shared_ptr<grpc::Channel>> channels_
      NAVAL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::shared_ptr<ForwardedStream>> streams_ NAVAL_GUARDED_BY(mutex_);
  bool draining_ NAVAL_GUARDED_BY(mutex_) = false;
};

}  // namespace naval::match
