#include "services/match/ownership.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "lib/base/simulated_clock.h"
#include "services/match/fake_match_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::WaitFor;

// A process of this name, and what it was told.
struct Process {
  Process(MatchStore& store, base::Clock& clock, const std::string& name)
      : ownership(store, clock, name, "at " + name) {}

  absl::Status Start() {
    return ownership.Start({.acquired = [this](int) { ++acquired; },
                            .lost =
                                [this](int partition) {
                                  EXPECT_FALSE(ownership.Holds(partition));
                                  ++lost;
                                },
                            .moved = [this](int) { ++moved; }});
  }

  std::atomic<int> acquired = 0;
  std::atomic<int> lost = 0;
  std::atomic<int> moved = 0;
  Ownership ownership;
};

class OwnershipTest : public ::testing::Test {
 protected:
  // Lets a moment pass and waits until the process has looked.
  void PassWhile(Process& living, absl::Duration duration) {
    const absl::Time end = clock_.Now() + duration;
    while (clock_.Now() < end) {
      clock_.Advance(kLookInterval);
      ASSERT_TRUE(WaitFor([&] { return living.ownership.SinceConfirmed(0) < kLookInterval; }));
    }
  }

  base::SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  FakeMatchStore store_{clock_};
  Process a_{store_, clock_, "a"};
  Process b_{store_, clock_, "b"};
};

TEST_F(OwnershipTest, TakesAllThatIsFreeBeforeItStarts) {
  EXPECT_EQ(a_.ownership.Confirmed(0), std::nullopt);
  ASSERT_THAT(a_.Start(), IsOk());
  EXPECT_EQ(a_.ownership.size(), kPartitions);
  for (int partition = 0; partition < kPartitions; ++partition) {
    EXPECT_EQ(a_.ownership.Confirmed(partition), 1);
    EXPECT_TRUE(a_.ownership.Confirms(partition, 1));
    EXPECT_FALSE(a_.ownership.Confirms(partition, 2));
  }
  // Only what comes later is told.
  EXPECT_EQ(a_.acquired, 0);
}

TEST_F(OwnershipTest, KeepsWhatItOwnsForAsLongAsItLives) {
  ASSERT_THAT(a_.Start(), IsOk());
  PassWhile(a_, 3 * kLeaseDuration);
  EXPECT_TRUE(a_.ownership.Confirms(5, 1));
  EXPECT_EQ(a_.lost, 0);
}

TEST_F(OwnershipTest, GivesAProcessThatJoinsItsShareFewPartitionsAtATime) {
  ASSERT_THAT(a_.Start(), IsOk());
  ASSERT_THAT(b_.Start(), IsOk());
  EXPECT_EQ(b_.ownership.size(), 0);
  int most_free = 0;
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLeastLookInterval);
    most_free = std::max(most_free, kPartitions - a_.ownership.size() - b_.ownership.size());
    return b_.acquired == 32;
  }));
  // And one that was taken a moment ago.
  EXPECT_LE(most_free, kMostGivenBack + 1);
  EXPECT_EQ(a_.ownership.size(), 32);
  EXPECT_EQ(a_.lost, 32);
  EXPECT_EQ(b_.ownership.size(), 32);
  EXPECT_TRUE(a_.ownership.Confirms(31, 1));
  EXPECT_TRUE(b_.ownership.Confirms(32, 2));
  // There it rests.
  PassWhile(a_, kLeaseDuration);
  EXPECT_EQ(a_.lost, 32);
  EXPECT_EQ(b_.lost, 0);
}

TEST_F(OwnershipTest, SharesAmongAsManyAsLive) {
  Process c(store_, clock_, "c");
  std::vector<Process*> processes = {&a_, &b_, &c};
  for (Process* const process : processes) ASSERT_THAT(process->Start(), IsOk());
  const auto settle = [&](int share) {
    return WaitFor([&] {
      clock_.Advance(kLeastLookInterval);
      int all = 0;
      for (const Process* const process : processes) {
        if (process->ownership.size() > share) return false;
        all += process->ownership.size();
      }
      return all == kPartitions;
    });
  };
  EXPECT_TRUE(settle(22));
  processes.erase(processes.begin());
  a_.ownership.Drain();
  EXPECT_TRUE(settle(32));
}

TEST_F(OwnershipTest, TakesMoreThanItsShareOfWhatADeadOneLeft) {
  ASSERT_THAT(a_.Start(), IsOk());
  // One that lives, and takes nothing.
  ASSERT_THAT(store_.KeepMember({.owner = "c", .address = ""}), IsOk());
  a_.ownership.Stop();
  clock_.Advance(kLeaseDuration - kLookInterval);
  ASSERT_THAT(store_.KeepMember({.owner = "c", .address = ""}), IsOk());
  ASSERT_THAT(b_.Start(), IsOk());
  EXPECT_EQ(b_.ownership.size(), 0);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return b_.acquired == kPartitions;
  }));
}

TEST_F(OwnershipTest, LeavesWhatIsFreeToWhoHasLessAndTakesItAllTheSameWhenNobodyDoes) {
  ASSERT_THAT(a_.Start(), IsOk());
  ASSERT_THAT(store_.KeepMember({.owner = "c", .address = ""}), IsOk());
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return a_.lost > 0;
  }));
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return a_.ownership.size() == kPartitions;
  }));
}

TEST_F(OwnershipTest, LooksSoonWhenItIsAsked) {
  ASSERT_THAT(a_.Start(), IsOk());
  ASSERT_THAT(b_.Start(), IsOk());
  a_.ownership.Drain();
  // Given back when Drain returned, and not yet seen.
  EXPECT_EQ(store_.ListLeases()->at(5).owner, "");
  EXPECT_EQ(b_.ownership.OwnerAddress(5), "at a");
  b_.ownership.LookSoon();
  clock_.Advance(kLeastLookInterval);
  EXPECT_TRUE(WaitFor([&] { return b_.acquired == kPartitions; }));
  EXPECT_GT(store_.ListLeases()->at(5).renew_time, clock_.Now() - kLookInterval);
}

TEST_F(OwnershipTest, TakesWhatADeadOneLeft) {
  ASSERT_THAT(a_.Start(), IsOk());
  a_.ownership.Stop();
  ASSERT_THAT(b_.Start(), IsOk());
  EXPECT_EQ(b_.ownership.size(), 0);
  clock_.Advance(kLeaseDuration - kLookInterval);
  EXPECT_EQ(b_.ownership.size(), 0);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return b_.acquired == kPartitions;
  }));
  EXPECT_TRUE(b_.ownership.Confirms(5, 2));
}

TEST_F(OwnershipTest, LeavesAnOwnerItsLeaseForAsLongAsThatOneSaysItIsGood) {
  const absl::Duration longer = 4 * kLeaseDuration;
  ASSERT_THAT(store_.KeepMember({.owner = "c", .address = "", .lease_duration = longer}), IsOk());
  ASSERT_THAT(store_.TakeOverLease(store_.ListLeases()->at(5), "c"), IsOk());
  ASSERT_THAT(a_.Start(), IsOk());
  PassWhile(a_, longer - kLookInterval);
  EXPECT_EQ(store_.ListLeases()->at(5).owner, "c");
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return a_.ownership.size() == kPartitions;
  }));
}

TEST_F(OwnershipTest, TakesNothingFromTheLivingWhenTheClockOfTheStoreJumps) {
  base::SimulatedClock clock_of_store(clock_.Now());
  FakeMatchStore store(clock_of_store);
  Process a(store, clock_, "a");
  Process b(store, clock_, "b");
  const auto pass = [&](absl::Duration at_the_store) {
    clock_of_store.Advance(at_the_store);
    PassWhile(a, kLookInterval);
    PassWhile(b, absl::ZeroDuration());
  };
  ASSERT_THAT(a.Start(), IsOk());
  ASSERT_THAT(b.Start(), IsOk());
  ASSERT_TRUE(WaitFor([&] {
    pass(kLookInterval);
    return b.ownership.size() == kPartitions / 2;
  }));
  pass(absl::Hours(1));
  for (int look = 0; look < 10; ++look) pass(kLookInterval);
  EXPECT_EQ(a.ownership.size(), kPartitions / 2);
  EXPECT_EQ(a.lost + b.lost, kPartitions / 2);
}

TEST_F(OwnershipTest, TakesNothingFromTheLivingAfterTheStoreWasAway) {
  ASSERT_THAT(a_.Start(), IsOk());
  ASSERT_THAT(b_.Start(), IsOk());
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLeastLookInterval);
    return b_.acquired == kPartitions / 2;
  }));
  store_.SetFate(FakeMatchStore::Fate::kAway);
  clock_.Advance(3 * kLeaseDuration);
  ASSERT_EQ(a_.ownership.Confirmed(0), std::nullopt);
  store_.SetFate(FakeMatchStore::Fate::kStored);
  // Neither sees more than the other's lease as it was.
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return a_.ownership.Confirmed(0).has_value() && b_.ownership.Confirmed(63).has_value();
  }));
  PassWhile(a_, kLookInterval);
  EXPECT_EQ(a_.ownership.size(), kPartitions / 2);
  EXPECT_EQ(a_.lost + b_.lost, kPartitions / 2);
}

TEST_F(OwnershipTest, GoesOnAtOnceWithWhatAnEarlierProcessOfItsNameHeld) {
  ASSERT_THAT(a_.Start(), IsOk());
  a_.ownership.Stop();
  Process again(store_, clock_, "a");
  ASSERT_THAT(again.Start(), IsOk());
  EXPECT_EQ(again.ownership.size(), kPartitions);
  EXPECT_TRUE(again.ownership.Confirms(5, 2));
}

TEST_F(OwnershipTest, FallsSilentWhenItsLeasesAreNotConfirmedAndGoesOnWhenTheyAre) {
  ASSERT_THAT(a_.Start(), IsOk());
  store_.SetFate(FakeMatchStore::Fate::kAway);
  clock_.Advance(kConfirmedDuration - absl::Milliseconds(1));
  EXPECT_TRUE(a_.ownership.Confirms(5, 1));
  clock_.Advance(absl::Milliseconds(1));
  EXPECT_EQ(a_.ownership.Confirmed(5), std::nullopt);
  EXPECT_TRUE(a_.ownership.Holds(5, 1));
  EXPECT_EQ(a_.ownership.SinceConfirmed(5), kConfirmedDuration);
  store_.SetFate(FakeMatchStore::Fate::kStored);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return a_.ownership.Confirms(5, 1);
  }));
  EXPECT_EQ(a_.lost, 0);
}

TEST_F(OwnershipTest, FindsOutWhatWasTakenFromIt) {
  ASSERT_THAT(a_.Start(), IsOk());
  const Lease lease = store_.ListLeases()->at(5);
  ASSERT_THAT(store_.TakeOverLease(lease, "c"), IsOk());
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return !a_.ownership.Holds(5);
  }));
  EXPECT_EQ(a_.ownership.Confirmed(5), std::nullopt);
  EXPECT_FALSE(a_.ownership.Holds(5));
  EXPECT_TRUE(a_.ownership.Confirms(6, 1));
}

TEST_F(OwnershipTest, DoesNotTakeBackWhatAnotherProcessOfItsNameTook) {
  ASSERT_THAT(a_.Start(), IsOk());
  Process twin(store_, clock_, "a");
  ASSERT_THAT(twin.Start(), IsOk());
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return a_.lost == kPartitions;
  }));
  PassWhile(twin, kLeaseDuration);
  EXPECT_EQ(a_.ownership.size(), 0);
  EXPECT_EQ(twin.lost, 0);
}

TEST_F(OwnershipTest, GivesBackAllWhenItDrainsAndIsSilentAtOnce) {
  ASSERT_THAT(a_.Start(), IsOk());
  ASSERT_THAT(b_.Start(), IsOk());
  a_.ownership.Drain();
  EXPECT_EQ(a_.ownership.Confirmed(5), std::nullopt);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Milliseconds(50));
    return b_.acquired == kPartitions;
  }));
}

TEST_F(OwnershipTest, KnowsWhereTheOwnersOfTheOtherPartitionsAre) {
  ASSERT_THAT(a_.Start(), IsOk());
  ASSERT_THAT(b_.Start(), IsOk());
  EXPECT_EQ(b_.ownership.OwnerAddress(5), "at a");
  EXPECT_EQ(a_.ownership.OwnerAddress(5), std::nullopt);
  a_.ownership.Stop();
  // A process that nobody can reach, as those of the release before.
  ASSERT_THAT(store_.TakeOverLease(store_.ListLeases()->at(5), "c"), IsOk());
  clock_.Advance(kLookInterval);
  ASSERT_TRUE(WaitFor([&] { return b_.moved == 1; }));
  EXPECT_EQ(b_.ownership.OwnerAddress(5), "");
  EXPECT_EQ(b_.ownership.OwnerAddress(6), "at a");
  // The rest when it takes it over.
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLookInterval);
    return b_.moved == kPartitions;
  }));
  EXPECT_EQ(b_.ownership.OwnerAddress(6), std::nullopt);
}

TEST_F(OwnershipTest, DoesNotStartWithoutTheStore) {
  store_.SetFate(FakeMatchStore::Fate::kAway);
  EXPECT_THAT(a_.Start(), HasReason("DATABASE_UNAVAILABLE"));
}

}  // namespace
}  // namespace naval::match
