#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/base/error.h"
#include "lib/wire/time_wire.h"
#include "services/lobby/table_store.h"
#include "services/lobby/test_lobby.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"
#include "tests/support/wait_for.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LobbyServiceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { testing::PinGrpc(); }

  void SetUp() override {
    NAVAL_ASSERT_OK_AND_ASSIGN(ana_, lobby_.Register("ana"));
    NAVAL_ASSERT_OK_AND_ASSIGN(eva_, lobby_.Register("eva"));
    NAVAL_ASSERT_OK_AND_ASSIGN(guest_, lobby_.CreateGuest());
  }

  std::vector<std::string> IdsOn(const v1::ListTablesResponse& page) {
    std::vector<std::string> ids;
    for (const v1::Table& table : page.tables()) ids.push_back(table.table_id());
    return ids;
  }

  // How many of the calls, made at once, are OK; the others must have `reason`.
  int CountSuccesses(const std::vector<std::function<absl::Status()>>& calls,
                     const std::string& reason) {
    std::vector<absl::Status> results(calls.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < calls.size(); ++i) {
      threads.emplace_back([&, i] { results[i] = calls[i](); });
    }
    for (std::thread& thread : threads) thread.join();
    int successes = 0;
    for (const absl::Status& result : results) {
      if (result.ok()) {
        ++successes;
      } else {
        EXPECT_THAT(result, HasReason(reason));
      }
    }
    return successes;
  }

  testing::TestDatabase database_;
  TestLobby lobby_{database_.PoolOptions("lobby")};
  v1::Session ana_;
  v1::Session eva_;
  v1::Session guest_;
};

TEST_F(LobbyServiceTest, ListsTheRuleSetsWithTheirOptions) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto response, lobby_.ListRuleSets(guest_));
  ASSERT_EQ(response.rule_sets_size(), 4);
  EXPECT_EQ(response.rule_sets(0).id(), "tablu");
  EXPECT_EQ(response.rule_sets(0).ships_size(), 5);
  EXPECT_THAT(response.rule_sets(0).options(), ElementsAre("one_shot_per_turn", "untimed"));
  EXPECT_EQ(response.rule_sets(1).id(), "clasica");
  EXPECT_THAT(response.rule_sets(1).options(), ElementsAre("untimed", "pace"));
  EXPECT_EQ(response.rule_sets(2).id(), "salvo");
  EXPECT_THAT(response.rule_sets(2).options(), ElementsAre("untimed", "fleet_b", "volley", "pace"));
  EXPECT_EQ(response.rule_sets(3).id(), "selminha");
  EXPECT_THAT(response.rule_sets(3).options(), ElementsAre("untimed", "pace"));
}

TEST_F(LobbyServiceTest, KeepsTheOptionsOfATable) {
  v1::CreateTableRequest request = lobby_.PrivateTable();
  game::v1::GameRules& rules = *request.mutable_rules();
  rules.set_rule_set("salvo");
  rules.set_fleet_b(true);
  rules.set_volley(true);
  rules.set_pace(game::v1::PACE_SLOW);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, request));
  EXPECT_EQ(created.table().rules().SerializeAsString(), rules.SerializeAsString());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table joined, lobby_.JoinByCode(eva_, created.join_code()));
  EXPECT_EQ(joined.rules().SerializeAsString(), rules.SerializeAsString());
  EXPECT_EQ(lobby_.match().Requests().at(0).rules().SerializeAsString(), rules.SerializeAsString());

  const std::vector<std::function<void(game::v1::GameRules&)>> changes = {
      [](auto& other) { other.set_fleet_b(false); },
      [](auto& other) { other.set_volley(false); },
      [](auto& other) { other.set_pace(game::v1::PACE_LIVE); },
      [](auto& other) { other.clear_pace(); },
  };
  for (const auto& change : changes) {
    v1::CreateTableRequest other = request;
    change(*other.mutable_rules());
    EXPECT_THAT(lobby_.CreateTable(ana_, other), HasReason("REQUEST_ID_REUSED"));
  }
}

TEST_F(LobbyServiceTest, OpensAPublicTableThatEverybodyFindsAndOneJoins) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  const v1::Table& table = created.table();
  EXPECT_EQ(created.join_code(), "");
  EXPECT_EQ(table.state(), v1::TABLE_STATE_OPEN);
  EXPECT_EQ(table.match_id(), "");
  ASSERT_THAT(table.players(), SizeIs(1));
  EXPECT_EQ(table.players(0).account_id(), ana_.account().account_id());
  EXPECT_EQ(table.players(0).handle(), "ana");
  NAVAL_ASSERT_OK_AND_ASSIGN(const absl::Time expire_time,
                             wire::FromProto(table.expire_time(), "expire_time"));
  EXPECT_EQ(expire_time, lobby_.clock().Now() + absl::Minutes(10));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto page, lobby_.ListTables(guest_));
  EXPECT_THAT(IdsOn(page), ElementsAre(table.table_id()));

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table joined, lobby_.JoinById(eva_, table.table_id()));
  EXPECT_EQ(joined.state(), v1::TABLE_STATE_PLAYING);
  EXPECT_FALSE(joined.has_expire_time());
  ASSERT_THAT(joined.players(), SizeIs(2));
  EXPECT_EQ(joined.players(1).handle(), "eva");
  ASSERT_THAT(lobby_.match().Requests(), SizeIs(1));
  const match::v1::CreateMatchRequest request = lobby_.match().Requests()[0];
  EXPECT_EQ(request.match_id(), joined.match_id());
  EXPECT_EQ(request.table_id(), joined.table_id());
  EXPECT_EQ(request.rules().rule_set(), "tablu");
  EXPECT_EQ(request.players(0).account_id(), ana_.account().account_id());
  EXPECT_EQ(request.players(1).account_id(), eva_.account().account_id());
  EXPECT_EQ(request.players(1).handle(), "eva");
  EXPECT_TRUE(request.rated());
  EXPECT_TRUE(request.spectators_allowed());
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto after, lobby_.ListTables(guest_));
  EXPECT_THAT(IdsOn(after), IsEmpty());
  EXPECT_THAT(lobby_.GetTable(guest_, table.table_id()), IsOk());
}

// rule: T-20
TEST_F(LobbyServiceTest, ReachesAPrivateTableByItsCodeOnly) {
  v1::CreateTableRequest request = lobby_.PrivateTable();
  request.set_rated(false);
  request.mutable_rules()->set_one_shot_per_turn(true);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, request));
  const std::string& table_id = created.table().table_id();
  EXPECT_THAT(created.join_code(), SizeIs(22));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto page, lobby_.ListTables(eva_));
  EXPECT_THAT(IdsOn(page), IsEmpty());
  EXPECT_THAT(lobby_.GetTable(ana_, table_id), IsOk());

  const absl::Status unknown = lobby_.GetTable(eva_, lobby_.NewId()).status();
  EXPECT_THAT(unknown, StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(unknown, HasReason("TABLE_NOT_FOUND"));
  EXPECT_EQ(lobby_.GetTable(eva_, table_id).status(), unknown);
  EXPECT_EQ(lobby_.JoinById(eva_, table_id).status(), unknown);
  EXPECT_EQ(lobby_.JoinByCode(eva_, std::string(22, 'A')).status(), unknown);
  EXPECT_EQ(lobby_.Leave(eva_, table_id), unknown);

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table joined, lobby_.JoinByCode(eva_, created.join_code()));
  EXPECT_EQ(joined.state(), v1::TABLE_STATE_PLAYING);
  const match::v1::CreateMatchRequest started = lobby_.match().Requests()[0];
  EXPECT_FALSE(started.rated());
  EXPECT_FALSE(started.spectators_allowed());
  EXPECT_TRUE(started.rules().one_shot_per_turn());
  EXPECT_THAT(lobby_.GetTable(eva_, table_id), IsOk());
  EXPECT_THAT(lobby_.GetTable(guest_, table_id), HasReason("TABLE_NOT_FOUND"));
}

TEST_F(LobbyServiceTest, StoresNoJoinCode) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PrivateTable()));
  const auto found = lobby_.pool().Transact([&](postgres::Transaction& tx) {
    return tx.Execute("SELECT FROM lobby.game_table t WHERE position($1 IN t::text) > 0",
                      {created.join_code()});
  });
  ASSERT_THAT(found, IsOk());
  EXPECT_EQ(found->size(), 0);
}

// rule: T-21
TEST_F(LobbyServiceTest, StartsAnUnratedMatchAtOnceAgainstABot) {
  v1::CreateTableRequest request = lobby_.BotTable();
  request.mutable_rules()->set_untimed(true);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, request));
  const v1::Table& table = created.table();
  EXPECT_EQ(table.state(), v1::TABLE_STATE_PLAYING);
  EXPECT_FALSE(table.rated());
  ASSERT_THAT(table.players(), SizeIs(2));
  EXPECT_EQ(table.players(1).bot(), "jota");
  const match::v1::CreateMatchRequest started = lobby_.match().Requests()[0];
  EXPECT_EQ(started.match_id(), table.match_id());
  EXPECT_EQ(started.players(1).bot(), "jota");
  EXPECT_EQ(started.players(1).account_id(), "");
  EXPECT_FALSE(started.rated());
  EXPECT_FALSE(started.spectators_allowed());
  EXPECT_TRUE(started.rules().untimed());
  EXPECT_THAT(lobby_.GetTable(eva_, table.table_id()), HasReason("TABLE_NOT_FOUND"));
  EXPECT_THAT(lobby_.JoinById(eva_, table.table_id()), HasReason("TABLE_NOT_FOUND"));

  v1::CreateTableRequest rated = lobby_.BotTable();
  rated.set_rated(true);
  EXPECT_THAT(lobby_.CreateTable(ana_, rated), HasReason("RATED_NOT_ALLOWED"));
}

// rule: T-22
TEST_F(LobbyServiceTest, LetsGuestsPlayBotsAndNobodyElse) {
  EXPECT_THAT(lobby_.CreateTable(guest_, lobby_.BotTable()), IsOk());
  for (const v1::CreateTableRequest& request : {lobby_.PublicTable(), lobby_.PrivateTable()}) {
    const auto refused = lobby_.CreateTable(guest_, request);
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kPermissionDenied));
    EXPECT_THAT(refused, HasReason("GUEST_NOT_ALLOWED"));
  }
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto open, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto hidden, lobby_.CreateTable(ana_, lobby_.PrivateTable()));
  EXPECT_THAT(lobby_.JoinById(guest_, open.table().table_id()), HasReason("GUEST_NOT_ALLOWED"));
  EXPECT_THAT(lobby_.JoinByCode(guest_, hidden.join_code()), HasReason("GUEST_NOT_ALLOWED"));

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session registered,
                             lobby_.Register(lobby_.NewRegistration("leo"), guest_.access_token()));
  EXPECT_THAT(lobby_.JoinById(registered, open.table().table_id()), IsOk());
}

TEST_F(LobbyServiceTest, AsksEveryCallerForAToken) {
  const v1::Session nobody;
  EXPECT_THAT(lobby_.ListRuleSets(nobody), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(lobby_.CreateTable(nobody, lobby_.PublicTable()), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(lobby_.GetTable(nobody, lobby_.NewId()), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(lobby_.ListTables(nobody), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(lobby_.JoinById(nobody, lobby_.NewId()), HasReason("TOKEN_MISSING"));
  EXPECT_THAT(lobby_.Leave(nobody, lobby_.NewId()), HasReason("TOKEN_MISSING"));
}

TEST_F(LobbyServiceTest, NamesTheFieldThatIsWrongInANewTable) {
  struct Case {
    std::function<void(v1::CreateTableRequest&)> spoil;
    std::string reason;
    std::string field;
  };
  const std::vector<Case> cases = {
      {[](auto& r) { r.set_request_id("1"); }, "INVALID_REQUEST_ID", "request_id"},
      {[](auto& r) { r.clear_rules(); }, "UNKNOWN_RULE_SET", "rules.rule_set"},
      {[](auto& r) { r.mutable_rules()->set_rule_set("go"); }, "UNKNOWN_RULE_SET",
       "rules.rule_set"},
      {[](auto& r) { r.mutable_rules()->set_untimed(true); }, "OPTION_NOT_OFFERED",
       "rules.untimed"},
      {[](auto& r) { r.clear_kind(); }, "INVALID_TABLE_KIND", "kind"},
      {[](auto& r) { r.set_kind(static_cast<v1::TableKind>(9)); }, "INVALID_TABLE_KIND", "kind"},
      {[](auto& r) { r.set_rated(false); }, "RATED_REQUIRED", "rated"},
      {[](auto& r) { r.set_bot("jota"); }, "BOT_NOT_ALLOWED", "bot"},
      {[](auto& r) { r.set_kind(v1::TABLE_KIND_BOT); }, "RATED_NOT_ALLOWED", "rated"},
      {[](auto& r) {
         r.set_kind(v1::TABLE_KIND_BOT);
         r.set_rated(false);
         r.set_bot("hal");
       },
       "UNKNOWN_BOT", "bot"},
  };
  for (const Case& c : cases) {
    v1::CreateTableRequest request = lobby_.PublicTable();
    c.spoil(request);
    const absl::Status status = lobby_.CreateTable(ana_, request).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasReason(c.reason));
    EXPECT_THAT(base::FieldViolationsOf(status),
                ElementsAre(Field(&base::FieldViolation::field, c.field)));
  }
  EXPECT_THAT(lobby_.GetTable(ana_, "x"), HasReason("INVALID_TABLE_ID"));
  EXPECT_THAT(lobby_.JoinById(ana_, "x"), HasReason("INVALID_TABLE_ID"));
  EXPECT_THAT(lobby_.Leave(ana_, "x"), HasReason("INVALID_TABLE_ID"));
  EXPECT_THAT(lobby_.Join(ana_, v1::JoinTableRequest()), HasReason("TABLE_MISSING"));
}

TEST_F(LobbyServiceTest, FindsTheTableOfARepeatedRequestAndRenewsItsCode) {
  const v1::CreateTableRequest request = lobby_.PrivateTable();
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto first, lobby_.CreateTable(ana_, request));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto again, lobby_.CreateTable(ana_, request));
  EXPECT_EQ(again.table().table_id(), first.table().table_id());
  EXPECT_NE(again.join_code(), first.join_code());
  EXPECT_THAT(lobby_.JoinByCode(eva_, first.join_code()), HasReason("TABLE_NOT_FOUND"));
  EXPECT_THAT(lobby_.JoinByCode(eva_, again.join_code()), IsOk());

  // The code that was used must go on working for who joins again.
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto late, lobby_.CreateTable(ana_, request));
  EXPECT_EQ(late.table().state(), v1::TABLE_STATE_PLAYING);
  EXPECT_EQ(late.join_code(), "");
  EXPECT_THAT(lobby_.JoinByCode(eva_, again.join_code()), IsOk());
  // The same id of another account is another request.
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto other, lobby_.CreateTable(eva_, request));
  EXPECT_NE(other.table().table_id(), first.table().table_id());
}

TEST_F(LobbyServiceTest, RefusesARequestIdWithAnotherContent) {
  const v1::CreateTableRequest request = lobby_.PrivateTable();
  ASSERT_THAT(lobby_.CreateTable(ana_, request), IsOk());
  const std::vector<std::function<void(v1::CreateTableRequest&)>> changes = {
      [](auto& r) { r.set_kind(v1::TABLE_KIND_PUBLIC); },
      [](auto& r) { r.set_rated(false); },
      [](auto& r) { r.mutable_rules()->set_one_shot_per_turn(true); },
      [](auto& r) {
        r.set_kind(v1::TABLE_KIND_BOT);
        r.set_rated(false);
        r.set_bot("jota");
      },
  };
  for (const auto& change : changes) {
    v1::CreateTableRequest other = request;
    change(other);
    const auto refused = lobby_.CreateTable(ana_, other);
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(refused, HasReason("REQUEST_ID_REUSED"));
  }
}

TEST_F(LobbyServiceTest, SeatsTwoAndNoThird) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session leo, lobby_.Register("leo"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PrivateTable()));
  const auto own = lobby_.JoinByCode(ana_, created.join_code());
  EXPECT_THAT(own, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(own, HasReason("OWN_TABLE"));
  EXPECT_THAT(lobby_.JoinById(ana_, created.table().table_id()), HasReason("OWN_TABLE"));

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table joined, lobby_.JoinByCode(eva_, created.join_code()));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table again, lobby_.JoinByCode(eva_, created.join_code()));
  EXPECT_EQ(again.SerializeAsString(), joined.SerializeAsString());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table by_id, lobby_.JoinById(eva_, joined.table_id()));
  EXPECT_EQ(by_id.SerializeAsString(), joined.SerializeAsString());
  EXPECT_THAT(lobby_.match().Requests(), SizeIs(1));

  const auto third = lobby_.JoinByCode(leo, created.join_code());
  EXPECT_THAT(third, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(third, HasReason("TABLE_FULL"));
  EXPECT_THAT(lobby_.JoinById(leo, joined.table_id()), HasReason("TABLE_NOT_FOUND"));
}

TEST_F(LobbyServiceTest, SeatsOneOfAHundredWhoJoinAtOnce) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  std::vector<std::function<absl::Status()>> calls;
  for (int i = 0; i < 100; ++i) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session joiner,
                               lobby_.Register("joiner" + std::to_string(i)));
    calls.push_back(
        [&, joiner] { return lobby_.JoinById(joiner, created.table().table_id()).status(); });
  }
  EXPECT_EQ(CountSuccesses(calls, "TABLE_FULL"), 1);
  EXPECT_THAT(lobby_.match().Requests(), SizeIs(1));
}

TEST_F(LobbyServiceTest, ClosesWhenItsCreatorLeaves) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  const std::string& table_id = created.table().table_id();
  EXPECT_THAT(lobby_.Leave(eva_, table_id), HasReason("TABLE_NOT_FOUND"));
  EXPECT_THAT(lobby_.Leave(ana_, table_id), IsOk());
  EXPECT_THAT(lobby_.Leave(ana_, table_id), IsOk());
  EXPECT_THAT(lobby_.JoinById(eva_, table_id), HasReason("TABLE_NOT_FOUND"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table table, lobby_.GetTable(ana_, table_id));
  EXPECT_EQ(table.state(), v1::TABLE_STATE_CLOSED);
}

TEST_F(LobbyServiceTest, CannotBeLeftOnceTheMatchStarted) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  ASSERT_THAT(lobby_.JoinById(eva_, created.table().table_id()), IsOk());
  for (const v1::Session& player : {ana_, eva_}) {
    const absl::Status refused = lobby_.Leave(player, created.table().table_id());
    EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(refused, HasReason("MATCH_STARTED"));
  }
}

TEST_F(LobbyServiceTest, EitherLeavesOrIsJoinedButNeverBoth) {
  for (int round = 0; round < 20; ++round) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
    const std::string& table_id = created.table().table_id();
    absl::Status left;
    std::thread leaver([&] { left = lobby_.Leave(ana_, table_id); });
    const absl::Status joined = lobby_.JoinById(eva_, table_id).status();
    leaver.join();
    if (left.ok()) {
      EXPECT_THAT(joined, HasReason("TABLE_NOT_FOUND"));
    } else {
      EXPECT_THAT(left, HasReason("MATCH_STARTED"));
      ASSERT_THAT(joined, IsOk());
      NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table table, lobby_.GetTable(ana_, table_id));
      v1::RecordMatchChangeRequest over;
      over.set_match_id(table.match_id());
      over.set_table_id(table_id);
      over.set_version(1);
      over.set_phase(match::v1::PHASE_OVER);
      over.mutable_result()->set_reason(match::v1::END_REASON_RESIGNED);
      over.mutable_change_time()->set_seconds(1'800'000'000);
      ASSERT_THAT(lobby_.RecordMatchChange(over), IsOk());
    }
  }
}

TEST_F(LobbyServiceTest, ClosesByItselfAfterTenMinutes) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, lobby_.PublicTable()));
  const std::string& table_id = created.table().table_id();
  const auto stored_state = [&] {
    const auto state =
        lobby_.pool().Transact([&](postgres::Transaction& tx) -> absl::StatusOr<std::string> {
          const auto rows =
              tx.Execute("SELECT state FROM lobby.game_table WHERE table_id = $1", {table_id});
          if (!rows.ok()) return rows.status();
          return rows->empty() ? "deleted" : (*rows)[0].Get<std::string>("state");
        });
    return state.value_or("unknown");
  };
  lobby_.clock().Advance(absl::Minutes(10) - absl::Milliseconds(1));
  EXPECT_EQ(stored_state(), "open");
  lobby_.clock().Advance(absl::Milliseconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Table table, lobby_.GetTable(ana_, table_id));
  EXPECT_EQ(table.state(), v1::TABLE_STATE_CLOSED);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto page, lobby_.ListTables(ana_));
  EXPECT_THAT(IdsOn(page), IsEmpty());
  EXPECT_THAT(lobby_.JoinById(eva_, table_id), HasReason("TABLE_NOT_FOUND"));
  EXPECT_THAT(lobby_.Leave(ana_, table_id), IsOk());
  EXPECT_TRUE(WaitFor([&] {
    lobby_.clock().Advance(absl::Seconds(1));
    return stored_state() == "closed";
  }));
  lobby_.clock().Advance(kClosedTableLifetime);
  EXPECT_TRUE(WaitFor([&] {
    lobby_.clock().Advance(absl::Seconds(1));
    return stored_state() == "deleted";
  }));
}

TEST_F(LobbyServiceTest, SeatsAnAccountAtFiveTablesAtMost) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto of_eva, lobby_.CreateTable(eva_, lobby_.PublicTable()));
  std::vector<std::string> ids;
  const v1::CreateTableRequest last = lobby_.PublicTable();
  for (const v1::CreateTableRequest& request :
       {lobby_.PublicTable(), lobby_.PrivateTable(), lobby_.BotTable(), lobby_.BotTable(), last}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto created, lobby_.CreateTable(ana_, request));
    ids.push_back(created.table().table_id());
  }
  const auto sixth = lobby_.CreateTable(ana_, lobby_.BotTable());
  EXPECT_THAT(sixth, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(sixth, HasReason("TOO_MANY_TABLES"));
  EXPECT_THAT(lobby_.JoinById(ana_, of_eva.table().table_id()), HasReason("TOO_MANY_TABLES"));
  EXPECT_THAT(lobby_.CreateTable(ana_, last), IsOk());

  EXPECT_THAT(lobby_.Leave(ana_, ids[0]), IsOk());
  EXPECT_THAT(lobby_.JoinById(ana_, of_eva.table().table_id()), IsOk());
  EXPECT_THAT(lobby_.CreateTable(ana_, lobby_.BotTable()), HasReason("TOO_MANY_TABLES"));
  // Two of the five are open and end by themselves, before any sweep.
  lobby_.clock().Advance(absl::Minutes(10));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Session later, lobby_.LogIn("ana", kGoodPassword));
  EXPECT_THAT(lobby_.CreateTable(later, lobby_.BotTable()), IsOk());
  EXPECT_THAT(lobby_.CreateTable(later, lobby_.BotTable()), IsOk());
  EXPECT_THAT(lobby_.CreateTable(later, lobby_.BotTable()), HasReason("TOO_MANY_TABLES"));
}

TEST_F(LobbyServiceTest, KeepsTheLimitAgainstTwentyCallsAtOnce) {
  std::vector<std::function<absl::Status()>> calls;
  for (int i = 0; i < 20; ++i) {
    const v1::CreateTableRequest request = i % 2 == 0 ? lobby_.PublicTable() : lobby_.BotTable();
    calls.push_back([=, this] { return lobby_.CreateTable(ana_, request).status(); });
  }
  EXPECT_EQ(CountSuccesses(calls, "TOO_MANY_TABLES"), kMaxTablesPerAccount);
}

TEST_F(LobbyServiceTest, PagesThroughTheOpenTablesNewestFirst) {
  std::vector<std::string> newest_first;
  for (int i = 0; i < 7; ++i) {
    lobby_.clock().Advance(absl::Milliseconds(1));
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto created,
                               lobby_.CreateTable(i < 4 ? ana_ : eva_, lobby_.PublicTable()));
    newest_first.insert(newest_first.begin(), created.table().table_id());
  }
  ASSERT_THAT(lobby_.CreateTable(eva_, lobby_.PrivateTable()), IsOk());
  std::vector<std::string> seen;
  std::string page_token;
  for (const size_t expected : {3, 3, 1}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto page, lobby_.ListTables(guest_, 3, page_token));
    EXPECT_THAT(page.tables(), SizeIs(expected));
    for (const std::string& id : IdsOn(page)) seen.push_back(id);
    page_token = page.next_page_token();
    // What is opened meanwhile shifts nothing.
    lobby_.clock().Advance(absl::Milliseconds(1));
    if (seen.size() == 3) {
      ASSERT_THAT(lobby_.CreateTable(ana_, lobby_.PublicTable()), IsOk());
    }
  }
  EXPECT_EQ(page_token, "");
  EXPECT_EQ(seen, newest_first);

  NAVAL_ASSERT_OK_AND_ASSIGN(const auto whole, lobby_.ListTables(guest_, 8));
  EXPECT_EQ(whole.next_page_token(), "");
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto coerced, lobby_.ListTables(guest_, 1'000'000));
  EXPECT_THAT(coerced.tables(), SizeIs(8));
  EXPECT_THAT(lobby_.ListTables(guest_, -1), HasReason("INVALID_PAGE_SIZE"));
  EXPECT_THAT(lobby_.ListTables(guest_, 3, "nonsense"), HasReason("PAGE_TOKEN_INVALID"));
}

}  // namespace
}  // namespace naval::lobby
