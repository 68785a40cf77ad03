#include "services/match/match_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "services/match/append.h"
#include "services/match/fake_match_store.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_keys.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::WaitFor;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Reason = MatchReader::Reason;

std::string Id(int number) {
  return absl::StrCat("018f3f5e-7b5a-7c3d-8a21-", absl::Dec(number, absl::kZeroPad12));
}

// Tells what is read together, and has a match that makes whole statements fail.
class ReadStore final : public FakeMatchStore {
 public:
  using FakeMatchStore::FakeMatchStore;

  absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> Load(
      absl::Span<const std::string> match_ids, LogPart part) override {
    {
      base::MutexLock lock(mutex_);
      reads_.emplace_back(match_ids.begin(), match_ids.end());
      if (std::find(match_ids.begin(), match_ids.end(), poison_) != match_ids.end()) {
        return base::Error(absl::StatusCode::kInternal, "DATABASE_ERROR", "a page is damaged");
      }
    }
    return FakeMatchStore::Load(match_ids, part);
  }

  void SetPoison(const std::string& match_id) {
    base::MutexLock lock(mutex_);
    poison_ = match_id;
  }

  std::vector<std::vector<std::string>> reads() {
    base::MutexLock lock(mutex_);
    return reads_;
  }

 private:
  base::Mutex mutex_;
  std::string poison_ NAVAL_GUARDED_BY(mutex_);
  std::vector<std::vector<std::string>> reads_ NAVAL_GUARDED_BY(mutex_);
};

class MatchReaderTest : public ::testing::Test {
 protected:
  static constexpr int kMatches = 200;

  void SetUp() override {
    ASSERT_THAT(ownership_.Start({.acquired = [](int) {}, .lost = [](int) {}}), IsOk());
    for (int number = 0; number < kMatches; ++number) {
      const auto match = RecordedMatch::New(Id(number), TestMatchCreated());
      Append first = ToAppend(*match, match->Start(clock_.Now()), sealer_, random_);
      first.epoch = 1;
      ASSERT_THAT(store_.Create(match->created().SerializeAsString(), first), IsOk());
    }
  }

  // Both threads of the reader are busy with a match each.
  void OccupyReader() {
    store_.HoldLoads();
    for (const int number : {kMatches - 1, kMatches - 2}) {
      ASSERT_THAT(reader_.Read(Id(number), Reason::kAsked), IsOk());
      ASSERT_TRUE(WaitFor([&] { return reader_.queued() == 0; }));
    }
  }

  absl::Status OutcomeOf(int number) {
    const std::string id = Id(number);
    EXPECT_TRUE(WaitFor([&] {
      base::MutexLock lock(mutex_);
      return outcomes_.contains(id);
    }));
    base::MutexLock lock(mutex_);
    return outcomes_[id];
  }

  base::SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  ReadStore store_{clock_};
  Ownership ownership_{store_, clock_, "test"};
  const auth::Sealer sealer_ = testing::TestSealer();
  base::SecureRandom random_;
  MatchObserver observer_;
  base::Mutex mutex_;
  std::map<std::string, absl::Status> outcomes_ NAVAL_GUARDED_BY(mutex_);
  MatchReader reader_{store_, sealer_, ownership_, observer_,
                      [this](const std::string& id, const absl::StatusOr<ReadMatch>& read) {
                        if (read.ok()) {
                          EXPECT_EQ(read->match.match_id(), id);
                          EXPECT_EQ(read->epoch, 1);
                        }
                        base::MutexLock lock(mutex_);
                        EXPECT_TRUE(outcomes_.emplace(id, read.status()).second) << "told twice";
                      }};
};

TEST_F(MatchReaderTest, ReadsWhatCameUpDuringAReadTogether) {
  OccupyReader();
  for (int number = 0; number < 20; ++number) {
    ASSERT_THAT(reader_.Read(Id(number), Reason::kDue), IsOk());
  }
  EXPECT_EQ(reader_.queued(), 20u);
  store_.ReleaseLoads();
  for (int number = 0; number < 20; ++number) EXPECT_THAT(OutcomeOf(number), IsOk());
  EXPECT_THAT(store_.reads(), ElementsAre(SizeIs(1), SizeIs(1), SizeIs(20)));
}

TEST_F(MatchReaderTest, ReadsWhatSomebodyWaitsForFirst) {
  OccupyReader();
  for (int number = 0; number < 150; ++number) {
    ASSERT_THAT(reader_.Read(Id(number), Reason::kDue), IsOk());
  }
  reader_.Hurry(Id(140));
  reader_.Hurry(Id(kMatches - 1));  // That one is being read.
  ASSERT_THAT(reader_.Read(Id(160), Reason::kAsked), IsOk());
  EXPECT_EQ(reader_.queued(), 151u);
  store_.ReleaseLoads();
  for (int number = 0; number < 150; ++number) EXPECT_THAT(OutcomeOf(number), IsOk());
  const std::vector<std::string> first = store_.reads().at(2);
  ASSERT_GE(first.size(), 3u);
  EXPECT_EQ(first[0], Id(140));
  EXPECT_EQ(first[1], Id(160));
  EXPECT_EQ(first[2], Id(0));
}

TEST_F(MatchReaderTest, LetsNoMatchKeepTheOthersFromBeingRead) {
  store_.SetPoison(Id(7));
  OccupyReader();
  for (const int number : {6, 7, 8, kMatches + 1}) {
    ASSERT_THAT(reader_.Read(Id(number), Reason::kAsked), IsOk());
  }
  store_.ReleaseLoads();
  EXPECT_THAT(OutcomeOf(6), IsOk());
  EXPECT_THAT(OutcomeOf(7), HasReason("DATABASE_ERROR"));
  EXPECT_THAT(OutcomeOf(8), IsOk());
  EXPECT_THAT(OutcomeOf(kMatches + 1), HasReason("MATCH_NOT_FOUND"));
}

TEST_F(MatchReaderTest, SaysOfNoMatchThatItIsNotThereWhenAnotherOwnerMayHaveCreatedIt) {
  store_.HoldLoads();
  ASSERT_THAT(reader_.Read(Id(kMatches + 1), Reason::kAsked), IsOk());
  ASSERT_TRUE(WaitFor([&] { return store_.reads().size() == 1; }));
  ownership_.Drain();
  store_.ReleaseLoads();
  EXPECT_THAT(OutcomeOf(kMatches + 1), HasReason("NOT_OWNER"));
}

TEST_F(MatchReaderTest, LimitsHowManyMayWaitAndTellsThemAllBeforeItStops) {
  OccupyReader();
  for (size_t i = 0; i < kMaxAskedReads; ++i) {
    ASSERT_THAT(reader_.Read(Id(static_cast<int>(i) + 1000), Reason::kAsked), IsOk());
  }
  EXPECT_THAT(reader_.Read(Id(1), Reason::kAsked), HasReason("SERVER_BUSY"));
  EXPECT_THAT(reader_.Read(Id(2), Reason::kDue), IsOk());
  store_.ReleaseLoads();
  reader_.Stop();
  EXPECT_EQ(reader_.queued(), 0u);
  EXPECT_THAT(reader_.Read(Id(3), Reason::kAsked), HasReason("SHUTTING_DOWN"));
  base::MutexLock lock(mutex_);
  EXPECT_THAT(outcomes_, SizeIs(kMaxAskedReads + 3));
}

}  // namespace
}  // namespace naval::match
