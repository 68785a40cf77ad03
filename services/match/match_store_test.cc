#include "services/match/match_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "services/match/test_matches.h"
#include "services/match/test_stores.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr char kMatchId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10";
constexpr char kOtherId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e11";
constexpr char kThirdId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e12";
constexpr char kUnknownId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e1f";
constexpr char kRequestId[] = "018f3f5e-7b5a-7c3d-8a21-000000000001";
const absl::Time kNow = absl::FromUnixMicros(1'700'000'000'123'456);

using Make = std::unique_ptr<TestStore> (*)();

template <typename Store>
std::unique_ptr<TestStore> MakeStore() {
  return std::make_unique<Store>();
}

// Both stores have to keep the same contract, or tests on the fake prove nothing.
class MatchStoreTest : public ::testing::TestWithParam<Make> {
 protected:
  MatchStore& store() { return under_test_->store(); }
  void Age(absl::Duration duration) { under_test_->Age(duration); }

  Lease LeaseOf(const std::string& match_id) {
    return store().ListLeases()->at(static_cast<size_t>(PartitionOf(match_id)));
  }

  static Append Under(int64_t epoch, Append append) {
    append.epoch = epoch;
    return append;
  }

  static Append RowOf(const std::string& match_id, int64_t seq) {
    return {.match_id = match_id,
            .row = {.seq = seq,
                    .seat = std::nullopt,
                    .request_id = "",
                    .request_digest = "",
                    .event_time = kNow + absl::Seconds(seq),
                    .body = std::string("body\0of ", 8) + std::to_string(seq)},
            .deadline = kNow + absl::Minutes(1),
            .messages = {}};
  }

  static Append CommandOf(const std::string& match_id, int64_t seq, rules::Seat seat,
                          const std::string& request_id) {
    Append append = RowOf(match_id, seq);
    append.row.seat = seat;
    append.row.request_id = request_id;
    append.row.request_digest = std::string(32, '\xfe');
    return append;
  }

 private:
  std::unique_ptr<TestStore> under_test_ = GetParam()();
};

TEST_P(MatchStoreTest, GivesBackWhatWasStored) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  const Append second = CommandOf(kMatchId, 2, rules::Seat::kSecond, kRequestId);
  ASSERT_THAT(AppendAlone(store(), second), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match, LoadAlone(store(), kMatchId));
  EXPECT_EQ(match.created, "created");
  ASSERT_THAT(match.rows, SizeIs(2));
  EXPECT_EQ(match.rows[0].seat, std::nullopt);
  EXPECT_EQ(match.rows[0].request_id, "");
  EXPECT_EQ(match.rows[1].seq, 2);
  EXPECT_EQ(match.rows[1].seat, rules::Seat::kSecond);
  EXPECT_EQ(match.rows[1].request_id, kRequestId);
  EXPECT_EQ(match.rows[1].request_digest, second.row.request_digest);
  EXPECT_EQ(match.rows[1].event_time, second.row.event_time);
  EXPECT_EQ(match.rows[1].body, second.row.body);
}

TEST_P(MatchStoreTest, StoresARequestWhoseDigestStandsInTheBody) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  Append second = CommandOf(kMatchId, 2, rules::Seat::kSecond, kRequestId);
  second.row.request_digest = "";
  ASSERT_THAT(AppendAlone(store(), second), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match, LoadAlone(store(), kMatchId));
  EXPECT_EQ(match.rows[1].request_id, kRequestId);
  EXPECT_EQ(match.rows[1].request_digest, "");
}

TEST_P(MatchStoreTest, ReadsAMatchFromItsNewestSnapshotOn) {
  const auto since_snapshot = [&] {
    return *LoadAlone(store(), kMatchId, LogPart::kSinceSnapshot);
  };
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  for (int64_t seq = 2; seq <= 4; ++seq) {
    ASSERT_THAT(AppendAlone(store(), RowOf(kMatchId, seq)), IsOk());
  }
  EXPECT_FALSE(since_snapshot().snapshot.has_value());
  EXPECT_THAT(since_snapshot().rows, SizeIs(4));
  // One of a match that is not there is passed over.
  for (const int64_t seq : {3, 2}) {
    const Snapshot kept[] = {{kMatchId, seq, absl::StrCat("up to ", seq)}, {kOtherId, 1, "other"}};
    ASSERT_THAT(store().KeepSnapshots(kept), IsOk());
    const StoredMatch match = since_snapshot();
    EXPECT_EQ(match.created, "created");
    ASSERT_TRUE(match.snapshot.has_value());
    EXPECT_EQ(match.snapshot->seq, 3);
    EXPECT_EQ(match.snapshot->body, "up to 3");
    ASSERT_THAT(match.rows, SizeIs(1));
    EXPECT_EQ(match.rows[0].seq, 4);
  }
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch whole, LoadAlone(store(), kMatchId));
  EXPECT_FALSE(whole.snapshot.has_value());
  EXPECT_THAT(whole.rows, SizeIs(4));
  const std::string dropped[] = {kMatchId, kThirdId};
  ASSERT_THAT(store().DropSnapshots(dropped), IsOk());
  EXPECT_THAT(since_snapshot().rows, SizeIs(4));
}

TEST_P(MatchStoreTest, PassesOverASnapshotOfRowsThatAreNotThere) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  const Snapshot kept[] = {{kMatchId, 2, "up to 2"}};
  ASSERT_THAT(store().KeepSnapshots(kept), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match,
                             LoadAlone(store(), kMatchId, LogPart::kSinceSnapshot));
  EXPECT_FALSE(match.snapshot.has_value());
  EXPECT_THAT(match.rows, SizeIs(1));
}

TEST_P(MatchStoreTest, KnowsNoMatchThatWasNotStored) {
  EXPECT_THAT(LoadAlone(store(), kMatchId), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 1)), HasReason("STALE_MATCH"));
}

TEST_P(MatchStoreTest, CreatesAMatchOnce) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  EXPECT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  EXPECT_THAT(store().Create("another", RowOf(kMatchId, 1)), HasReason("MATCH_EXISTS"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match, LoadAlone(store(), kMatchId));
  EXPECT_THAT(match.rows, SizeIs(1));
}

TEST_P(MatchStoreTest, RefusesARowThatDoesNotFollowTheLastOne) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 1)), HasReason("STALE_MATCH"));
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 3)), HasReason("STALE_MATCH"));
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 2)), IsOk());
}

TEST_P(MatchStoreTest, StoresARequestOfASeatOnce) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  ASSERT_THAT(AppendAlone(store(), CommandOf(kMatchId, 2, rules::Seat::kFirst, kRequestId)),
              IsOk());
  EXPECT_THAT(AppendAlone(store(), CommandOf(kMatchId, 3, rules::Seat::kFirst, kRequestId)),
              StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(AppendAlone(store(), CommandOf(kMatchId, 3, rules::Seat::kSecond, kRequestId)),
              IsOk());
}

TEST_P(MatchStoreTest, CommitsTheRowsOfABatchWithoutThoseThatAreStale) {
  const std::string ids[] = {kMatchId, kOtherId, kThirdId};
  for (const std::string& id : ids) ASSERT_THAT(store().Create("created", RowOf(id, 1)), IsOk());
  Append announced = RowOf(kMatchId, 2);
  announced.messages = {{Destination::kLobby, "to the lobby"}, {Destination::kRanking, "result"}};
  Append stale = CommandOf(kOtherId, 3, rules::Seat::kFirst, kRequestId);
  stale.messages = {{Destination::kRanking, "of a row that was not written"}};
  const Append batch[] = {announced, stale, RowOf(kUnknownId, 1),
                          CommandOf(kThirdId, 2, rules::Seat::kSecond, kRequestId)};
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto outcomes, store().AppendRows(batch));
  EXPECT_THAT(outcomes,
              ElementsAre(IsOk(), HasReason("STALE_MATCH"), HasReason("STALE_MATCH"), IsOk()));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch first, LoadAlone(store(), kMatchId));
  EXPECT_THAT(first.rows, SizeIs(2));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch second, LoadAlone(store(), kOtherId));
  EXPECT_THAT(second.rows, SizeIs(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch third, LoadAlone(store(), kThirdId));
  EXPECT_EQ(third.rows.back().request_id, kRequestId);
  const absl::Time now = kNow + absl::Minutes(1);
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const auto results, store().ClaimMessages(Destination::kRanking, now, absl::Seconds(1), 10));
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].body, "result");
  EXPECT_EQ(results[0].seq, 2);
}

TEST_P(MatchStoreTest, WritesNothingOfABatchWithARowThatCannotBeStored) {
  for (const char* id : {kMatchId, kOtherId}) {
    ASSERT_THAT(store().Create("created", RowOf(id, 1)), IsOk());
  }
  const Append good = CommandOf(kOtherId, 2, rules::Seat::kFirst, kRequestId);
  Append without_request = good;
  without_request.match_id = kMatchId;
  without_request.row.request_id = "";
  Append without_seat = CommandOf(kMatchId, 2, rules::Seat::kFirst, kRequestId);
  without_seat.row.seat = std::nullopt;
  for (const Append& bad : {without_request, without_seat}) {
    const Append batch[] = {good, bad};
    EXPECT_THAT(store().AppendRows(batch), StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(AppendAlone(store(), bad), StatusIs(absl::StatusCode::kInternal));
  }
  ASSERT_THAT(AppendAlone(store(), good), IsOk());
  // A request that stands in the log already is the fault of its row, too.
  Append repeated = good;
  repeated.row.seq = 3;
  const Append batch[] = {RowOf(kMatchId, 2), repeated};
  EXPECT_THAT(store().AppendRows(batch), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(AppendAlone(store(), repeated), HasReason("STALE_MATCH"));
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 2)), IsOk());
}

TEST_P(MatchStoreTest, ListsMatchesWhoseClockEndsInTime) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  ASSERT_THAT(store().Create("created", RowOf(kOtherId, 1)), IsOk());
  Append last = RowOf(kMatchId, 2);
  last.over = true;
  last.deadline = std::nullopt;
  ASSERT_THAT(AppendAlone(store(), last), IsOk());
  const absl::Time deadline = *RowOf(kOtherId, 1).deadline;
  const int partition = PartitionOf(kOtherId);
  EXPECT_THAT(*store().ListDue(partition, deadline), ElementsAre(kOtherId));
  EXPECT_THAT(*store().ListDue(partition, deadline + absl::Hours(100)), ElementsAre(kOtherId));
  EXPECT_THAT(*store().ListDue(partition, deadline - absl::Microseconds(1)), IsEmpty());
  EXPECT_THAT(*store().ListDue(partition + 1, deadline), IsEmpty());
  EXPECT_THAT(*store().ListDue(PartitionOf(kMatchId), deadline), IsEmpty());
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 3)), HasReason("STALE_MATCH"));
}

TEST_P(MatchStoreTest, KnowsTheLeaseOfEveryPartitionFromTheBeginning) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::vector<Lease> leases, store().ListLeases());
  ASSERT_THAT(leases, SizeIs(kPartitions));
  for (int partition = 0; partition < kPartitions; ++partition) {
    const Lease& lease = leases[static_cast<size_t>(partition)];
    EXPECT_EQ(lease.partition, partition);
    EXPECT_EQ(lease.epoch, 0);
    EXPECT_EQ(lease.owner, "");
    EXPECT_EQ(lease.renew_time, std::nullopt);
  }
}

TEST_P(MatchStoreTest, TakesNoRowUnderAnEpochThatIsOver) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const int64_t first, store().TakeOverLease(LeaseOf(kMatchId), "a"));
  EXPECT_THAT(store().Create("created", RowOf(kMatchId, 1)), HasReason("NOT_OWNER"));
  ASSERT_THAT(store().Create("created", Under(first, RowOf(kMatchId, 1))), IsOk());
  ASSERT_THAT(store().Create("created", RowOf(kOtherId, 1)), IsOk());
  ASSERT_THAT(AppendAlone(store(), Under(first, RowOf(kMatchId, 2))), IsOk());
  Age(absl::Seconds(10));
  NAVAL_ASSERT_OK_AND_ASSIGN(const int64_t second, store().TakeOverLease(LeaseOf(kMatchId), "b"));
  EXPECT_GT(second, first);
  // The partition falls out of the batch alone.
  Append late = Under(first, RowOf(kMatchId, 3));
  late.messages = {{Destination::kRanking, "of a match that goes on elsewhere"}};
  const Append batch[] = {late, RowOf(kOtherId, 2)};
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto outcomes, store().AppendRows(batch));
  EXPECT_THAT(outcomes, ElementsAre(HasReason("NOT_OWNER"), IsOk()));
  EXPECT_EQ(store().ReadBacklog(Destination::kRanking)->messages, 0);
  EXPECT_THAT(AppendAlone(store(), Under(second, RowOf(kMatchId, 3))), IsOk());
}

TEST_P(MatchStoreTest, LetsOneTakeALeaseOverAndOnlyAsItWasSeen) {
  const Lease free = LeaseOf(kMatchId);
  NAVAL_ASSERT_OK_AND_ASSIGN(const int64_t epoch, store().TakeOverLease(free, "a"));
  EXPECT_THAT(store().TakeOverLease(free, "b"), HasReason("LEASE_CHANGED"));
  const Lease taken = LeaseOf(kMatchId);
  EXPECT_EQ(taken.duration, kUnsaidLeaseDuration);
  Age(absl::Seconds(1));
  ASSERT_THAT(store().KeepMember({.owner = "a", .lease_duration = absl::Milliseconds(2500)}),
              IsOk());
  ASSERT_THAT(store().RenewLeases({taken}), IsOk());
  EXPECT_THAT(store().TakeOverLease(taken, "b"), HasReason("LEASE_CHANGED"));
  Age(absl::Seconds(9));
  const Lease held = LeaseOf(kMatchId);
  EXPECT_EQ(held.owner, "a");
  EXPECT_EQ(held.epoch, epoch);
  EXPECT_EQ(held.duration, absl::Milliseconds(2500));
  EXPECT_THAT(store().TakeOverLease(held, "b"), IsOk());
}

TEST_P(MatchStoreTest, TellsForHowLongAMatchHadNoOwnerSinceItsLastRow) {
  const auto ownerless = [&](const std::string& match_id) {
    return LoadAlone(store(), match_id)->ownerless_duration;
  };
  const auto take_over = [&] {
    const auto epoch = store().TakeOverLease(LeaseOf(kMatchId), "a");
    EXPECT_THAT(epoch, IsOk());
    return *epoch;
  };
  const int64_t first = take_over();
  ASSERT_THAT(store().Create("created", Under(first, RowOf(kMatchId, 1))), IsOk());
  EXPECT_EQ(ownerless(kMatchId), absl::ZeroDuration()) << "there was no owner before the first";
  Age(absl::Minutes(5));
  EXPECT_EQ(ownerless(kMatchId), absl::ZeroDuration()) << "it may live";
  take_over();
  // Gone again before it wrote anything.
  Age(absl::Hours(24));
  const int64_t third = take_over();
  EXPECT_GE(ownerless(kMatchId), absl::Hours(24) + absl::Minutes(5));
  EXPECT_LT(ownerless(kMatchId), absl::Hours(24) + absl::Minutes(6));
  EXPECT_THAT(AppendAlone(store(), Under(first, RowOf(kMatchId, 2))), HasReason("NOT_OWNER"));
  EXPECT_GE(ownerless(kMatchId), absl::Hours(24));
  ASSERT_THAT(AppendAlone(store(), Under(third, RowOf(kMatchId, 2))), IsOk());
  EXPECT_EQ(ownerless(kMatchId), absl::ZeroDuration()) << "its row gave that back";
  // One of another partition had its owner all the time.
  ASSERT_THAT(store().Create("created", RowOf(kOtherId, 1)), IsOk());
  EXPECT_EQ(ownerless(kOtherId), absl::ZeroDuration());
}

TEST_P(MatchStoreTest, RenewsAndReleasesWhatIsStillOwned) {
  std::vector<Lease> held;
  for (const int partition : {3, 5, 7}) {
    Lease lease = store().ListLeases()->at(static_cast<size_t>(partition));
    NAVAL_ASSERT_OK_AND_ASSIGN(lease.epoch, store().TakeOverLease(lease, "a"));
    held.push_back(lease);
  }
  ASSERT_THAT(store().TakeOverLease(store().ListLeases()->at(5), "b"), IsOk());
  Age(absl::Seconds(9));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto renewed, store().RenewLeases(held));
  EXPECT_THAT(renewed, UnorderedElementsAre(3, 7));
  EXPECT_GT(*store().ListLeases()->at(3).renew_time,
            *store().ListLeases()->at(5).renew_time + absl::Seconds(8));

  ASSERT_THAT(store().ReleaseLeases(held), IsOk());
  EXPECT_EQ(store().ListLeases()->at(3).owner, "");
  EXPECT_EQ(store().ListLeases()->at(5).owner, "b");
  EXPECT_THAT(*store().RenewLeases(held), IsEmpty());
  EXPECT_THAT(*store().RenewLeases({}), IsEmpty());
  // Whoever is next raises the epoch.
  EXPECT_EQ(*store().TakeOverLease(store().ListLeases()->at(3), "c"), held[0].epoch + 1);
}

TEST_P(MatchStoreTest, KnowsWhichProcessesLiveAndWhere) {
  const auto members = [&] {
    const auto known = store().ListMembers();
    EXPECT_THAT(known, IsOk());
    std::vector<std::string> said;
    for (const Member& member : *known) said.push_back(member.owner + " " + member.address);
    return said;
  };
  EXPECT_THAT(members(), IsEmpty());
  ASSERT_THAT(store().KeepMember({.owner = "a", .address = "10.0.0.1:7202"}), IsOk());
  ASSERT_THAT(store().KeepMember({.owner = "b", .address = ""}), IsOk());
  Age(absl::Seconds(9));
  ASSERT_THAT(store().KeepMember(
                  {.owner = "a", .address = "10.0.0.2:7202", .lease_duration = absl::Seconds(2)}),
              IsOk());
  EXPECT_THAT(members(), ElementsAre("a 10.0.0.2:7202", "b "));
  EXPECT_EQ(store().ListMembers()->at(0).lease_duration, absl::Seconds(2));
  EXPECT_GT(store().ListMembers()->at(0).renew_time,
            store().ListMembers()->at(1).renew_time + absl::Seconds(8));

  Age(kForgetMemberDuration + absl::Seconds(1));
  ASSERT_THAT(store().KeepMember({.owner = "c", .address = ""}), IsOk());
  EXPECT_THAT(members(), ElementsAre("c "));
  ASSERT_THAT(store().RemoveMember("c"), IsOk());
  ASSERT_THAT(store().RemoveMember("c"), IsOk());
  EXPECT_THAT(members(), IsEmpty());
}

TEST_P(MatchStoreTest, ClaimsAMessageAgainWithGrowingDelayUntilItIsDelivered) {
  Append first = RowOf(kMatchId, 1);
  first.messages = {{Destination::kLobby, "to the lobby"}, {Destination::kRanking, "to ranking"}};
  ASSERT_THAT(store().Create("created", first), IsOk());
  const auto claim = [&](absl::Time now) {
    auto claimed = store().ClaimMessages(Destination::kRanking, now, absl::Seconds(1), 10);
    EXPECT_THAT(claimed, IsOk());
    return *std::move(claimed);
  };
  // On a machine whose clock was set back.
  absl::Time now = first.row.event_time - absl::Hours(1);
  ASSERT_THAT(claim(now), SizeIs(1));
  EXPECT_THAT(claim(now + absl::Milliseconds(999)), IsEmpty());
  now += absl::Seconds(1);
  const auto second = claim(now);
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].body, "to ranking");
  EXPECT_EQ(second[0].match_id, kMatchId);
  EXPECT_EQ(second[0].attempts, 2);
  EXPECT_THAT(claim(now + absl::Milliseconds(1999)), IsEmpty());
  ASSERT_THAT(store().MarkDelivered(Destination::kRanking, second, now), IsOk());
  EXPECT_THAT(claim(now + absl::Hours(1)), IsEmpty());
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto lobby,
                             store().ClaimMessages(Destination::kLobby, now, absl::Seconds(1), 10));
  EXPECT_THAT(lobby, SizeIs(1));
}

TEST_P(MatchStoreTest, MarksThoseMessagesAsDeliveredThatItIsGivenAndNoOthers) {
  Append first = RowOf(kMatchId, 1);
  first.messages = {{Destination::kRanking, "one"}};
  ASSERT_THAT(store().Create("created", first), IsOk());
  first.match_id = kOtherId;
  first.messages = {{Destination::kRanking, "other"}, {Destination::kLobby, "to the lobby"}};
  ASSERT_THAT(store().Create("created", first), IsOk());
  Append second = RowOf(kMatchId, 2);
  second.messages = {{Destination::kRanking, "one more"}};
  ASSERT_THAT(AppendAlone(store(), second), IsOk());
  const absl::Time now = second.row.event_time;
  const auto claim = [&](Destination destination, absl::Time time) {
    auto claimed = store().ClaimMessages(destination, time, absl::Seconds(1), 10);
    EXPECT_THAT(claimed, IsOk());
    return *std::move(claimed);
  };
  auto claimed = claim(Destination::kRanking, now);
  ASSERT_THAT(claimed, SizeIs(3));
  std::erase_if(claimed, [](const ClaimedMessage& message) { return message.body == "one more"; });
  ASSERT_THAT(store().MarkDelivered(Destination::kRanking, claimed, now), IsOk());
  const auto left = claim(Destination::kRanking, now + absl::Hours(1));
  ASSERT_THAT(left, SizeIs(1));
  EXPECT_EQ(left[0].body, "one more");
  EXPECT_THAT(claim(Destination::kLobby, now), SizeIs(1));
}

TEST_P(MatchStoreTest, TellsTheBacklogOfEachDestination) {
  Append first = RowOf(kMatchId, 1);
  first.messages = {{Destination::kRanking, "result"}};
  ASSERT_THAT(store().Create("created", first), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(Backlog backlog, store().ReadBacklog(Destination::kRanking));
  EXPECT_EQ(backlog.messages, 1);
  EXPECT_EQ(backlog.oldest, first.row.event_time);
  const absl::Time now = first.row.event_time;
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const auto claimed, store().ClaimMessages(Destination::kRanking, now, absl::Seconds(1), 10));
  ASSERT_THAT(claimed, SizeIs(1));
  ASSERT_THAT(store().MarkDelivered(Destination::kRanking, claimed, now), IsOk());
  for (const Destination destination : {Destination::kRanking, Destination::kLobby}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(backlog, store().ReadBacklog(destination));
    EXPECT_EQ(backlog.messages, 0);
    EXPECT_EQ(backlog.oldest, std::nullopt);
  }
}

TEST_P(MatchStoreTest, ClaimsNoMoreThanTheLimit) {
  for (const char* id : {kMatchId, kOtherId}) {
    Append first = RowOf(id, 1);
    first.messages = {{Destination::kLobby, id}};
    ASSERT_THAT(store().Create("created", first), IsOk());
  }
  const absl::Time now = kNow + absl::Minutes(1);
  const auto claim = [&] {
    return store().ClaimMessages(Destination::kLobby, now, absl::Seconds(1), 1);
  };
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto one, claim());
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto other, claim());
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto none, claim());
  ASSERT_THAT(one, SizeIs(1));
  ASSERT_THAT(other, SizeIs(1));
  EXPECT_NE(one[0].match_id, other[0].match_id);
  EXPECT_THAT(none, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, MatchStoreTest,
                         ::testing::Values(MakeStore<FakeTestStore>, MakeStore<PgTestStore>),
                         [](const ::testing::TestParamInfo<Make>& store) {
                           return store.index == 0 ? "Fake" : "Postgres";
                         });

// What only two connections show.
class PgMatchStoreTest : public ::testing::Test {
 protected:
  PgMatchStoreTest() : other_pool_(postgres_.database().PoolOptions("match")) {}

  static Append Row(const std::string& match_id, int64_t epoch, int64_t seq) {
    return {
        .match_id = match_id, .epoch = epoch, .row = {.seq = seq, .event_time = kNow, .body = "b"}};
  }

  Lease LeaseOf(const std::string& match_id) {
    return store_.ListLeases()->at(static_cast<size_t>(PartitionOf(match_id)));
  }

  // Runs `body` while another transaction has the lock of the match's partition.
  void WhileLocked(const char* lock, const std::string& match_id, std::function<void()> body) {
    ASSERT_THAT(other_pool_.Transact([&](postgres::Transaction& tx) {
      const auto locked = tx.Execute(lock, {0x6d617463, PartitionOf(match_id)});
      body();
      return locked.status();
    }),
                IsOk());
  }

  PgTestStore postgres_;
  MatchStore& store_ = postgres_.store();
  postgres::Pool other_pool_;
  PgMatchStore other_store_{other_pool_};
};

TEST_F(PgMatchStoreTest, GivesUpATakeoverWhileAnAppendDoesNotEnd) {
  WhileLocked("SELECT pg_advisory_xact_lock_shared($1, $2)", kMatchId, [&] {
    EXPECT_THAT(store_.TakeOverLease(LeaseOf(kMatchId), "a"), HasReason("LEASE_BUSY"));
    EXPECT_THAT(store_.TakeOverLease(LeaseOf(kOtherId), "a"), IsOk());
  });
  EXPECT_THAT(store_.TakeOverLease(LeaseOf(kMatchId), "a"), IsOk());
}

TEST_F(PgMatchStoreTest, AppendsTheRestWhileAPartitionIsTakenOver) {
  for (const char* id : {kMatchId, kOtherId}) {
    ASSERT_THAT(store_.Create("created", Row(id, 0, 1)), IsOk());
  }
  WhileLocked("SELECT pg_advisory_xact_lock($1, $2)", kMatchId, [&] {
    const Append batch[] = {Row(kMatchId, 0, 2), Row(kOtherId, 0, 2)};
    EXPECT_THAT(*store_.AppendRows(batch), ElementsAre(HasReason("NOT_OWNER"), IsOk()));
    EXPECT_THAT(store_.Create("created", Row(kMatchId, 0, 1)), HasReason("NOT_OWNER"));
  });
  EXPECT_THAT(AppendAlone(store_, Row(kMatchId, 0, 2)), IsOk());
}

TEST_F(PgMatchStoreTest, CommitsNothingOfAnOwnerWhoseMatchesAnotherHasRead) {
  ASSERT_THAT(store_.Create("created", Row(kMatchId, 0, 1)), IsOk());
  int64_t epoch = 0;
  for (int round = 0; round < 40; ++round) {
    std::atomic<int64_t> committed = static_cast<int64_t>(LoadAlone(store_, kMatchId)->rows.size());
    // The owner writes as fast as it can until it learns that it is none.
    std::thread owner([&] {
      while (AppendAlone(store_, Row(kMatchId, epoch, committed + 1)).ok()) ++committed;
    });
    const int64_t seen = committed;
    EXPECT_TRUE(testing::WaitFor([&] { return committed > seen + round % 5; }));
    absl::StatusOr<int64_t> next = absl::UnknownError("not tried");
    EXPECT_TRUE(testing::WaitFor([&] {
      next = other_store_.TakeOverLease(LeaseOf(kMatchId), "b");
      return next.ok();
    }));
    const size_t read = LoadAlone(other_store_, kMatchId)->rows.size();
    owner.join();
    EXPECT_EQ(LoadAlone(store_, kMatchId)->rows.size(), read);
    EXPECT_EQ(static_cast<size_t>(committed), read);
    epoch = *next;
  }
}

}  // namespace
}  // namespace naval::match
