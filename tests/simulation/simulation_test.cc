#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/base/executor.h"
#include "lib/base/random.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/seeds.h"

namespace naval::simulation {
namespace {

using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::IsEmpty;

TEST(Simulation, FindsNothing) {
  const SeedsReport report =
      RunSeeds({1, NAVAL_SIMULATION_SEEDS}, /*processes=*/0, /*max_failures=*/5);
  for (const auto& [seed, failure] : report.failures) {
    ADD_FAILURE() << "tools/naval simulation --seeds=" << seed << " --trace: " << failure;
  }
  // The runs went somewhere, and something went wrong in them.
  EXPECT_GT(report.commands, 40 * report.runs);
  EXPECT_GT(report.disasters, report.runs);
}

TEST(Simulation, RepeatsARunFromItsSeed) {
  const SeedRange some = {1, 10};
  const SeedsReport once = RunSeeds(some, 1, 1);
  // In another order, and each after others.
  const SeedsReport again = RunSeeds(some, 3, 1);
  EXPECT_THAT(once.failures, IsEmpty());
  EXPECT_EQ(once.digest, again.digest);
  EXPECT_NE(once.digest, RunSeeds({11, 12}, 1, 1).digest);
}

class FibersTest : public ::testing::Test {
 protected:
  base::SeededRandom random_{1};
};

TEST_F(FibersTest, LetTimePassOnlyWhenAllWait) {
  Fibers fibers(random_, 0);
  const absl::Time begin = fibers.now();
  std::vector<std::string> said;
  fibers.Run([&] {
    base::Thread late("late", [&] {
      fibers.Sleep(absl::Hours(48));
      said.emplace_back("late");
    });
    base::Executor pool({.name = "pool", .threads = 2});
    ASSERT_TRUE(pool.Submit([&] {
                      EXPECT_EQ(fibers.now(), begin);
                      said.emplace_back("pool");
                    })
                    .ok());
    pool.Stop();
    late.Join();
    said.emplace_back("world");
  });
  EXPECT_THAT(said, ElementsAre("pool", "late", "world"));
  EXPECT_EQ(fibers.now(), begin + absl::Hours(48));
}

TEST_F(FibersTest, KeepAHostFromRunningThatIsPaused) {
  Fibers fibers(random_, 0);
  std::vector<std::string> said;
  fibers.Run([&] {
    const Fibers::Host host = fibers.AddHost();
    base::Thread paused = fibers.StartOn(host, "paused", [&] { said.emplace_back("paused"); });
    fibers.Pause(host);
    fibers.Sleep(absl::Seconds(1));
    said.emplace_back("world");
    fibers.Resume(host);
    paused.Join();
  });
  EXPECT_THAT(said, ElementsAre("world", "paused"));
}

TEST_F(FibersTest, WakeAWaiterForANotificationOrWhenItsTimeIsOver) {
  Fibers fibers(random_, 2);
  fibers.Run([&] {
    base::Mutex mutex;
    base::CondVar changed;
    bool told = false;
    base::Thread waiter("waiter", [&] {
      base::MutexLock lock(mutex);
      EXPECT_TRUE(changed.WaitFor(mutex, absl::Seconds(1)));
      while (!told) EXPECT_FALSE(changed.WaitFor(mutex, absl::Seconds(100)));
    });
    fibers.Sleep(absl::Seconds(10));
    {
      base::MutexLock lock(mutex);
      told = true;
      changed.NotifyOne();
    }
    waiter.Join();
  });
}

using FibersDeathTest = FibersTest;

TEST_F(FibersDeathTest, EndARunInWhichAllWaitForEver) {
  const auto run = [&] {
    Fibers fibers(random_, 0);
    fibers.Run([] {
      base::Mutex mutex;
      base::CondVar never;
      base::MutexLock lock(mutex);
      never.Wait(mutex);
    });
  };
  EXPECT_EXIT(run(), ExitedWithCode(3), "all threads wait for ever: 0/world");
}

TEST_F(FibersDeathTest, EndARunInWhichTwoHoldWhatTheOtherWants) {
  const auto run = [&] {
    Fibers fibers(random_, 2);
    fibers.Run([&] {
      base::Mutex one;
      base::Mutex two;
      // Sooner or later both are interrupted between the two locks.
      base::Thread other("other", [&] {
        while (true) {
          base::MutexLock first(two);
          base::MutexLock second(one);
        }
      });
      while (true) {
        base::MutexLock first(one);
        base::MutexLock second(two);
      }
    });
  };
  EXPECT_EXIT(run(), ExitedWithCode(3), "all threads wait for ever: 0/world 0/other");
}

TEST_F(FibersDeathTest, EndARunInWhichALockIsHeldWhileTimePasses) {
  const auto run = [&] {
    Fibers fibers(random_, 0);
    fibers.Run([&] {
      base::Mutex mutex;
      base::MutexLock lock(mutex);
      fibers.Sleep(absl::Seconds(1));
    });
  };
  EXPECT_EXIT(run(), ExitedWithCode(3), "world holds 1 locks in sleep");
}

}  // namespace
}  // namespace naval::simulation
