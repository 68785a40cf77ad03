#include "lib/base/mutex.h"

#include <chrono>

namespace naval::base {

bool Scheduler::TryLock(Mutex& mutex) { return mutex.mutex_.try_lock(); }
void Scheduler::Release(Mutex& mutex) { mutex.mutex_.unlock(); }

void CondVar::Wait(Mutex& mutex) {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    scheduler->Wait(*this, mutex, absl::InfiniteDuration());
    return;
  }
  // The caller holds the lock and keeps it: the unique_lock only borrows it for the wait.
  std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
  changed_.wait(lock);
  lock.release();
}

bool CondVar::WaitFor(Mutex& mutex, absl::Duration timeout) {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    return scheduler->Wait(*this, mutex, timeout);
  }
  // Longer waits overflow the arithmetic of the standard library; callers wait in a loop anyway.
  constexpr absl::Duration kLongestWait = absl::Hours(24);
  const bool cut = timeout > kLongestWait;
  std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
  const std::cv_status result =
      changed_.wait_for(lock, absl::ToChronoNanoseconds(cut ? kLongestWait : timeout));
  lock.release();
  return result == std::cv_status::timeout && !cut;
}

void CondVar::NotifyOne() {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    scheduler->NotifyOne(*this);
  } else {
    changed_.notify_one();
  }
}

void CondVar::NotifyAll() {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    scheduler->NotifyAll(*this);
  } else {
    changed_.notify_all();
  }
}

}  // namespace naval::base
