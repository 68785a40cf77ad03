#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/base/error.h"
#include "services/lobby/test_lobby.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"
#include "tests/support/wait_for.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::WaitFor;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class MatchStarterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::PinGrpc(); }

  void SetUp() override {
    NAVAL_ASSERT_OK_AND_ASSIGN(ana_, lobby_.Register("ana"));
    NAVAL_ASSERT_OK_AND_ASSIGN(eva_, lobby_.Register("eva"));
  }

  v1::TableState StateOf(const std::string& table_id) {
    const auto table = lobby_.GetTable(ana_, table_id);
    EXPECT_THAT(table, IsOk());
    return table.ok() ? table->state() : v1::TABLE_STATE_UNSPECIFIED;
  }

  // Lets the lobby's time go on until the table has come to `state`.
  bool ComesTo(const std::string& table_id, v1::TableState state) {
    return WaitFor([&] {
      lobby_.clock().Advance(absl::Milliseconds(250));
      return StateOf(table_id) == state;
    });
  }

  testing::TestDatabase database_;
  TestLobby lobby_{database_.PoolOptions("lobby")};
  v1::Session ana_;
  v1::Session eva_;
};

TEST_F(MatchStarterTest, StartsTheMatchOnceTheMatchServiceIsBack) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  lobby_.StopMatch();
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table joined,
                             lobby_.JoinById(eva_, created.table().table_id()));
  EXPECT_EQ(joined.state(), v1::TABLE_STATE_STARTING);
  // Nothing to watch or play yet.
  EXPECT_EQ(joined.match_id(), "");
  EXPECT_THAT(lobby_.Leave(ana_, joined.table_id()), HasReason("MATCH_STARTED"));
  lobby_.StartMatch();
  EXPECT_TRUE(ComesTo(joined.table_id(), v1::TABLE_STATE_PLAYING));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table playing, lobby_.GetTable(ana_, joined.table_id()));
  ASSERT_THAT(lobby_.match().Requests(), SizeIs(1));
  EXPECT_EQ(lobby_.match().Requests()[0].match_id(), playing.match_id());
}

TEST_F(MatchStarterTest, StartsTheMatchesThatADeadLobbyLeftBehind) {
  lobby_.match().Answer(absl::UnavailableError("draining"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.BotTable()));
  EXPECT_EQ(created.table().state(), v1::TABLE_STATE_STARTING);
  lobby_.RestartLobby();
  lobby_.match().Answer(absl::OkStatus());
  EXPECT_TRUE(ComesTo(created.table().table_id(), v1::TABLE_STATE_PLAYING));
  // However often it was asked, it was asked for the same match.
  std::set<std::string> requests;
  for (const auto& request : lobby_.match().Requests())
    requests.insert(request.SerializeAsString());
  EXPECT_THAT(requests, SizeIs(1));
}

TEST_F(MatchStarterTest, AnswersAJoinerBeforeItStops) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  const std::string& table_id = created.table().table_id();
  lobby_.match().Hold();
  absl::StatusOr<v1::Table> joined;
  std::thread joiner([&] { joined = lobby_.JoinById(eva_, table_id); });
  EXPECT_TRUE(WaitFor([&] { return !lobby_.match().Requests().empty(); }));
  lobby_.StopLobby();
  joiner.join();
  ASSERT_THAT(joined, IsOk());
  EXPECT_EQ(joined->state(), v1::TABLE_STATE_STARTING);
  lobby_.match().Answer(absl::OkStatus());
  lobby_.RestartLobby();
  EXPECT_TRUE(ComesTo(table_id, v1::TABLE_STATE_PLAYING));
}

TEST_F(MatchStarterTest, ClosesATableWhoseMatchIsRefusedForGood) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  lobby_.match().Answer(absl::InvalidArgumentError("no such rule set here"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table joined,
                             lobby_.JoinById(eva_, created.table().table_id()));
  EXPECT_EQ(joined.state(), v1::TABLE_STATE_CLOSED);
  EXPECT_EQ(joined.match_id(), "");
  // It takes none of their seats any more.
  lobby_.match().Answer(absl::OkStatus());
  for (int i = 0; i < kMaxTablesPerAccount; ++i) {
    EXPECT_THAT(lobby_.CreateTable(eva_, lobby_.BotTable()), IsOk());
  }
}

TEST_F(MatchStarterTest, TakesAMatchThatExistsForItsOwn) {
  lobby_.match().Answer(absl::AlreadyExistsError("a handle changed between two calls"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.BotTable()));
  EXPECT_EQ(created.table().state(), v1::TABLE_STATE_PLAYING);
}

TEST_F(MatchStarterTest, AsksAgainAfterAnErrorThatMayPass) {
  lobby_.match().Answer(absl::InternalError("disk full"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.BotTable()));
  EXPECT_EQ(created.table().state(), v1::TABLE_STATE_STARTING);
  lobby_.match().Answer(absl::OkStatus());
  EXPECT_TRUE(ComesTo(created.table().table_id(), v1::TABLE_STATE_PLAYING));
}

TEST_F(MatchStarterTest, LogsWhyMatchesWait) {
  ::testing::internal::CaptureStdout();
  lobby_.match().Answer(
      base::Error(absl::StatusCode::kUnavailable, "DATABASE_UNAVAILABLE", "it is away"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.BotTable()));
  const size_t asked = lobby_.match().Requests().size();
  EXPECT_TRUE(WaitFor([&] {
    lobby_.clock().Advance(absl::Milliseconds(250));
    return lobby_.match().Requests().size() > asked;
  }));
  lobby_.StopLobby();
  const std::string log = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(log, HasSubstr("\"event\":\"matches_wait_to_be_started\",\"tables\":1,"
                             "\"status\":\"UNAVAILABLE DATABASE_UNAVAILABLE: it is away\""));
}

}  // namespace
}  // namespace naval::lobby
