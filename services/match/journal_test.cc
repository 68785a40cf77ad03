#include "services/match/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/simulated_clock.h"
#include "services/match/fake_match_store.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;
using ::testing::SizeIs;

std::string MatchId(int number) {
  return absl::StrCat("018f3f5e-7b5a-7c3d-8a21-", absl::Dec(number, absl::kZeroPad12));
}

class BatchObserver final : public MatchObserver {
 public:
  void BatchWritten(std::size_t appends, absl::Duration) override {
    base::MutexLock lock(mutex_);
    batches_.push_back(appends);
  }
  void BatchSplit() override { ++splits; }
  void AppendRefused() override { ++refused; }

  std::vector<std::size_t> batches() {
    base::MutexLock lock(mutex_);
    return batches_;
  }
  std::atomic<int> splits = 0;
  std::atomic<int> refused = 0;

 private:
  base::Mutex mutex_;
  std::vector<std::size_t> batches_ NAVAL_GUARDED_BY(mutex_);
};

class JournalTest : public ::testing::Test {
 protected:
  void Open(Journal::Options options = {}) {
    journal_ = std::make_unique<Journal>(store_, answers_, clock_, observer_, options);
    for (int i = 0; i < kMatches; ++i) {
      ASSERT_THAT(store_.Create("created", RowOf(i, 1)), IsOk());
    }
  }

  void TearDown() override {
    store_.ReleaseAppends();
    journal_->Stop();
    answers_.Stop();
  }

  Append RowOf(int match, int64_t seq) {
    return {.match_id = MatchId(match),
            .row = {.seq = seq, .event_time = clock_.Now(), .body = std::string(100, 'b')},
            .deadline = clock_.Now() + absl::Minutes(1)};
  }

  absl::Status Submit(Append append) {
    const std::string key = absl::StrCat(append.match_id, "/", append.row.seq);
    return journal_->Submit(std::move(append), [this, key](const absl::Status& outcome) {
      base::MutexLock lock(mutex_);
      EXPECT_TRUE(outcomes_.emplace(key, outcome).second) << "told twice";
    });
  }

  // Submits one row while the store is held, and waits until the writer is busy with it.
  void OccupyWriter() {
    store_.HoldAppends();
    ASSERT_THAT(Submit(RowOf(kMatches - 1, ++occupier_seq_)), IsOk());
    ASSERT_TRUE(WaitFor([&] { return journal_->queued() == 0; }));
  }

  absl::Status OutcomeOf(int match, int64_t seq) {
    const std::string key = absl::StrCat(MatchId(match), "/", seq);
    EXPECT_TRUE(WaitFor([&] {
      base::MutexLock lock(mutex_);
      return outcomes_.contains(key);
    }));
    base::MutexLock lock(mutex_);
    return outcomes_[key];
  }

  static constexpr int kMatches = 40;

  base::SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  FakeMatchStore store_{clock_};
  base::Executor answers_{{.name = "answers", .threads = 2}};
  BatchObserver observer_;
  std::unique_ptr<Journal> journal_;
  int64_t occupier_seq_ = 1;
  base::Mutex mutex_;
  std::map<std::string, absl::Status> outcomes_ NAVAL_GUARDED_BY(mutex_);
};

TEST_F(JournalTest, WritesWhatCameUpDuringABatchInTheNext) {
  Open();
  OccupyWriter();
  for (int i = 0; i < 20; ++i) ASSERT_THAT(Submit(RowOf(i, 2)), IsOk());
  EXPECT_EQ(journal_->queued(), 20u);
  store_.ReleaseAppends();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(OutcomeOf(i, 2), IsOk());
  EXPECT_THAT(observer_.batches(), ElementsAre(1u, 20u));
}

TEST_F(JournalTest, LimitsABatchByItsRowsAndItsBytes) {
  struct Case {
    Journal::Options options;
    std::size_t batches;
  };
  int64_t seq = 2;
  for (const Case& limits : {Case{{.max_batch_rows = 4}, 3}, Case{{.max_batch_bytes = 350}, 4},
                             Case{{.max_batch_bytes = 1}, 12}}) {
    Open(limits.options);
    const auto before = observer_.batches().size();
    OccupyWriter();
    for (int i = 0; i < 12; ++i) ASSERT_THAT(Submit(RowOf(i, seq)), IsOk());
    store_.ReleaseAppends();
    for (int i = 0; i < 12; ++i) EXPECT_THAT(OutcomeOf(i, seq), IsOk());
    EXPECT_EQ(observer_.batches().size() - before, 1 + limits.batches);
    ++seq;
  }
}

TEST_F(JournalTest, RefusesWhatItHasNoRoomFor) {
  Open({.max_queued = 3});
  OccupyWriter();
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Submit(RowOf(i, 2)), IsOk());
  const absl::Status refusal = Submit(RowOf(3, 2));
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_NE(base::RetryDelayOf(refusal), std::nullopt);
  EXPECT_EQ(observer_.refused, 1);
  store_.ReleaseAppends();
  EXPECT_THAT(OutcomeOf(2, 2), IsOk());
  EXPECT_THAT(LoadAlone(store_, MatchId(3))->rows, SizeIs(1));
}

TEST_F(JournalTest, DoesNotWriteWhatHasWaitedForTooLong) {
  Open({.max_wait = absl::Seconds(5)});
  OccupyWriter();
  ASSERT_THAT(Submit(RowOf(0, 2)), IsOk());
  clock_.Advance(absl::Seconds(4));
  ASSERT_THAT(Submit(RowOf(1, 2)), IsOk());
  clock_.Advance(absl::Seconds(2));
  store_.ReleaseAppends();
  EXPECT_THAT(OutcomeOf(0, 2), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(OutcomeOf(1, 2), IsOk());
  EXPECT_THAT(LoadAlone(store_, MatchId(0))->rows, SizeIs(1));
}

TEST_F(JournalTest, LetsOnlyTheRowFailThatIsAtFault) {
  Open();
  OccupyWriter();
  for (int i = 0; i < 6; ++i) {
    Append append = RowOf(i, 2);
    // The seat is missing: Postgres would refuse the row, and with it the batch.
    if (i == 3) append.row.request_id = MatchId(100);
    if (i == 4) append.row.seq = 7;
    ASSERT_THAT(Submit(append), IsOk());
  }
  store_.ReleaseAppends();
  for (const int good : {0, 1, 2, 5}) EXPECT_THAT(OutcomeOf(good, 2), IsOk());
  EXPECT_THAT(OutcomeOf(3, 2), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(OutcomeOf(4, 7), HasReason("STALE_MATCH"));
  EXPECT_EQ(observer_.splits, 1);
}

TEST_F(JournalTest, TellsAllOfABatchThatItsCommitIsInDoubtAndWritesNoneAgain) {
  Open();
  OccupyWriter();
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Submit(RowOf(i, 2)), IsOk());
  store_.SetFate(FakeMatchStore::Fate::kInDoubt);
  store_.ReleaseAppends();
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(OutcomeOf(i, 2), HasReason("COMMIT_IN_DOUBT"));
    EXPECT_THAT(LoadAlone(store_, MatchId(i))->rows, SizeIs(2));
  }
  EXPECT_EQ(observer_.splits, 0);
  EXPECT_THAT(observer_.batches(), ElementsAre(1u, 3u));
}

TEST_F(JournalTest, FinishesWhatItTookBeforeItStopped) {
  Open();
  OccupyWriter();
  for (int i = 0; i < 20; ++i) ASSERT_THAT(Submit(RowOf(i, 2)), IsOk());
  std::thread stopping([&] { journal_->Stop(); });
  ASSERT_TRUE(WaitFor([&] {
    return absl::IsUnavailable(journal_->Submit(RowOf(30, 2), [](const absl::Status&) {}));
  }));
  store_.ReleaseAppends();
  stopping.join();
  for (int i = 0; i < 20; ++i) EXPECT_THAT(LoadAlone(store_, MatchId(i))->rows, SizeIs(2));
}

TEST_F(JournalTest, TellsEveryOutcomeOnceHoweverManySubmit) {
  Open();
  constexpr int kRows = 200;
  std::atomic<int> told = 0;
  // As LiveMatch does: the next row when the outcome of the one before is known.
  std::function<void(int, int64_t)> append = [&](int match, int64_t seq) {
    ASSERT_THAT(journal_->Submit(RowOf(match, seq),
                                 [&, match, seq](const absl::Status& outcome) {
                                   EXPECT_THAT(outcome, IsOk());
                                   ++told;
                                   if (seq < 1 + kRows) append(match, seq + 1);
                                 }),
                IsOk());
  };
  for (int match = 0; match < kMatches; ++match) append(match, 2);
  ASSERT_TRUE(WaitFor([&] { return told == kMatches * kRows; }));
  EXPECT_THAT(observer_.batches(), Each(AllOf(Ge(1u), Le(static_cast<size_t>(kMatches)))));
}

}  // namespace
}  // namespace naval::match
