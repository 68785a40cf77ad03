#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "services/lobby/test_lobby.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Pair;

class LobbyInternalServiceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::PinGrpc(); }

  void SetUp() override {
    NAVAL_ASSERT_OK_AND_ASSIGN(ana_, lobby_.Register("ana"));
    NAVAL_ASSERT_OK_AND_ASSIGN(eva_, lobby_.Register("eva"));
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
    NAVAL_ASSERT_OK_AND_ASSIGN(table_, lobby_.JoinById(eva_, created.table().table_id()));
  }

  v1::RecordMatchChangeRequest Change(int64_t version, match::v1::Phase phase) {
    v1::RecordMatchChangeRequest request;
    request.set_match_id(table_.match_id());
    request.set_table_id(table_.table_id());
    request.set_version(version);
    request.set_phase(phase);
    if (phase == match::v1::PHASE_OVER) {
      request.mutable_result()->set_reason(match::v1::END_REASON_RESIGNED);
    }
    request.mutable_change_time()->set_seconds(1'800'000'000);
    return request;
  }

  v1::TableState State() {
    const auto table = lobby_.GetTable(ana_, table_.table_id());
    EXPECT_THAT(table, IsOk());
    return table.ok() ? table->state() : v1::TABLE_STATE_UNSPECIFIED;
  }

  testing::TestDatabase database_;
  TestLobby lobby_{database_.PoolOptions("lobby")};
  v1::Session ana_;
  v1::Session eva_;
  v1::Table table_;
};

TEST_F(LobbyInternalServiceTest, EndsTheTableWhenTheMatchIsOverAndKeepsItReadable) {
  EXPECT_THAT(lobby_.RecordMatchChange(Change(1, match::v1::PHASE_PLACEMENT)), IsOk());
  EXPECT_EQ(State(), v1::TABLE_STATE_PLAYING);
  EXPECT_THAT(lobby_.RecordMatchChange(Change(9, match::v1::PHASE_OVER)), IsOk());
  EXPECT_EQ(State(), v1::TABLE_STATE_ENDED);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session guest, lobby_.CreateGuest());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table seen, lobby_.GetTable(guest, table_.table_id()));
  EXPECT_EQ(seen.match_id(), table_.match_id());
  EXPECT_THAT(lobby_.Leave(ana_, table_.table_id()), HasReason("MATCH_STARTED"));
}

TEST_F(LobbyInternalServiceTest, TellsWhoseMoveIsAwaitedInAMatchOverDaysAndUntilWhen) {
  const auto awaited = [&] {
    const v1::Table table = *lobby_.GetTable(eva_, table_.table_id());
    return std::make_pair(
        std::vector<int>(table.awaited_seats().begin(), table.awaited_seats().end()),
        table.deadline().seconds());
  };
  v1::RecordMatchChangeRequest change = Change(1, match::v1::PHASE_PLACEMENT);
  change.add_awaited_seats(match::v1::SEAT_SECOND);
  change.add_awaited_seats(match::v1::SEAT_FIRST);
  EXPECT_THAT(lobby_.RecordMatchChange(change), IsOk());
  EXPECT_THAT(awaited(), Pair(ElementsAre(match::v1::SEAT_FIRST, match::v1::SEAT_SECOND), 0));
  v1::RecordMatchChangeRequest next = Change(4, match::v1::PHASE_BATTLE);
  next.add_awaited_seats(match::v1::SEAT_SECOND);
  next.mutable_deadline()->set_seconds(1'800'172'800);
  EXPECT_THAT(lobby_.RecordMatchChange(next), IsOk());
  EXPECT_THAT(lobby_.RecordMatchChange(change), IsOk());
  EXPECT_THAT(awaited(), Pair(ElementsAre(match::v1::SEAT_SECOND), 1'800'172'800));
  EXPECT_THAT(lobby_.RecordMatchChange(Change(9, match::v1::PHASE_OVER)), IsOk());
  EXPECT_THAT(awaited(), Pair(IsEmpty(), 0));
}

TEST_F(LobbyInternalServiceTest, TakesChangesTwiceAndInAnyOrder) {
  EXPECT_THAT(lobby_.RecordMatchChange(Change(9, match::v1::PHASE_OVER)), IsOk());
  EXPECT_THAT(lobby_.RecordMatchChange(Change(4, match::v1::PHASE_BATTLE)), IsOk());
  EXPECT_THAT(lobby_.RecordMatchChange(Change(9, match::v1::PHASE_OVER)), IsOk());
  EXPECT_THAT(lobby_.RecordMatchChange(Change(10, match::v1::PHASE_BATTLE)), IsOk());
  EXPECT_EQ(State(), v1::TABLE_STATE_ENDED);
}

TEST_F(LobbyInternalServiceTest, KnowsNothingOfOtherTablesAndMatches) {
  v1::RecordMatchChangeRequest other_table = Change(9, match::v1::PHASE_OVER);
  other_table.set_table_id(lobby_.NewId());
  EXPECT_THAT(lobby_.RecordMatchChange(other_table), IsOk());
  v1::RecordMatchChangeRequest other_match = Change(9, match::v1::PHASE_OVER);
  other_match.set_match_id(lobby_.NewId());
  EXPECT_THAT(lobby_.RecordMatchChange(other_match), IsOk());
  EXPECT_EQ(State(), v1::TABLE_STATE_PLAYING);
}

TEST_F(LobbyInternalServiceTest, LearnsOfAMatchBeforeItsOwnCallIsAnswered) {
  lobby_.match().Answer(absl::UnavailableError("answer lost"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.BotTable()));
  ASSERT_EQ(created.table().state(), v1::TABLE_STATE_STARTING);
  table_ = created.table();
  // Only the two services know yet which match it will be.
  table_.set_match_id(lobby_.match().Requests().back().match_id());
  EXPECT_THAT(lobby_.RecordMatchChange(Change(1, match::v1::PHASE_PLACEMENT)), IsOk());
  EXPECT_EQ(State(), v1::TABLE_STATE_PLAYING);
}

TEST_F(LobbyInternalServiceTest, FreesTheSeatsOfAMatchThatIsOver) {
  for (int i = 0; i < 4; ++i) ASSERT_THAT(lobby_.CreateTable(eva_, lobby_.BotTable()), IsOk());
  EXPECT_THAT(lobby_.CreateTable(eva_, lobby_.BotTable()), HasReason("TOO_MANY_TABLES"));
  EXPECT_THAT(lobby_.RecordMatchChange(Change(9, match::v1::PHASE_OVER)), IsOk());
  EXPECT_THAT(lobby_.CreateTable(eva_, lobby_.BotTable()), IsOk());
}

TEST_F(LobbyInternalServiceTest, AsksForTheServiceToken) {
  const absl::Status refused = lobby_.RecordMatchChange(Change(9, match::v1::PHASE_OVER),
                                                        base::Secret(std::string(40, 'x')));
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(refused, HasReason("SERVICE_TOKEN_INVALID"));
  EXPECT_EQ(State(), v1::TABLE_STATE_PLAYING);
}

TEST_F(LobbyInternalServiceTest, NamesTheFieldThatIsWrong) {
  const auto expect = [&](const v1::RecordMatchChangeRequest& request, const char* reason,
                          const std::string& field) {
    const absl::Status status = lobby_.RecordMatchChange(request);
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasReason(reason));
    EXPECT_THAT(base::FieldViolationsOf(status),
                ElementsAre(Field(&base::FieldViolation::field, field)));
  };
  v1::RecordMatchChangeRequest bad = Change(1, match::v1::PHASE_BATTLE);
  bad.set_match_id("x");
  expect(bad, "INVALID_MATCH_ID", "match_id");
  bad = Change(1, match::v1::PHASE_BATTLE);
  bad.set_table_id("");
  expect(bad, "INVALID_TABLE_ID", "table_id");
  expect(Change(0, match::v1::PHASE_BATTLE), "INVALID_VERSION", "version");
  expect(Change(1, match::v1::PHASE_UNSPECIFIED), "INVALID_PHASE", "phase");
  expect(Change(1, static_cast<match::v1::Phase>(77)), "INVALID_PHASE", "phase");
}

}  // namespace
}  // namespace naval::lobby
