#include "services/lobby/pg_table_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/postgres/migrations.h"
#include "naval/lobby/migrations.h"
#include "services/lobby/pg_batches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::testing::SizeIs;

constexpr char kAna[] = "018f3f5e-7b5a-7c3d-8a21-000000000001";
constexpr char kEva[] = "018f3f5e-7b5a-7c3d-8a21-000000000002";
const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

class PgTableStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_THAT(postgres::Migrate(pool_, kSchema), IsOk());
    ASSERT_THAT(
        Execute("INSERT INTO lobby.account (account_id, handle, password_hash, create_time) "
                "VALUES ($1, 'ana', 'x', $3), ($2, 'eva', 'x', $3)",
                {kAna, kEva, kNow}),
        IsOk());
  }

  absl::Status Execute(absl::string_view sql, std::initializer_list<postgres::Param> params = {}) {
    return pool_.Transact(
        [&](postgres::Transaction& tx) { return tx.Execute(sql, params).status(); });
  }

  int64_t CountTables(absl::string_view state) {
    const auto count = pool_.Transact([&](postgres::Transaction& tx) -> absl::StatusOr<int64_t> {
      const auto rows =
          tx.Execute("SELECT count(*) AS n FROM lobby.game_table WHERE state = $1", {state});
      if (!rows.ok()) return rows.status();
      return (*rows)[0].Get<int64_t>("n");
    });
    EXPECT_THAT(count, IsOk());
    return count.value_or(-1);
  }

  // An id that sorts after all before it.
  std::string NewId() {
    std::string id = "018f3f5e-7b5a-7c3d-8a21-1000000000";
    return id + std::to_string(10 + ++ids_);
  }

  NewTable TableOf(const std::string& account_id, TableKind kind) {
    NewTable table;
    table.table_id = NewId();
    table.creator_id = account_id;
    table.request_id = NewId();
    table.kind = kind;
    table.rules.rule_set = "tablu";
    table.rated = kind == TableKind::kPublic;
    table.create_time = kNow;
    if (kind == TableKind::kBot) {
      table.bot = "jota";
      table.match_id = NewId();
    }
    if (kind == TableKind::kPrivate) table.join_code = base::Secret("a code");
    return table;
  }

  testing::TestDatabase database_;
  postgres::Pool pool_{database_.PoolOptions("lobby")};
  PgTableStore store_{pool_};
  int ids_ = 0;
};

TEST_F(PgTableStoreTest, LetsNoIllegalStateIntoTheDatabase) {
  const NewTable open = TableOf(kAna, TableKind::kPublic);
  const NewTable hidden = TableOf(kAna, TableKind::kPrivate);
  const NewTable bot = TableOf(kAna, TableKind::kBot);
  for (const NewTable& table : {open, hidden, bot}) ASSERT_THAT(store_.Create(table), IsOk());
  struct Case {
    const NewTable& table;
    const char* sql;
  };
  const std::vector<Case> illegal = {
      {open, "UPDATE lobby.game_table SET state = 'waiting' WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET state = 'playing' WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET rival_id = creator_id WHERE table_id = $1"},
      {open,
       "UPDATE lobby.game_table SET state = 'playing', match_id = table_id, rival_id = creator_id "
       "WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET match_id = table_id WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET start_due_time = create_time WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET match_version = 1 WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET rated = false WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET untimed = true WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET pace = 'usual' WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET expire_time = NULL WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET bot = 'jota' WHERE table_id = $1"},
      {open, "UPDATE lobby.game_table SET kind = 'private' WHERE table_id = $1"},
      {hidden, "UPDATE lobby.game_table SET join_code_hash = 'short' WHERE table_id = $1"},
      {hidden, "UPDATE lobby.game_table SET join_code_hash = NULL WHERE table_id = $1"},
      {bot,
       "UPDATE lobby.game_table SET state = 'open', match_id = NULL, start_due_time = NULL "
       "WHERE table_id = $1"},
      {bot, "UPDATE lobby.game_table SET rated = true WHERE table_id = $1"},
      {bot, "UPDATE lobby.game_table SET bot = NULL WHERE table_id = $1"},
      {bot, "UPDATE lobby.game_table SET match_id = NULL WHERE table_id = $1"},
      {bot, "UPDATE lobby.game_table SET start_due_time = NULL WHERE table_id = $1"},
      {bot, "UPDATE lobby.game_table SET state = 'ended' WHERE table_id = $1"},
  };
  for (const Case& c : illegal) {
    EXPECT_THAT(Execute(c.sql, {c.table.table_id}), HasReason(postgres::kDatabaseError)) << c.sql;
  }
  EXPECT_THAT(Execute("DELETE FROM lobby.account WHERE account_id = $1", {kAna}),
              HasReason(postgres::kDatabaseError));
}

TEST_F(PgTableStoreTest, GivesEachDueTableToOneOfTheLobbiesThatAskAtOnce) {
  for (int i = 0; i < kMaxTablesPerAccount; ++i) {
    ASSERT_THAT(store_.Create(TableOf(kAna, TableKind::kBot)), IsOk());
    ASSERT_THAT(store_.Create(TableOf(kEva, TableKind::kBot)), IsOk());
  }
  const absl::Time due = kNow + kFirstStartRetryDelay;
  EXPECT_THAT(*store_.ClaimDueStarts(64, due - absl::Microseconds(1)), SizeIs(0));
  std::vector<absl::StatusOr<std::vector<Table>>> claims(2);
  std::vector<std::thread> threads;
  for (auto& claim : claims) {
    threads.emplace_back([&] { claim = store_.ClaimDueStarts(5, due); });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> ids;
  for (const auto& claim : claims) {
    ASSERT_THAT(claim, IsOk());
    for (const Table& table : *claim) EXPECT_TRUE(ids.insert(table.table_id).second);
  }
  // Two that ask at once may get less than there is, never the same.
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::vector<Table> rest, store_.ClaimDueStarts(64, due));
  EXPECT_EQ(ids.size() + rest.size(), 10);
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::vector<Table> later,
                             store_.ClaimDueStarts(64, due + kStartRetryDelay));
  EXPECT_THAT(later, SizeIs(10));
}

TEST_F(PgTableStoreTest, AsksForATablesMatchMoreAndMoreSeldom) {
  ASSERT_THAT(store_.Create(TableOf(kAna, TableKind::kBot)), IsOk());
  absl::Time due = kNow + kFirstStartRetryDelay;
  absl::Duration delay = kStartRetryDelay;
  for (int i = 0; i < 120; ++i) {
    EXPECT_THAT(*store_.ClaimDueStarts(64, due - absl::Milliseconds(1)), SizeIs(0)) << i;
    EXPECT_THAT(*store_.ClaimDueStarts(64, due), SizeIs(1)) << i;
    // The database counts in microseconds.
    due += delay + absl::Microseconds(1);
    delay = std::min(delay * kStartRetryGrowth, kMaxStartRetryDelay);
  }
  EXPECT_EQ(delay, kMaxStartRetryDelay);
}

TEST_F(PgTableStoreTest, ClosesAndDeletesMoreThanOneBatch) {
  ASSERT_THAT(
      Execute("INSERT INTO lobby.game_table (table_id, kind, state, creator_id, rule_set, "
              "one_shot_per_turn, untimed, rated, create_request_id, create_time, expire_time) "
              "SELECT gen_random_uuid(), 'public', 'open', $1, 'tablu', false, false, true, "
              "gen_random_uuid(), $2, $3 FROM generate_series(1, $4::int)",
              {kAna, kNow, kNow + kOpenTableLifetime, 2 * kSweepBatch + 1}),
      IsOk());
  ASSERT_THAT(store_.CloseExpired(kNow + kOpenTableLifetime), IsOk());
  EXPECT_EQ(CountTables("closed"), 2 * kSweepBatch + 1);
  ASSERT_THAT(store_.CloseExpired(kNow + kClosedTableLifetime), IsOk());
  EXPECT_EQ(CountTables("closed"), 0);
}

TEST_F(PgTableStoreTest, MarksNothingThatIsNotStarting) {
  const NewTable bot = TableOf(kAna, TableKind::kBot);
  NAVAL_ASSERT_OK_AND_ASSIGN(const CreatedTable created, store_.Create(bot));
  ASSERT_THAT(
      store_.RecordMatchChange(
          {.match_id = *bot.match_id, .table_id = bot.table_id, .version = 3, .over = true}),
      IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const Table playing, store_.MarkPlaying(created.table));
  EXPECT_EQ(playing.state, TableState::kEnded);
  NAVAL_ASSERT_OK_AND_ASSIGN(const Table refused, store_.MarkRefused(created.table));
  EXPECT_EQ(refused.state, TableState::kEnded);
  EXPECT_EQ(refused.match_id, bot.match_id);
}

}  // namespace
}  // namespace naval::lobby
