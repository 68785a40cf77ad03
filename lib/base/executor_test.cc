#include "lib/base/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <vector>

#include "lib/base/error.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::base {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;
using ::testing::ElementsAre;

// A door that tasks wait at.
class Door {
 public:
  void Pass() {
    MutexLock lock(mutex_);
    ++waiting_;
    while (!open_) changed_.Wait(mutex_);
  }
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  int waiting() {
    MutexLock lock(mutex_);
    return waiting_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool open_ NAVAL_GUARDED_BY(mutex_) = false;
  int waiting_ NAVAL_GUARDED_BY(mutex_) = 0;
};

TEST(Executor, RunsTasksInTheOrderTheyCame) {
  std::vector<int> order;
  Executor executor({.name = "test", .threads = 1});
  for (int i = 0; i < 3; ++i) {
    ASSERT_THAT(executor.Submit([&order, i] { order.push_back(i); }), IsOk());
  }
  executor.Stop();
  EXPECT_THAT(order, ElementsAre(0, 1, 2));
}

TEST(Executor, RunsAsManyTasksAtOnceAsItHasThreads) {
  Door door;
  Executor executor({.name = "test", .threads = 3});
  for (int i = 0; i < 5; ++i) ASSERT_THAT(executor.Submit([&] { door.Pass(); }), IsOk());
  EXPECT_TRUE(WaitFor([&] { return door.waiting() == 3; }));
  door.Open();
  executor.Stop();
  EXPECT_EQ(door.waiting(), 5);
}

TEST(Executor, RefusesATaskWhenItsQueueIsFull) {
  Door door;
  Executor executor({.name = "hashing", .threads = 1, .max_queued = 2});
  ASSERT_THAT(executor.Submit([&] { door.Pass(); }), IsOk());
  ASSERT_TRUE(WaitFor([&] { return door.waiting() == 1; }));
  ASSERT_THAT(executor.Submit([] {}), IsOk());
  ASSERT_THAT(executor.Submit([] {}), IsOk());
  std::atomic<bool> ran = false;
  const absl::Status refused = executor.Submit([&] { ran = true; });
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(refused, HasReason("SERVER_BUSY"));
  EXPECT_GT(RetryDelayOf(refused).value_or(absl::ZeroDuration()), absl::ZeroDuration());
  door.Open();
  executor.Stop();
  EXPECT_FALSE(ran);
}

TEST(Executor, RunsWhatIsQueuedBeforeItStops) {
  std::atomic<int> ran = 0;
  Executor executor({.name = "test", .threads = 2});
  for (int i = 0; i < 100; ++i) ASSERT_THAT(executor.Submit([&] { ++ran; }), IsOk());
  executor.Stop();
  EXPECT_EQ(ran, 100);
}

TEST(Executor, RefusesATaskAfterStop) {
  Executor executor({.name = "test"});
  executor.Stop();
  const absl::Status refused = executor.Submit([] {});
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(refused, HasReason("SHUTTING_DOWN"));
}

TEST(Executor, DestroysATaskOnceItHasRun) {
  auto token = std::make_shared<int>();
  Executor executor({.name = "test", .threads = 1});
  ASSERT_THAT(executor.Submit([token] {}), IsOk());
  EXPECT_TRUE(WaitFor([&] { return token.use_count() == 1; }));
}

TEST(Executor, TellsWhatItHasToDo) {
  Executor executor({.name = "busy", .threads = 1, .max_queued = 1});
  EXPECT_EQ(executor.name(), "busy");
  std::promise<void> started, go_on;
  ASSERT_TRUE(executor
                  .Submit([&] {
                    started.set_value();
                    go_on.get_future().wait();
                  })
                  .ok());
  started.get_future().wait();
  ASSERT_TRUE(executor.Submit([] {}).ok());
  EXPECT_FALSE(executor.Submit([] {}).ok());
  EXPECT_EQ(executor.usage().running, 1u);
  EXPECT_EQ(executor.usage().queued, 1u);
  EXPECT_EQ(executor.usage().refused, 1u);
  go_on.set_value();
  executor.Stop();
  EXPECT_EQ(executor.usage().running, 0u);
  EXPECT_EQ(executor.usage().queued, 0u);
}

}  // namespace
}  // namespace naval::base
