#include "services/match/timers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/mutex.h"
#include "lib/base/simulated_clock.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TimersTest : public ::testing::Test {
 protected:
  TimersTest() {
    timers_.Start([this](const std::string& key) {
      base::MutexLock lock(mutex_);
      fired_.push_back(key);
    });
  }

  std::vector<std::string> Fired() {
    base::MutexLock lock(mutex_);
    return fired_;
  }

  bool WaitForFired(std::size_t count) {
    return testing::WaitFor([&] { return Fired().size() >= count; });
  }

  absl::Time In(int seconds) const { return clock_.Now() + absl::Seconds(seconds); }

  base::SimulatedClock clock_{absl::UnixEpoch()};
  base::Mutex mutex_;
  std::vector<std::string> fired_ NAVAL_GUARDED_BY(mutex_);
  Timers timers_{clock_};
};

TEST_F(TimersTest, FiresInOrderOfTimeAndOnlyWhatIsDue) {
  timers_.Arm("late", In(30));
  timers_.Arm("second", In(20));
  timers_.Arm("first", In(10));
  clock_.Advance(absl::Seconds(20));
  ASSERT_TRUE(WaitForFired(2));
  EXPECT_THAT(Fired(), ElementsAre("first", "second"));
  clock_.Advance(absl::Seconds(10));
  ASSERT_TRUE(WaitForFired(3));
}

TEST_F(TimersTest, FiresOnceForAnAlarmThatWasMovedOn) {
  timers_.Arm("moved", In(10));
  timers_.Arm("moved", In(20));
  timers_.Arm("marker", In(15));
  clock_.Advance(absl::Seconds(15));
  ASSERT_TRUE(WaitForFired(1));
  EXPECT_THAT(Fired(), ElementsAre("marker"));
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(WaitForFired(2));
  EXPECT_THAT(Fired(), ElementsAre("marker", "moved"));
}

TEST_F(TimersTest, ForgetsAnAlarmThatWasTakenAway) {
  timers_.Arm("gone", In(10));
  timers_.Arm("gone", std::nullopt);
  timers_.Arm("marker", In(10));
  clock_.Advance(absl::Seconds(10));
  ASSERT_TRUE(WaitForFired(1));
  EXPECT_THAT(Fired(), ElementsAre("marker"));
}

TEST_F(TimersTest, FiresAtOnceWhatIsDueAlready) {
  timers_.Arm("overdue", In(-1));
  ASSERT_TRUE(WaitForFired(1));
}

TEST_F(TimersTest, FiresNothingAfterStop) {
  std::vector<std::string> fired;
  {
    Timers timers(clock_);
    timers.Start([&](const std::string& key) { fired.push_back(key); });
    timers.Arm("key", In(10));
    timers.Stop();
    clock_.Advance(absl::Seconds(10));
    timers.Arm("overdue", In(-1));
  }
  // Only now can nothing come any more.
  EXPECT_THAT(fired, IsEmpty());
}

}  // namespace
}  // namespace naval::match
