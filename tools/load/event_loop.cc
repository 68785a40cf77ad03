#include "tools/load/event_loop.h"

#include <algorithm>

#include "lib/base/check.h"

namespace naval::load {
namespace {

// How long the loop may not notice that its deadline has come.
constexpr absl::Duration kLongestWait = absl::Milliseconds(20);

class Pause final : public EventLoop::Operation {
 public:
  Pause(EventLoop& loop, absl::Duration pause, absl::AnyInvocable<void()> then)
      : Operation(loop), then_(std::move(then)) {
    alarm_.Set(loop.queue(), EventLoop::FromNow(pause), this);
  }

  void Proceed(bool) override {
    auto then = std::move(then_);
    const bool told = !loop().stopping();
    delete this;
    if (told) then();
  }

  void Cancel() override { alarm_.Cancel(); }

 private:
  absl::AnyInvocable<void()> then_;
  grpc::Alarm alarm_;
};

}  // namespace

EventLoop::~EventLoop() {
  stopping_ = true;
  // One that is canceled ends later, in the loop below.
  for (Operation* operation : under_way_) operation->Cancel();
  void* tag = nullptr;
  bool ok = false;
  while (!under_way_.empty()) {
    NAVAL_CHECK(queue_.Next(&tag, &ok));
    static_cast<Operation*>(tag)->Proceed(ok);
  }
  queue_.Shutdown();
  while (queue_.Next(&tag, &ok)) {
  }
}

bool EventLoop::RunUntil(absl::FunctionRef<bool()> done, absl::Time deadline) {
  while (!done()) {
    const absl::Duration left = deadline - clock_.Now();
    if (left <= absl::ZeroDuration()) return false;
    void* tag = nullptr;
    bool ok = false;
    const auto next = queue_.AsyncNext(&tag, &ok, FromNow(std::min(left, kLongestWait)));
    if (next == grpc::CompletionQueue::GOT_EVENT) static_cast<Operation*>(tag)->Proceed(ok);
  }
  return true;
}

void EventLoop::After(absl::Duration pause, absl::AnyInvocable<void()> then) {
  new Pause(*this, pause, std::move(then));
}

}  // namespace naval::load
