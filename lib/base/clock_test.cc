#include "lib/base/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "absl/time/clock.h"

namespace naval::base {
namespace {

TEST(SystemClock, AgreesWithTheWallClock) {
  const SystemClock clock;
  const absl::Duration difference = absl::AbsDuration(clock.Now() - absl::Now());
  EXPECT_LT(difference, absl::Seconds(5));
}

TEST(SystemClock, NeverGoesBackwards) {
  const SystemClock clock;
  absl::Time last = clock.Now();
  for (int i = 0; i < 10'000; ++i) {
    const absl::Time now = clock.Now();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, SaysThatAPassedDeadlineHasCome) {
  SystemClock clock;
  Mutex mutex;
  CondVar changed;
  MutexLock lock(mutex);
  EXPECT_TRUE(clock.WaitUntil(changed, mutex, clock.Now() - absl::Seconds(1)));
  EXPECT_TRUE(clock.WaitUntil(changed, mutex, absl::InfinitePast()));
}

TEST(SystemClock, WaitsUntilTheDeadline) {
  SystemClock clock;
  Mutex mutex;
  CondVar changed;
  const absl::Time deadline = clock.Now() + absl::Milliseconds(20);
  MutexLock lock(mutex);
  while (!clock.WaitUntil(changed, mutex, deadline)) {
  }
  EXPECT_GE(clock.Now(), deadline);
}

TEST(SystemClock, IsWokenByANotificationBeforeAnInfiniteDeadline) {
  SystemClock clock;
  Mutex mutex;
  CondVar changed;
  bool ready = false;
  std::thread notifier([&] {
    MutexLock lock(mutex);
    ready = true;
    changed.NotifyOne();
  });
  {
    MutexLock lock(mutex);
    while (!ready) EXPECT_FALSE(clock.WaitUntil(changed, mutex, absl::InfiniteFuture()));
  }
  notifier.join();
}

}  // namespace
}  // namespace naval::base
