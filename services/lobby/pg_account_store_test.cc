#include "services/lobby/pg_account_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/postgres/migrations.h"
#include "naval/lobby/migrations.h"
#include "services/lobby/pg_batches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_database.h"

namespace naval::lobby {
namespace {

using ::naval::testing::IsOk;
using ::testing::ElementsAre;

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// The account that has the number `n`.
std::string AccountId(int n) {
  return absl::StrCat("00000000-0000-7000-8000-", absl::Dec(n, absl::kZeroPad12));
}

class PgAccountStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_THAT(postgres::Migrate(pool_, kSchema), IsOk()); }

  void Execute(absl::string_view sql, std::initializer_list<postgres::Param> params = {}) {
    ASSERT_THAT(
        pool_.Transact([&](postgres::Transaction& tx) { return tx.Execute(sql, params).status(); }),
        IsOk());
  }

  // Makes the guests `first` .. `last`.
  void InsertGuests(int first, int last) {
    Execute(
        "INSERT INTO lobby.account (account_id, handle, create_time) "
        "SELECT ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'guest-' || n, $3 "
        "FROM generate_series($1::int, $2::int) AS n",
        {first, last, kNow});
  }

  // The handles of the accounts there are.
  std::vector<std::string> Handles() {
    std::vector<std::string> handles;
    EXPECT_THAT(pool_.Transact([&](postgres::Transaction& tx) -> absl::Status {
      const auto rows = tx.Execute("SELECT handle FROM lobby.account ORDER BY account_id");
      if (!rows.ok()) return rows.status();
      for (const postgres::Row& row : *rows) handles.push_back(row.Get<std::string>("handle"));
      return absl::OkStatus();
    }),
                IsOk());
    return handles;
  }

  // Lets the sweep walk over all guests; returns how many steps it took.
  int DeleteAllIdleGuests() {
    int steps = 0;
    std::optional<std::string> last;
    do {
      const auto next = store_.DeleteIdleGuests(last);
      EXPECT_THAT(next, IsOk());
      if (!next.ok()) return -1;
      last = *next;
      ++steps;
    } while (last.has_value());
    return steps;
  }

  testing::TestDatabase database_;
  postgres::Pool pool_{database_.PoolOptions("lobby")};
  PgAccountStore store_{pool_};
};

TEST_F(PgAccountStoreTest, DeletesMoreThanOneBatchOfWhatIsOver) {
  const int many = 2 * kSweepBatch + 1;
  InsertGuests(1, many);
  Execute(
      "INSERT INTO lobby.session (session_id, account_id, session_key_hash, refresh_token_hash, "
      "create_time, expire_time) SELECT account_id, account_id, sha256('a'), sha256('b'), $1, $2 "
      "FROM lobby.account",
      {kNow - absl::Hours(1), kNow});
  Execute(
      "INSERT INTO lobby.account_request (request_id_hash, kind, account_id, create_time) "
      "SELECT sha256(handle::bytea), 'create_guest', account_id, $1 FROM lobby.account",
      {kNow - kAccountRequestLifetime});
  // Nobody is deleted who has either.
  EXPECT_EQ(DeleteAllIdleGuests(), 4);
  EXPECT_EQ(Handles().size(), static_cast<size_t>(many));
  ASSERT_THAT(store_.DeleteExpired(kNow), IsOk());
  EXPECT_EQ(DeleteAllIdleGuests(), 4);
  EXPECT_THAT(Handles(), ElementsAre());
}

TEST_F(PgAccountStoreTest, DeletesNoGuestWhoMayComeBackOrWhoPlayed) {
  InsertGuests(1, 5);
  Execute(
      "INSERT INTO lobby.session (session_id, account_id, session_key_hash, refresh_token_hash, "
      "create_time, expire_time) VALUES ($1, $1, sha256('a'), sha256('b'), $2, $3)",
      {AccountId(2), kNow, kNow + absl::Hours(1)});
  Execute(
      "INSERT INTO lobby.account_request (request_id_hash, kind, account_id, create_time) "
      "VALUES (sha256('c'), 'create_guest', $1, $2)",
      {AccountId(3), kNow});
  Execute(
      "INSERT INTO lobby.game_table (table_id, kind, state, creator_id, bot, rule_set, "
      "one_shot_per_turn, untimed, rated, match_id, create_request_id, create_time) "
      "VALUES ($1, 'bot', 'ended', $1, 'jota', 'tablu', false, false, false, $1, $1, $2)",
      {AccountId(4), kNow});
  Execute("UPDATE lobby.account SET handle = 'ana', password_hash = 'x' WHERE account_id = $1",
          {AccountId(5)});
  EXPECT_EQ(DeleteAllIdleGuests(), 2);
  EXPECT_THAT(Handles(), ElementsAre("guest-2", "guest-3", "guest-4", "ana"));
}

}  // namespace
}  // namespace naval::lobby
