#pragma once

#include <condition_variable>
#include <mutex>

#include "absl/time/time.h"
#include "lib/base/scheduler.h"
#include "lib/base/thread_annotations.h"

namespace naval::base {

// The one mutex of the project. It is a std::mutex, because ThreadSanitizer understands that one in
// full (it does not see into an absl::Mutex of an uninstrumented library), and it carries the
// annotations that let clang prove that guarded members are touched under their lock only.
class NAVAL_CAPABILITY("mutex") Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() NAVAL_ACQUIRE() {
    if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) [[unlikely]] {
      scheduler->Lock(*this);
    } else {
      mutex_.lock();
    }
  }
  void Unlock() NAVAL_RELEASE() {
    if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) [[unlikely]] {
      scheduler->Unlock(*this);
    } else {
      mutex_.unlock();
    }
  }

 private:
  friend class CondVar;
  friend class Scheduler;
  std::mutex mutex_;
};

// Holds `mutex` from its construction to the end of its scope.
class NAVAL_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) NAVAL_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() NAVAL_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable for Mutex. Waits may end without a reason (spurious wake-ups): always wait
// in a loop that checks the condition. All waits on one CondVar must use the same Mutex.
class CondVar {
 public:
  CondVar() = default;
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  // Releases `mutex`, sleeps until notified, takes `mutex` again.
  void Wait(Mutex& mutex) NAVAL_REQUIRES(mutex);

  // As Wait, but sleeps for at most `timeout`, measured on the machine's steady clock. Returns true
  // when the timeout passed. Code whose waiting time a test must be able to drive waits through
  // Clock::WaitUntil instead.
  bool WaitFor(Mutex& mutex, absl::Duration timeout) NAVAL_REQUIRES(mutex);

  void NotifyOne();
  void NotifyAll();

 private:
  std::condition_variable changed_;
};

}  // namespace naval::base
