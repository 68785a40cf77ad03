#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/server/grpc_status.h"
#include "tools/load/event_loop.h"

namespace naval::load {

// How long a call is waited for.
struct Patience {
  // A try that has no answer by then is made again.
  absl::Duration try_timeout = absl::Seconds(10);
  // Whether a try waits for a connection, too: not where there is another server to turn to.
  bool wait_for_ready = true;
  // False: the first try is the last.
  bool try_again = true;
};

// Between two tries, growing from the one to the other.
inline constexpr absl::Duration kFirstPause = absl::Milliseconds(20);
inline constexpr absl::Duration kLongestPause = absl::Milliseconds(500);

// Whether the same call may succeed later, whether or not this one had its effect: every mutating
// one carries a request_id.
bool MayTryAgain(const absl::Status& status);

// What a context needs to speak for an account; nothing without a token.
void Authorize(const std::string& access_token, grpc::ClientContext& context);

// A unary call, sent anew with the same content until it is answered or refused.
template <typename Stub, typename Request, typename Response>
class UnaryCall final : public EventLoop::Operation {
 public:
  // The stub's PrepareAsync...
  using Method = std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> (Stub::*)(
      grpc::ClientContext*, const Request&, grpc::CompletionQueue*);
  using Done = absl::AnyInvocable<void(const absl::Status&, const Response&)>;
  // Is told of every try that failed, and with which stub.
  using Failed = absl::AnyInvocable<void(const absl::Status&, const Stub&)>;
  // Is asked before every try.
  using Choose = absl::AnyInvocable<Stub&()>;

  // The stubs must outlive the call, and so must `access_token`, which may change between tries.
  UnaryCall(EventLoop& loop, Choose choose, Method method, const std::string& access_token,
            Request request, Patience patience, Failed failed, Done done)
      : Operation(loop),
        choose_(std::move(choose)),
        method_(method),
        access_token_(access_token),
        request_(std::move(request)),
        patience_(patience),
        failed_(std::move(failed)),
        done_(std::move(done)) {
    Send();
  }

  void Proceed(bool) override {
    if (loop().stopping()) {
      delete this;
    } else if (pausing_) {
      Send();
    } else {
      TakeAnswer();
    }
  }

  void Cancel() override {
    if (pausing_) alarm_.Cancel();
    context_->TryCancel();
  }

 private:
  void Send() {
    pausing_ = false;
    // It lies in the call that the context holds.
    reader_.reset();
    context_.emplace();
    Authorize(access_token_, *context_);
    context_->set_deadline(EventLoop::FromNow(patience_.try_timeout));
    // gRPC makes connections only while a call waits for one.
    context_->set_wait_for_ready(patience_.wait_for_ready);
    stub_ = &choose_();
    reader_ = (stub_->*method_)(&*context_, request_, loop().queue());
    reader_->StartCall();
    reader_->Finish(&response_, &status_, this);
  }

  void TakeAnswer() {
    const absl::Status status = server::FromGrpcStatus(status_);
    if (!status.ok()) failed_(status, *stub_);
    if (patience_.try_again && MayTryAgain(status)) {
      pausing_ = true;
      const absl::Duration asked = base::RetryDelayOf(status).value_or(absl::ZeroDuration());
      alarm_.Set(loop().queue(), EventLoop::FromNow(std::max(pause_, asked)), this);
      pause_ = std::min(pause_ * 2, kLongestPause);
      return;
    }
    auto done = std::move(done_);
    const Response response = std::move(response_);
    delete this;
    done(status, response);
  }

  Choose choose_;
  const Method method_;
  const std::string& access_token_;
  const Request request_;
  const Patience patience_;
  Failed failed_;
  Done done_;
  // Of the try that is under way.
  Stub* stub_ = nullptr;
  std::optional<grpc::ClientContext> context_;
  std::unique_ptr<grpc::ClientAsyncResponseReader<Response>> reader_;
  Response response_;
  grpc::Status status_;
  bool pausing_ = false;
  absl::Duration pause_ = kFirstPause;
  grpc::Alarm alarm_;
};

}  // namespace naval::load
