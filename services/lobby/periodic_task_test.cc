#include "services/lobby/periodic_task.h"

#include <gtest/gtest.h>

#include <atomic>

#include "lib/base/clock.h"
#include "lib/base/simulated_clock.h"
#include "tests/support/wait_for.h"

namespace naval::lobby {
namespace {

TEST(PeriodicTask, RunsAtOnceAndThenAfterEachPause) {
  base::SimulatedClock clock(absl::FromUnixSeconds(1'000'000));
  std::atomic<int> runs = 0;
  PeriodicTask task(clock, absl::Seconds(10), [&] { ++runs; });
  ASSERT_TRUE(testing::WaitFor([&] { return runs == 1; }));
  // The task may not have begun to wait yet; then this pause is counted from the later time.
  ASSERT_TRUE(testing::WaitFor([&] {
    clock.Advance(absl::Seconds(10));
    return runs >= 2;
  }));
}

TEST(PeriodicTask, StopsInTheMiddleOfAPauseAndMayBeStoppedAgain) {
  base::SystemClock clock;
  std::atomic<int> runs = 0;
  PeriodicTask task(clock, absl::Hours(1), [&] { ++runs; });
  ASSERT_TRUE(testing::WaitFor([&] { return runs == 1; }));
  task.Stop();
  task.Stop();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace naval::lobby
