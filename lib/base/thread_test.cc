#include "lib/base/thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "tests/support/wait_for.h"

namespace naval::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Thread, RunsItsBodyUnderItsName) {
  std::string name(16, '\0');
  Thread thread("a_name_too_long_for_it", [&] {
    // Whoever started it names it a moment later.
    EXPECT_TRUE(testing::WaitFor([&] {
      pthread_getname_np(pthread_self(), name.data(), name.size());
      return name.starts_with("a_name");
    }));
  });
  thread.Join();
  EXPECT_STREQ(name.c_str(), "a_name_too_long");
}

TEST(Thread, IsJoinedAsOftenAsOneLikes) {
  bool ran = false;
  Thread thread;
  thread.Join();
  thread = Thread("test", [&] { ran = true; });
  thread.Join();
  thread.Join();
  EXPECT_TRUE(ran);
}

// Runs every thread at once to its end, and keeps what it was asked for.
class RecordingScheduler final : public Scheduler {
 public:
  RecordingScheduler() { SetCurrent(this); }
  ~RecordingScheduler() override { SetCurrent(nullptr); }

  std::unique_ptr<Task> Start(const std::string& name, absl::AnyInvocable<void()> body) override {
    calls_.push_back("start " + name);
    body();
    return std::make_unique<Ended>(calls_);
  }
  void Lock(Mutex& mutex) override {
    ASSERT_TRUE(TryLock(mutex));
    calls_.emplace_back("lock");
  }
  void Unlock(Mutex& mutex) override {
    Release(mutex);
    calls_.emplace_back("unlock");
  }
  bool Wait(CondVar&, Mutex&, absl::Duration timeout) override {
    calls_.push_back("wait " + absl::FormatDuration(timeout));
    return true;
  }
  void NotifyOne(CondVar&) override { calls_.emplace_back("notify one"); }
  void NotifyAll(CondVar&) override { calls_.emplace_back("notify all"); }

  const std::vector<std::string>& calls() const { return calls_; }

 private:
  class Ended final : public Task {
   public:
    explicit Ended(std::vector<std::string>& calls) : calls_(calls) {}
    void Join() override { calls_.emplace_back("join"); }

   private:
    std::vector<std::string>& calls_;
  };

  std::vector<std::string> calls_;
};

TEST(Scheduler, TakesThePlaceOfTheMachine) {
  RecordingScheduler scheduler;
  Mutex mutex;
  CondVar changed;
  Thread thread("worker", [&] {
    MutexLock lock(mutex);
    changed.Wait(mutex);
    EXPECT_TRUE(changed.WaitFor(mutex, absl::Seconds(3)));
    changed.NotifyOne();
    changed.NotifyAll();
  });
  thread.Join();
  thread.Join();
  EXPECT_THAT(scheduler.calls(), ElementsAre("start worker", "lock", "wait inf", "wait 3s",
                                             "notify one", "notify all", "unlock", "join"));
}

TEST(Scheduler, IsThatOfOneThreadOfTheMachine) {
  RecordingScheduler scheduler;
  std::thread other([] {
    EXPECT_EQ(Scheduler::Current(), nullptr);
    Mutex mutex;
    MutexLock lock(mutex);
  });
  other.join();
  EXPECT_THAT(scheduler.calls(), IsEmpty());
}

}  // namespace
}  // namespace naval::base
