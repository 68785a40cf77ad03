#include "lib/server/echo_application.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "lib/base/error.h"
#include "lib/server/grpc_status.h"

namespace naval::server {

// Writes one message and stays open until it is told to end or its caller goes.
class EchoApplication::Stream final : public grpc::ServerWriteReactor<echo::v1::EchoResponse> {
 public:
  Stream(EchoApplication& application, const std::string& text) : application_(application) {
    message_.set_text(text);
    {
      base::MutexLock lock(application_.mutex_);
      application_.streams_.insert(this);
    }
    StartWrite(&message_);
  }

  // A stream that a drain has taken out of the set is finished by that.
  void OnCancel() override {
    {
      base::MutexLock lock(application_.mutex_);
      if (application_.streams_.erase(this) == 0) return;
    }
    Finish(ToGrpcStatus(absl::CancelledError("the caller went")));
  }
  void OnDone() override { delete this; }

 private:
  EchoApplication& application_;
  echo::v1::EchoResponse message_;
};

void EchoApplication::Drain() {
  drained_ = true;
  if (ignore_drain_) return;
  absl::flat_hash_set<Stream*> streams;
  {
    base::MutexLock lock(mutex_);
    streams.swap(streams_);
  }
  for (Stream* stream : streams) {
    stream->Finish(ToGrpcStatus(
        base::Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN", "the server is going away")));
  }
}

grpc::ServerUnaryReactor* EchoApplication::Echo(grpc::CallbackServerContext* context,
                                                const echo::v1::EchoRequest* request,
                                                echo::v1::EchoResponse* response) {
  if (echo_ != nullptr) return echo_(context, request, response);
  response->set_text(request->text());
  grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
  reactor->Finish(grpc::Status::OK);
  return reactor;
}

grpc::ServerWriteReactor<echo::v1::EchoResponse>* EchoApplication::Watch(
    grpc::CallbackServerContext*, const echo::v1::EchoRequest* request) {
  return new Stream(*this, request->text());
}

}  // namespace naval::server
