#pragma once

#include "absl/time/time.h"
#include "lib/base/mutex.h"

namespace naval::base {

// Time as everything in the project sees it, handed in by reference. Thread safe.
class Clock {
 public:
  virtual ~Clock() = default;

  // The present wall time. Never goes backwards.
  virtual absl::Time Now() const = 0;

  // Releases `mutex`, sleeps until `changed` is notified or this clock reaches `deadline`, and
  // takes `mutex` again. Returns true when the deadline has come. It may return false without a
  // notification: call it in a loop that checks the condition. A deadline that has come already
  // returns at once; absl::InfiniteFuture() waits for a notification alone.
  virtual bool WaitUntil(CondVar& changed, Mutex& mutex, absl::Time deadline)
      NAVAL_REQUIRES(mutex) = 0;
};

// The machine's clock. The wall clock is read once, at construction; from there on time is counted
// on the steady clock, so that a jump of the wall clock (an operator, a step of the time daemon)
// fires no timer early or late. What this costs: a correction made by a step is seen only after a
// restart. Time that the machine is suspended counts where the system can tell (CLOCK_BOOTTIME of
// Linux), but a wait in progress sleeps through it: that one ends late by at most what was left of
// it.
class SystemClock final : public Clock {
 public:
  SystemClock();

  absl::Time Now() const override;
  bool WaitUntil(CondVar& changed, Mutex& mutex, absl::Time deadline)
      NAVAL_REQUIRES(mutex) override;

 private:
  const absl::Time wall_anchor_;
  const absl::Duration steady_anchor_;
};

}  // namespace naval::base
