#include "services/match/snapshot_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/simulated_clock.h"
#include "services/match/fake_match_store.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::IsOk;
using ::naval::testing::WaitFor;

class CountingObserver final : public MatchObserver {
 public:
  void SnapshotsWritten(std::size_t snapshots) override { written += snapshots; }
  void SnapshotsPassedOver(std::size_t snapshots) override { passed_over += snapshots; }

  std::atomic<std::size_t> written = 0;
  std::atomic<std::size_t> passed_over = 0;
};

class SnapshotWriterTest : public ::testing::Test {
 protected:
  // A match with so many rows.
  void SetUp() override {
    Append append{.match_id = kTestMatchId, .row = {.seq = 1, .body = "first"}};
    ASSERT_THAT(store_.Create("created", append), IsOk());
    for (append.row.seq = 2; append.row.seq <= 9; ++append.row.seq) {
      ASSERT_THAT(AppendAlone(store_, append), IsOk());
    }
  }

  // Until `condition`, the time that it gathers passes again and again.
  bool Gathers(absl::FunctionRef<bool()> condition) {
    return WaitFor([&] {
      clock_.Advance(absl::Milliseconds(100));
      return condition();
    });
  }

  std::optional<Snapshot> Stored() {
    return LoadAlone(store_, kTestMatchId, LogPart::kSinceSnapshot)->snapshot;
  }

  base::SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  FakeMatchStore store_{clock_};
  CountingObserver observer_;
  SnapshotWriter writer_{store_, clock_, observer_};
};

TEST_F(SnapshotWriterTest, WritesTheLastOfAMatchThatItGathered) {
  writer_.Keep({kTestMatchId, 3, "up to 3"});
  writer_.Keep({kTestMatchId, 5, "up to 5"});
  writer_.Start();
  ASSERT_TRUE(Gathers([&] { return observer_.written == 1; }));
  EXPECT_EQ(Stored()->body, "up to 5");
}

TEST_F(SnapshotWriterTest, DropsThatOfAMatchThatNeedsNone) {
  writer_.Start();
  writer_.Keep({kTestMatchId, 3, "up to 3"});
  ASSERT_TRUE(Gathers([&] { return Stored().has_value(); }));
  writer_.Keep({kTestMatchId, 5, "up to 5"});
  writer_.Drop(kTestMatchId);
  EXPECT_TRUE(Gathers([&] { return !Stored().has_value(); }));
}

TEST_F(SnapshotWriterTest, GivesUpWhatTheStoreDoesNotTakeAndGoesOn) {
  store_.SetFate(FakeMatchStore::Fate::kAway);
  writer_.Start();
  writer_.Keep({kTestMatchId, 3, "up to 3"});
  ASSERT_TRUE(Gathers([&] { return observer_.passed_over == 1; }));
  store_.SetFate(FakeMatchStore::Fate::kStored);
  writer_.Keep({kTestMatchId, 5, "up to 5"});
  ASSERT_TRUE(Gathers([&] { return observer_.written == 1; }));
  EXPECT_EQ(Stored()->body, "up to 5");
}

TEST_F(SnapshotWriterTest, PassesOverWhatComesWhenTooManyWait) {
  for (std::size_t i = 0; i < kMaxQueuedSnapshots; ++i) {
    writer_.Keep({absl::StrCat("match ", i), 1, "body"});
  }
  EXPECT_EQ(observer_.passed_over, 0u);
  // One that waits is still replaced.
  writer_.Keep({"match 7", 2, "body"});
  EXPECT_EQ(observer_.passed_over, 0u);
  writer_.Keep({kTestMatchId, 3, "up to 3"});
  EXPECT_EQ(observer_.passed_over, 1u);
  writer_.Start();
  EXPECT_TRUE(Gathers([&] { return observer_.written == kMaxQueuedSnapshots; }));
}

}  // namespace
}  // namespace naval::match
