#include "services/match/forwarder.h"

#include <grpc/support/time.h>

#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/server/auth_context.h"
#include "lib/server/channel.h"
#include "lib/server/grpc_status.h"
#include "services/match/forwarded_stream.h"
#include "services/match/partition.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

// More are never needed at a time; others are of processes that are gone.
constexpr std::size_t kMaxChannels = kPartitions;

// By what a caller proves itself, whichever the method asks for.
constexpr const char* kCredentialKeys[] = {"authorization", server::kServiceTokenKey};

// Whether it was said by gRPC itself, which gives no details, or by a process of another release
// that does not serve the method there.
bool IsUnanswered(const grpc::Status& status) {
  return !status.ok() &&
         (status.error_details().empty() || status.error_code() == grpc::StatusCode::UNIMPLEMENTED);
}

}  // namespace

Forwarder::Forwarder(Ownership& ownership, MatchObserver& observer)
    : ownership_(ownership), observer_(observer) {}

Forwarder::~Forwarder() = default;

std::string Forwarder::MethodOf(const google::protobuf::Descriptor& request) {
  const google::protobuf::FileDescriptor& file = *request.file();
  for (int s = 0; s < file.service_count(); ++s) {
    const google::protobuf::ServiceDescriptor& service = *file.service(s);
    for (int m = 0; m < service.method_count(); ++m) {
      if (service.method(m)->input_type() != &request) continue;
      return absl::StrCat("/", service.full_name(), "/", service.method(m)->name());
    }
  }
  NAVAL_CHECK(false);
}

std::unique_ptr<grpc::ClientContext> Forwarder::NewContext(
    const grpc::CallbackServerContext& context) {
  // With its deadline, and cancelled when it is.
  auto outgoing = grpc::ClientContext::FromCallbackServerContext(context);
  for (const char* const key : kCredentialKeys) {
    const auto [begin, end] = context.client_metadata().equal_range(key);
    for (auto entry = begin; entry != end; ++entry) {
      outgoing->AddMetadata(key, std::string(entry->second.data(), entry->second.size()));
    }
  }
  outgoing->AddMetadata(kForwardedKey, "true");
  return outgoing;
}

std::unique_ptr<grpc::ClientContext> Forwarder::NewUnaryContext(
    const grpc::CallbackServerContext& context) {
  auto outgoing = NewContext(context);
  // The caller's, where that is sooner.
  outgoing->set_deadline(
      gpr_time_from_nanos(absl::ToInt64Nanoseconds(kForwardTimeout), GPR_TIMESPAN));
  return outgoing;
}

std::shared_ptr<grpc::Channel> Forwarder::OwnerOf(const grpc::CallbackServerContext& context,
                                                  const std::string& match_id) {
  const std::optional<std::string> known = ownership_.OwnerAddress(PartitionOf(match_id));
  if (!known.has_value()) return nullptr;
  const std::string& address = *known;
  if (address.empty()) {
    ownership_.LookSoon();
    return nullptr;
  }
  if (context.client_metadata().contains(kForwardedKey)) {
    observer_.CallForwarded(ForwardOutcome::kSecondHop);
    return nullptr;
  }
  base::MutexLock lock(mutex_);
  if (!channels_.contains(address) && channels_.size() >= kMaxChannels) channels_.clear();
  std::shared_ptr<grpc::Channel>& channel = channels_[address];
  if (channel == nullptr) channel = server::NewForwardingChannel(address);
  return channel;
}

grpc::Status Forwarder::Answer(const grpc::CallbackServerContext& context,
                               const grpc::Status& status) {
  if (!IsUnanswered(status)) {
    const bool refused = base::ReasonOf(server::FromGrpcStatus(status)) == kNotOwner;
    if (refused) ownership_.LookSoon();
    observer_.CallForwarded(refused ? ForwardOutcome::kNotOwner : ForwardOutcome::kAnswered);
    return status;
  }
  const bool cancelled = context.IsCancelled();
  if (!cancelled) ownership_.LookSoon();
  observer_.CallForwarded(cancelled ? ForwardOutcome::kCancelled : ForwardOutcome::kUnreachable);
  return server::ToGrpcStatus(cancelled ? server::CallCancelled() : OwnerAway());
}

grpc::ServerWriteReactor<v1::WatchMatchResponse>* Forwarder::Watch(
    const grpc::CallbackServerContext& context, const v1::WatchMatchRequest& request) {
  const std::shared_ptr<grpc::Channel> owner = OwnerOf(context, request.match_id());
  if (owner == nullptr) return nullptr;
  const auto stream = std::make_shared<ForwardedStream>(*this, context, request);
  {
    base::MutexLock lock(mutex_);
    if (draining_) return nullptr;
    streams_.insert(stream);
  }
  stream->Begin(owner);
  return stream.get();
}

void Forwarder::Remove(const std::shared_ptr<ForwardedStream>& stream) {
  base::MutexLock lock(mutex_);
  streams_.erase(stream);
}

std::vector<std::shared_ptr<ForwardedStream>> Forwarder::Streams() {
  base::MutexLock lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

void Forwarder::OnMoved(int partition) {
  for (const auto& stream : Streams()) {
    if (stream->partition() == partition) stream->Reconnect();
  }
}

void Forwarder::Drain() {
  {
    base::MutexLock lock(mutex_);
    draining_ = true;
  }
  for (const auto& stream : Streams()) stream->Reconnect();
}

}  // namespace naval::match
