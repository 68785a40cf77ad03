#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"

namespace naval::load {

// Runs everything of gRPC on one thread, the one that calls RunUntil: thousands of calls and
// streams without a lock. For that thread alone.
class EventLoop {
 public:
  // Something under way: a call, a stream, a pause. Made with `new`; ends by deleting itself.
  class Operation {
   public:
    explicit Operation(EventLoop& loop) : loop_(loop) { loop_.under_way_.insert(this); }
    virtual ~Operation() { loop_.under_way_.erase(this); }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    // What it waited for is there (or, not `ok`, will never be). It waits for the next thing, or
    // ends.
    virtual void Proceed(bool ok) = 0;
    // Has what it waits for come at once.
    virtual void Cancel() = 0;

   protected:
    EventLoop& loop() { return loop_; }

   private:
    EventLoop& loop_;
  };

  // `clock` must outlive the loop.
  explicit EventLoop(base::Clock& clock) : clock_(clock) {}
  // Cancels what is under way; what waits for it is not told. Whatever operations refer to must
  // outlive the loop.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs until `done`, which is asked after each step; false when `deadline` came first.
  bool RunUntil(absl::FunctionRef<bool()> done, absl::Time deadline);

  // Calls `then` after a pause.
  void After(absl::Duration pause, absl::AnyInvocable<void()> then);

  base::Clock& clock() { return clock_; }
  grpc::CompletionQueue* queue() { return &queue_; }
  // When operations are to end without telling anybody.
  bool stopping() const { return stopping_; }

  static gpr_timespec FromNow(absl::Duration pause) {
    return gpr_time_from_nanos(absl::ToInt64Nanoseconds(pause), GPR_TIMESPAN);
  }

 private:
  base::Clock& clock_;
  grpc::CompletionQueue queue_;
  absl::flat_hash_set<Operation*> under_way_;
  bool stopping_ = false;
};

}  // namespace naval::load
