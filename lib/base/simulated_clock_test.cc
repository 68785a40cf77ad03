#include "lib/base/simulated_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "tests/support/wait_for.h"

namespace naval::base {
namespace {

using ::naval::testing::WaitFor;

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

TEST(SimulatedClock, StandsStillUntilItIsMoved) {
  SimulatedClock clock(kStart);
  EXPECT_EQ(clock.Now(), kStart);
  clock.Advance(absl::Seconds(25));
  EXPECT_EQ(clock.Now(), kStart + absl::Seconds(25));
}

TEST(SimulatedClock, DoesNotGoBackwards) {
  SimulatedClock clock(kStart);
  clock.AdvanceTo(kStart - absl::Hours(1));
  EXPECT_EQ(clock.Now(), kStart);
}

// A thread that counts how often its deadline came, as a timer thread would.
class Sleeper {
 public:
  Sleeper(SimulatedClock& clock, absl::Time deadline)
      : thread_([this, &clock, deadline] {
          MutexLock lock(mutex_);
          while (!stopped_ && !clock.WaitUntil(changed_, mutex_, deadline)) ++wakeups_;
          done_ = true;
        }) {}
  ~Sleeper() {
    {
      MutexLock lock(mutex_);
      stopped_ = true;
      changed_.NotifyAll();
    }
    thread_.join();
  }

  bool done() const { return done_; }
  int wakeups() const { return wakeups_; }
  void Notify() { changed_.NotifyAll(); }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> done_ = false;
  std::atomic<int> wakeups_ = 0;
  std::thread thread_;
};

TEST(SimulatedClock, WakesWhoeverWaitsForATimeThatHasCome) {
  SimulatedClock clock(kStart);
  Sleeper early(clock, kStart + absl::Seconds(10));
  Sleeper late(clock, kStart + absl::Seconds(20));
  clock.Advance(absl::Seconds(10));
  EXPECT_TRUE(WaitFor([&] { return early.done(); }));
  EXPECT_FALSE(late.done());
  clock.Advance(absl::Seconds(10));
  EXPECT_TRUE(WaitFor([&] { return late.done(); }));
}

TEST(SimulatedClock, ReturnsFromANotificationBeforeTheDeadline) {
  SimulatedClock clock(kStart);
  Sleeper sleeper(clock, kStart + absl::Seconds(10));
  EXPECT_TRUE(WaitFor([&] {
    sleeper.Notify();
    return sleeper.wakeups() > 0;
  }));
  EXPECT_FALSE(sleeper.done());
}

// The waiter's mutex and condition variable go right after the wait: a wake-up that touched them
// later would be caught by the sanitizers.
TEST(SimulatedClock, TouchesNothingOfAWaiterThatHasReturned) {
  SimulatedClock clock(kStart);
  std::atomic<bool> stop = false;
  std::vector<std::thread> waiters;
  for (int i = 0; i < 4; ++i) {
    waiters.emplace_back([&] {
      while (!stop) {
        auto mutex = std::make_unique<Mutex>();
        auto changed = std::make_unique<CondVar>();
        const absl::Time deadline = clock.Now() + absl::Milliseconds(1);
        MutexLock lock(*mutex);
        while (!clock.WaitUntil(*changed, *mutex, deadline)) {
        }
      }
    });
  }
  for (int i = 0; i < 2'000; ++i) clock.Advance(absl::Milliseconds(1));
  stop = true;
  std::atomic<int> running = 4;
  std::thread mover([&] {
    while (running > 0) clock.Advance(absl::Milliseconds(1));
  });
  for (std::thread& waiter : waiters) {
    waiter.join();
    --running;
  }
  mover.join();
}

}  // namespace
}  // namespace naval::base
