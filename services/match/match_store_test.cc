#include "services/match/match_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "lib/postgres/migrations.h"
#include "naval/match/migrations.h"
#include "services/match/fake_match_store.h"
#include "services/match/pg_match_store.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::match {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kMatchId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10";
constexpr char kOtherId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e11";
constexpr char kThirdId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e12";
constexpr char kUnknownId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e1f";
constexpr char kRequestId[] = "018f3f5e-7b5a-7c3d-8a21-000000000001";
const absl::Time kNow = absl::FromUnixMicros(1'700'000'000'123'456);

// A store and what it stands on.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual MatchStore& store() = 0;
};

class Fake final : public StoreUnderTest {
 public:
  MatchStore& store() override { return store_; }

 private:
  FakeMatchStore store_;
};

class Postgres final : public StoreUnderTest {
 public:
  Postgres() : pool_(database_.PoolOptions("match")), store_(pool_) {
    EXPECT_THAT(postgres::Migrate(pool_, kSchema), IsOk());
  }
  MatchStore& store() override { return store_; }

 private:
  testing::TestDatabase database_;
  postgres::Pool pool_;
  PgMatchStore store_;
};

using Make = std::unique_ptr<StoreUnderTest> (*)();

// Both stores have to keep the same contract, or tests on the fake prove nothing.
class MatchStoreTest : public ::testing::TestWithParam<Make> {
 protected:
  MatchStore& store() { return under_test_->store(); }

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
  std::unique_ptr<StoreUnderTest> under_test_ = GetParam()();
};

TEST_P(MatchStoreTest, GivesBackWhatWasStored) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  const Append second = CommandOf(kMatchId, 2, rules::Seat::kSecond, kRequestId);
  ASSERT_THAT(AppendAlone(store(), second), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match, store().Load(kMatchId));
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
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match, store().Load(kMatchId));
  EXPECT_EQ(match.rows[1].request_id, kRequestId);
  EXPECT_EQ(match.rows[1].request_digest, "");
}

TEST_P(MatchStoreTest, KnowsNoMatchThatWasNotStored) {
  EXPECT_THAT(store().Load(kMatchId), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 1)), HasReason("STALE_MATCH"));
}

TEST_P(MatchStoreTest, CreatesAMatchOnce) {
  ASSERT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  EXPECT_THAT(store().Create("created", RowOf(kMatchId, 1)), IsOk());
  EXPECT_THAT(store().Create("another", RowOf(kMatchId, 1)), HasReason("MATCH_EXISTS"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch match, store().Load(kMatchId));
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
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch first, store().Load(kMatchId));
  EXPECT_THAT(first.rows, SizeIs(2));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch second, store().Load(kOtherId));
  EXPECT_THAT(second.rows, SizeIs(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const StoredMatch third, store().Load(kThirdId));
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
  EXPECT_THAT(*store().ListDue(deadline), ElementsAre(kOtherId));
  EXPECT_THAT(*store().ListDue(deadline + absl::Hours(100)), ElementsAre(kOtherId));
  EXPECT_THAT(*store().ListDue(deadline - absl::Microseconds(1)), IsEmpty());
  EXPECT_THAT(AppendAlone(store(), RowOf(kMatchId, 3)), HasReason("STALE_MATCH"));
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
  absl::Time now = first.row.event_time;
  EXPECT_THAT(claim(now - absl::Microseconds(1)), IsEmpty());
  ASSERT_THAT(claim(now), SizeIs(1));
  EXPECT_THAT(claim(now + absl::Milliseconds(999)), IsEmpty());
  now += absl::Seconds(1);
  const auto second = claim(now);
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(second[0].body, "to ranking");
  EXPECT_EQ(second[0].match_id, kMatchId);
  EXPECT_EQ(second[0].attempts, 2);
  EXPECT_THAT(claim(now + absl::Milliseconds(1999)), IsEmpty());
  ASSERT_THAT(store().MarkDelivered(Destination::kRanking, second[0], now), IsOk());
  EXPECT_THAT(claim(now + absl::Hours(1)), IsEmpty());
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto lobby,
                             store().ClaimMessages(Destination::kLobby, now, absl::Seconds(1), 10));
  EXPECT_THAT(lobby, SizeIs(1));
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
  ASSERT_THAT(store().MarkDelivered(Destination::kRanking, claimed[0], now), IsOk());
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

INSTANTIATE_TEST_SUITE_P(
    Stores, MatchStoreTest,
    ::testing::Values([]() -> std::unique_ptr<StoreUnderTest> { return std::make_unique<Fake>(); },
                      []() -> std::unique_ptr<StoreUnderTest> {
                        return std::make_unique<Postgres>();
                      }),
    [](const ::testing::TestParamInfo<Make>& store) {
      return store.index == 0 ? "Fake" : "Postgres";
    });

}  // namespace
}  // namespace naval::match
