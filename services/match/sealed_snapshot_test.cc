#include "services/match/sealed_snapshot.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "google/protobuf/util/message_differencer.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_keys.h"

namespace naval::match {
namespace {

using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using rules::Seat;

class SealedSnapshot : public ::testing::Test {
 protected:
  void SetUp() override {
    auto match = RecordedMatch::New(kTestMatchId, TestMatchCreated());
    ASSERT_THAT(match, IsOk());
    match_.emplace(*std::move(match));
    match_->Apply(match_->Start(now_));
  }

  void Do(rules::Command command, Seat seat) {
    const auto entry =
        match_->Decide({.command = std::move(command), .seat = seat, .request_id = "request"}, now_,
                       {random_, random_});
    ASSERT_THAT(entry, IsOk());
    match_->Apply(**entry);
  }

  const auth::Sealer sealer_ = testing::TestSealer();
  base::SeededRandom random_{1};
  absl::Time now_ = absl::FromUnixMicros(1'795'819'039'123'456);
  std::optional<RecordedMatch> match_;
};

TEST_F(SealedSnapshot, HoldsWhatTheMatchHasComeToAndShowsNothing) {
  Do(rules::ConfirmFleet{Seat::kFirst, RowsFleet(match_->game().rules())}, Seat::kFirst);
  const Snapshot snapshot = SealSnapshot(*match_, sealer_, random_);
  EXPECT_EQ(snapshot.match_id, kTestMatchId);
  EXPECT_EQ(snapshot.seq, 2);
  EXPECT_FALSE(absl::StrContains(snapshot.body, "portaaviones"));
  log::v1::MatchSnapshot opened;
  ASSERT_THAT(OpenSnapshot(snapshot, sealer_, opened), IsOk());
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(opened, match_->TakeSnapshot()));
}

TEST_F(SealedSnapshot, OpensForItsMatchAndItsNumberOnly) {
  const Snapshot snapshot = SealSnapshot(*match_, sealer_, random_);
  Snapshot moved = snapshot;
  moved.seq += 1;
  log::v1::MatchSnapshot opened;
  EXPECT_THAT(OpenSnapshot(moved, sealer_, opened), StatusIs(absl::StatusCode::kDataLoss));
  moved = snapshot;
  moved.match_id.back() ^= 1;
  EXPECT_THAT(OpenSnapshot(moved, sealer_, opened), StatusIs(absl::StatusCode::kDataLoss));
}

// rule: T-23
TEST_F(SealedSnapshot, IsAsLongWhateverIsHidden) {
  std::set<std::size_t> lengths;
  const rules::RuleSet& rules = match_->game().rules();
  rules::Fleet draft = RowsFleet(rules);
  while (true) {
    Do(rules::PlaceFleet{Seat::kFirst, draft}, Seat::kFirst);
    lengths.insert(SealSnapshot(*match_, sealer_, random_).body.size() -
                   sizeof(uint64_t) * static_cast<std::size_t>(match_->head_seq()));
    if (draft.empty()) break;
    draft.pop_back();
  }
  EXPECT_EQ(lengths.size(), 1u);
}

}  // namespace
}  // namespace naval::match
