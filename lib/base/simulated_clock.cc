#include "lib/base/simulated_clock.h"

#include <vector>

namespace naval::base {

SimulatedClock::SimulatedClock(absl::Time now) : now_(now) {}

absl::Time SimulatedClock::Now() const {
  MutexLock lock(mutex_);
  return now_;
}

bool SimulatedClock::WaitUntil(CondVar& changed, Mutex& mutex, absl::Time deadline) {
  std::list<Waiter>::iterator waiter;
  {
    MutexLock lock(mutex_);
    if (now_ >= deadline) return true;
    waiter = waiters_.insert(waiters_.end(), Waiter{&changed, &mutex, deadline});
  }
  // AdvanceTo notifies under `mutex`, which this thread holds until it sleeps: no wake-up is lost.
  changed.Wait(mutex);
  {
    MutexLock lock(mutex_);
    if (!waiter->being_woken) {
      waiters_.erase(waiter);
      return now_ >= deadline;
    }
  }
  // AdvanceTo is about to take `mutex` and to touch `changed`: both must outlive that.
  mutex.Unlock();
  {
    MutexLock lock(mutex_);
    while (waiter->being_woken) woken_.Wait(mutex_);
    waiters_.erase(waiter);
  }
  mutex.Lock();
  return true;
}

void SimulatedClock::Advance(absl::Duration duration) { AdvanceTo(Now() + duration); }

void SimulatedClock::AdvanceTo(absl::Time time) {
  std::vector<Waiter*> due;
  {
    MutexLock lock(mutex_);
    if (time <= now_) return;
    now_ = time;
    for (Waiter& waiter : waiters_) {
      if (waiter.deadline > now_ || waiter.being_woken) continue;
      waiter.being_woken = true;
      due.push_back(&waiter);
    }
  }
  for (Waiter* waiter : due) {
    // These members do not change while being_woken holds the waiter in its place.
    {
      MutexLock lock(*waiter->mutex);
      waiter->changed->NotifyAll();
    }
    MutexLock lock(mutex_);
    waiter->being_woken = false;
    woken_.NotifyAll();
  }
}

}  // namespace naval::base
