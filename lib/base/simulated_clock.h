#pragma once

#include <list>

#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"

namespace naval::base {

// A clock that stands still until it is moved by hand; for tests and simulations. Waiters whose
// deadline is reached by a move are woken before the move returns. Thread safe.
class SimulatedClock final : public Clock {
 public:
  explicit SimulatedClock(absl::Time now);

  absl::Time Now() const override;
  bool WaitUntil(CondVar& changed, Mutex& mutex, absl::Time deadline)
      NAVAL_REQUIRES(mutex) override;

  // Moves time forward by `duration` (not negative). Call it while holding no mutex that is
  // passed to WaitUntil: waking a waiter takes that mutex.
  void Advance(absl::Duration duration) NAVAL_EXCLUDES(mutex_);

  // Moves time forward to `time`; a time that lies in the past changes nothing.
  void AdvanceTo(absl::Time time) NAVAL_EXCLUDES(mutex_);

 private:
  // One thread inside WaitUntil.
  struct Waiter {
    CondVar* changed;
    Mutex* mutex;
    absl::Time deadline;
    bool being_woken = false;
  };

  mutable Mutex mutex_;
  CondVar woken_;
  absl::Time now_ NAVAL_GUARDED_BY(mutex_);
  std::list<Waiter> waiters_ NAVAL_GUARDED_BY(mutex_);
};

}  // namespace naval::base
