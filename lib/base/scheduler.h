#pragma once

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"

namespace naval::base {

class CondVar;
class Mutex;

// Who decides when the threads of a process run and how long they wait. In a service that is the
// machine, and there is no Scheduler. A simulation puts itself in the machine's place: it runs all
// threads on the one that called SetCurrent, one at a time and in an order that it chooses. Nothing
// escapes it, because Thread, Mutex and CondVar are the only means that threads have here to start,
// to exclude and to wait for each other.
class Scheduler {
 public:
  // A thread that was started.
  class Task {
   public:
    // Join has returned.
    virtual ~Task() = default;
    // Returns when the thread has ended. Called once.
    virtual void Join() = 0;
  };

  virtual ~Scheduler() = default;

  // That of the calling thread of the machine, null where the machine itself schedules.
  static Scheduler* Current() { return current_; }

  // From now on `scheduler` is that of the calling thread of the machine; null: the machine. What
  // one of the two has locked or waits for must not meet the other.
  static void SetCurrent(Scheduler* scheduler) { current_ = scheduler; }

  // Thread, Mutex and CondVar call these in place of the machine.
  virtual std::unique_ptr<Task> Start(const std::string& name, absl::AnyInvocable<void()> body) = 0;
  // Returns when the caller has the mutex (TryLock).
  virtual void Lock(Mutex& mutex) = 0;
  virtual void Unlock(Mutex& mutex) = 0;
  // Releases `mutex`, which the caller has, waits for a notification, for at most `timeout`, and
  // takes it again. Whether the timeout passed.
  virtual bool Wait(CondVar& changed, Mutex& mutex, absl::Duration timeout) = 0;
  virtual void NotifyOne(CondVar& changed) = 0;
  virtual void NotifyAll(CondVar& changed) = 0;

 protected:
  // The bare mutex: takes it if it is free; gives it back.
  static bool TryLock(Mutex& mutex);
  static void Release(Mutex& mutex);

 private:
  static constinit inline thread_local Scheduler* current_ = nullptr;
};

}  // namespace naval::base
