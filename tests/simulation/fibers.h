#pragma once

#include <boost/context/fiber.hpp>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/base/scheduler.h"
#include "lib/base/thread.h"

namespace naval::simulation {

// A machine of its own: runs the threads of several hosts as fibers on one thread of the real one,
// one at a time, and lets time pass only when none of them can run. Which one runs next, who is
// woken, and where one is interrupted, `random` says: the same numbers give the same run.
//
// It fails when all wait for ever, when a fiber waits with a lock in its hands, when one is never
// joined, and when time stands still while fibers run and run.
class Fibers final : public base::Scheduler {
 public:
  using Host = std::size_t;

  // `interrupt_one_in`: how often a fiber that is about to take a lock is interrupted; 0 never.
  Fibers(base::Random& random, int interrupt_one_in);
  ~Fibers() override;

  // Runs `body` and all that it starts; returns when the last of them has ended.
  void Run(absl::AnyInvocable<void()> body);

  absl::Time now() const { return now_; }
  // Mixed of every choice so far: equal for equal runs.
  std::uint64_t digest() const { return digest_; }
  void Mix(std::uint64_t value) { digest_ = (digest_ ^ value) * 0x9e3779b97f4a7c15; }

  // Threads that a fiber starts belong to its own host.
  Host AddHost();
  base::Thread StartOn(Host host, const std::string& name, absl::AnyInvocable<void()> body);
  // The fibers of a paused host do not run, whatever the time. Not of the caller's host.
  void Pause(Host host) { hosts_[host].paused = true; }
  void Resume(Host host);

  // For the running fiber: time passes. It must hold no lock.
  void Sleep(absl::Duration duration);
  // It must hold no lock: what it does next may take its time.
  void RequireNoLock(absl::string_view what) const;

  std::unique_ptr<Task> Start(const std::string& name, absl::AnyInvocable<void()> body) override;
  void Lock(base::Mutex& mutex) override;
  void Unlock(base::Mutex& mutex) override;
  bool Wait(base::CondVar& changed, base::Mutex& mutex, absl::Duration timeout) override;
  void NotifyOne(base::CondVar& changed) override;
  void NotifyAll(base::CondVar& changed) override;

 private:
  struct Fiber {
    std::size_t id = 0;
    Host host = 0;
    std::string name;
    absl::AnyInvocable<void()> body;
    boost::context::fiber context;
    // Of its stack, and what the address sanitizer keeps of it meanwhile.
    const void* stack_bottom = nullptr;
    std::size_t stack_size = 0;
    void* fake_stack = nullptr;
    bool ended = false;
    bool timed_out = false;
    int locks = 0;
    base::Mutex* wanted = nullptr;
    const base::CondVar* waits_for = nullptr;
    std::vector<Fiber*> joiners;
    // Raised whenever it is made ready: a timer of an earlier wait means nothing.
    std::uint64_t wakes = 0;
  };
  struct HostState {
    bool paused = false;
    std::vector<Fiber*> parked;
  };
  struct Timer {
    absl::Time due;
    std::uint64_t order;
    Fiber* fiber;
    std::uint64_t wakes;
    bool operator<(const Timer& other) const {
      return due != other.due ? due > other.due : order > other.order;
    }
  };
  class Joinable;

  Fiber* NewFiber(Host host, const std::string& name, absl::AnyInvocable<void()> body);
  // The next to run; null when all have ended.
  Fiber* Next();
  Fiber* TakeReady();
  void LetTimePass();
  void SwitchTo(Fiber& fiber);
  // Of the running fiber: others run until it is made ready.
  void Park();
  void MakeReady(Fiber* fiber);
  void StopWaiting(Fiber* fiber);
  void WakeAt(absl::Time due);
  void Join(Fiber& fiber);
  std::string Waiting() const;
  bool OneIn(int n) { return n > 0 && random_.Uniform(static_cast<std::uint64_t>(n)) == 0; }

  base::Random& random_;
  const int interrupt_one_in_;
  absl::Time now_;
  std::uint64_t digest_ = 0;
  std::uint64_t timers_set_ = 0;
  // Since time passed last.
  std::uint64_t switches_ = 0;
  std::size_t running_ = 0;
  Fiber* current_ = nullptr;
  boost::context::fiber main_;
  const void* main_stack_bottom_ = nullptr;
  std::size_t main_stack_size_ = 0;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<HostState> hosts_;
  std::vector<Fiber*> ready_;
  std::vector<Fiber*> blocked_;
  std::priority_queue<Timer> timers_;
  // In the order in which they came. Never iterated over: addresses differ from run to run.
  absl::flat_hash_map<const base::CondVar*, std::vector<Fiber*>> waiters_;
};

// A clock that shows the time of `fibers`, with an error of its own.
class FiberClock final : public base::Clock {
 public:
  explicit FiberClock(const Fibers& fibers, absl::Duration error = absl::ZeroDuration())
      : fibers_(fibers), error_(error) {}

  absl::Time Now() const override { return fibers_.now() + error_; }
  bool WaitUntil(base::CondVar& changed, base::Mutex& mutex, absl::Time deadline)
      NAVAL_REQUIRES(mutex) override;

 private:
  const Fibers& fibers_;
  const absl::Duration error_;
};

}  // namespace naval::simulation
