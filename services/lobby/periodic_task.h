#pragma once

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"

namespace naval::lobby {

// Calls `body` on a thread of its own, again and again with `pause` between an end and the next
// beginning, until it is stopped. Thread safe.
class PeriodicTask {
 public:
  // `clock` must outlive the task. The first call begins at once.
  PeriodicTask(base::Clock& clock, absl::Duration pause, absl::AnyInvocable<void()> body);
  // As Stop().
  ~PeriodicTask();
  PeriodicTask(const PeriodicTask&) = delete;
  PeriodicTask& operator=(const PeriodicTask&) = delete;

  // Returns when a call in progress has ended; no other begins. Must not be called from `body`.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  // Returns false when it is time to stop.
  bool Pause() NAVAL_EXCLUDES(mutex_);

  base::Clock& clock_;
  const absl::Duration pause_;
  absl::AnyInvocable<void()> body_;
  base::Mutex mutex_;
  base::CondVar changed_;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace naval::lobby
