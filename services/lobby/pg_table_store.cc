#include "services/lobby/pg_table_store.h"

#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/auth/opaque_token.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/transaction.h"
#include "services/lobby/pg_account.h"
#include "services/lobby/pg_batches.h"

namespace naval::lobby {
namespace {

using postgres::Bytes;
using postgres::Row;
using postgres::Rows;
using postgres::Transaction;

// As they stand in the database, in the order of the enums.
constexpr std::array<absl::string_view, 5> kStates = {"open", "starting", "playing", "ended",
                                                      "closed"};
constexpr std::array<absl::string_view, 3> kKinds = {"public", "private", "bot"};
constexpr std::array<absl::string_view, 3> kPaces = {"live", "slow", "correspondence"};

Bytes HashOf(const base::Secret& join_code) { return Bytes{auth::HashToken(join_code.Reveal())}; }

// The check constraints of the schema let no other word in.
template <typename Enum, size_t size>
Enum ParseName(const std::array<absl::string_view, size>& names, absl::string_view name) {
  size_t index = 0;
  while (index + 1 < size && names[index] != name) ++index;
  return static_cast<Enum>(index);
}

template <typename Enum, size_t size>
absl::string_view NameIn(const std::array<absl::string_view, size>& names, Enum value) {
  return names[static_cast<size_t>(value)];
}

// The usual pace of the rule set stands as NULL.
std::optional<rules::Pace> ReadPace(const Row& row) {
  const auto pace = row.Get<std::optional<std::string>>("pace");
  if (!pace) return std::nullopt;
  return ParseName<rules::Pace>(kPaces, *pace);
}

std::optional<std::string> PaceName(const rules::RulesChoice& rules) {
  if (!rules.pace) return std::nullopt;
  return std::string(NameIn(kPaces, *rules.pace));
}

std::optional<Player> ReadRival(const Row& row) {
  const auto account_id = row.Get<std::optional<std::string>>("rival_id");
  if (!account_id) return std::nullopt;
  return Player{.account_id = *account_id, .handle = row.Get<std::string>("rival_handle")};
}

// All that ReadTable needs. A macro, for only literals join into one statement.
#define NAVAL_SELECT_TABLES                                                                \
  "SELECT table_id, kind, state, creator_id, creator_handle, rival_id, rival_handle, bot," \
  " rule_set, one_shot_per_turn, untimed, fleet_b, volley, pace, rated, match_id,"         \
  " awaits_first, awaits_second, deadline, create_time, expire_time"                       \
  " FROM lobby.seated_table"

Table ReadTable(const Row& row) {
  return {.table_id = row.Get<std::string>("table_id"),
          .kind = ParseName<TableKind>(kKinds, row.Get<std::string>("kind")),
          .state = ParseName<TableState>(kStates, row.Get<std::string>("state")),
          .creator = {.account_id = row.Get<std::string>("creator_id"),
                      .handle = row.Get<std::string>("creator_handle")},
          .rival = ReadRival(row),
          .bot = row.Get<std::optional<std::string>>("bot"),
          .rules = {.rule_set = row.Get<std::string>("rule_set"),
                    .one_shot_per_turn = row.Get<bool>("one_shot_per_turn"),
                    .untimed = row.Get<bool>("untimed"),
                    .fleet_b = row.Get<bool>("fleet_b"),
                    .volley = row.Get<bool>("volley"),
                    .pace = ReadPace(row)},
          .rated = row.Get<bool>("rated"),
          .match_id = row.Get<std::optional<std::string>>("match_id"),
          .awaited = {.of_first = row.Get<bool>("awaits_first"),
                      .of_second = row.Get<bool>("awaits_second"),
                      .deadline = row.Get<std::optional<absl::Time>>("deadline")},
          .create_time = row.Get<absl::Time>("create_time"),
          .expire_time = row.Get<std::optional<absl::Time>>("expire_time")};
}

std::vector<Table> ReadTables(const Rows& rows) {
  std::vector<Table> tables;
  tables.reserve(rows.size());
  for (const Row& row : rows) tables.push_back(ReadTable(row));
  return tables;
}

// The table in `rows`, if there is one. The sweep comes now and then only: a table whose time is
// over is closed from that moment on.
std::optional<Table> ReadOne(const Rows& rows, absl::Time now) {
  if (rows.empty()) return std::nullopt;
  Table table = ReadTable(rows[0]);
  if (table.state == TableState::kOpen && *table.expire_time <= now) {
    table.state = TableState::kClosed;
  }
  return table;
}

absl::StatusOr<std::optional<Table>> FindById(Transaction& tx, const std::string& table_id,
                                              absl::Time now) {
  NAVAL_ASSIGN_OR_RETURN(const Rows rows,
                         tx.Execute(NAVAL_SELECT_TABLES " WHERE table_id = $1", {table_id}));
  return ReadOne(rows, now);
}

absl::StatusOr<std::optional<Table>> FindByJoinCode(Transaction& tx, const base::Secret& join_code,
                                                    absl::Time now) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows rows,
      tx.Execute(NAVAL_SELECT_TABLES " WHERE join_code_hash = $1", {HashOf(join_code)}));
  return ReadOne(rows, now);
}

absl::StatusOr<std::optional<Table>> FindByRequest(Transaction& tx, const NewTable& request) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows rows,
      tx.Execute(NAVAL_SELECT_TABLES " WHERE creator_id = $1 AND create_request_id = $2",
                 {request.creator_id, request.request_id}));
  return ReadOne(rows, request.create_time);
}

absl::Status TableNotFound() {
  return base::Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND",
                     "there is no such table, or no more, or it is not yours to see");
}

// The table with this id as it is after a change. Whether its time is over does not matter: it was
// open just now, or it is open no more.
absl::StatusOr<Table> ReadBack(Transaction& tx, const std::string& table_id) {
  NAVAL_ASSIGN_OR_RETURN(std::optional<Table> table, FindById(tx, table_id, absl::InfinitePast()));
  if (!table) return TableNotFound();
  return *std::move(table);
}

absl::Status GuestNotAllowed() {
  return base::Error(absl::StatusCode::kPermissionDenied, "GUEST_NOT_ALLOWED",
                     "guests play against bots only: register to play with people");
}

// Requires that the account is locked.
absl::Status CheckTableLimit(Transaction& tx, const std::string& account_id, absl::Time now) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows rows,
      tx.Execute("SELECT count(*) AS tables FROM lobby.game_table "
                 "WHERE (creator_id = $1 AND state IN ('open', 'starting', 'playing') "
                 "OR rival_id = $1 AND state IN ('starting', 'playing')) "
                 "AND NOT (state = 'open' AND expire_time <= $2)",
                 {account_id, now}));
  if (rows[0].Get<int64_t>("tables") < kMaxTablesPerAccount) return absl::OkStatus();
  return base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_TABLES",
                     absl::StrCat("an account sits at ", kMaxTablesPerAccount,
                                  " open or playing tables at most: leave one, or end a match"),
                     {{"limit", absl::StrCat(kMaxTablesPerAccount)}});
}

bool HasContentOf(const Table& table, const NewTable& request) {
  return table.kind == request.kind && table.rules == request.rules &&
         table.rated == request.rated && table.bot == request.bot;
}

std::optional<Bytes> JoinCodeHash(const NewTable& table) {
  if (!table.join_code) return std::nullopt;
  return HashOf(*table.join_code);
}

absl::StatusOr<CreatedTable> RepeatCreate(Transaction& tx, Table table, const NewTable& request) {
  if (!HasContentOf(table, request)) {
    return base::InvalidField("REQUEST_ID_REUSED", "request_id",
                              "was used for another table: make a new one for each");
  }
  const bool renew = table.kind == TableKind::kPrivate && table.state == TableState::kOpen;
  if (!renew) return CreatedTable{.table = std::move(table), .join_code_valid = false};
  NAVAL_ASSIGN_OR_RETURN(const Rows renewed,
                         tx.Execute("UPDATE lobby.game_table SET join_code_hash = $2 "
                                    "WHERE table_id = $1 AND state = 'open'",
                                    {table.table_id, JoinCodeHash(request)}));
  if (renewed.affected() == 1)
    return CreatedTable{.table = std::move(table), .join_code_valid = true};
  // It was joined at this very moment.
  NAVAL_ASSIGN_OR_RETURN(table, ReadBack(tx, table.table_id));
  return CreatedTable{.table = std::move(table), .join_code_valid = false};
}

absl::Status InsertTable(Transaction& tx, const NewTable& table) {
  const bool starts = table.kind == TableKind::kBot;
  std::optional<absl::Time> expire_time;
  std::optional<absl::Time> start_due_time;
  if (starts) {
    start_due_time = table.create_time + kFirstStartRetryDelay;
  } else {
    expire_time = table.create_time + kOpenTableLifetime;
  }
  return tx
      .Execute(
          "INSERT INTO lobby.game_table (table_id, kind, state, creator_id, bot, rule_set, "
          "one_shot_per_turn, untimed, rated, join_code_hash, match_id, create_request_id, "
          "create_time, expire_time, start_due_time, fleet_b, volley, pace) "
          "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, "
          "$18)",
          {table.table_id, NameIn(kKinds, table.kind),
           NameIn(kStates, starts ? TableState::kStarting : TableState::kOpen), table.creator_id,
           table.bot, table.rules.rule_set, table.rules.one_shot_per_turn, table.rules.untimed,
           table.rated, JoinCodeHash(table), table.match_id, table.request_id, table.create_time,
           expire_time, start_due_time, table.rules.fleet_b, table.rules.volley,
           PaceName(table.rules)})
      .status();
}

absl::StatusOr<std::optional<Table>> FindReferenced(Transaction& tx,
                                                    const TableReference& reference,
                                                    absl::Time now) {
  if (const auto* by_id = std::get_if<TableId>(&reference)) {
    return FindById(tx, by_id->table_id, now);
  }
  return FindByJoinCode(tx, std::get<JoinCode>(reference).code, now);
}

// Whether the account may take the table's free seat. Requires that it does not sit in the rival's
// already.
absl::Status CheckJoinable(const Table& table, const TableReference& reference,
                           const std::string& account_id) {
  const bool found_by_id = std::holds_alternative<TableId>(reference);
  const bool own = table.creator.account_id == account_id;
  if (table.state == TableState::kClosed) return TableNotFound();
  if (found_by_id && table.kind != TableKind::kPublic && !own) return TableNotFound();
  if (own) {
    return base::Error(absl::StatusCode::kFailedPrecondition, "OWN_TABLE",
                       "this is your own table: somebody else must join it");
  }
  if (table.state != TableState::kOpen) {
    return base::Error(absl::StatusCode::kFailedPrecondition, "TABLE_FULL",
                       "another player took the seat: find another table");
  }
  return absl::OkStatus();
}

bool IsRival(const Table& table, const std::string& account_id) {
  return table.rival && table.rival->account_id == account_id;
}

// The compare-and-set that decides between joiners. Returns whether this one won.
absl::StatusOr<bool> TakeSeat(Transaction& tx, const std::string& table_id, const Joiner& joiner) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows taken,
      tx.Execute("UPDATE lobby.game_table "
                 "SET state = 'starting', rival_id = $2, match_id = $3, start_due_time = $5 "
                 "WHERE table_id = $1 AND state = 'open' AND expire_time > $4",
                 {table_id, joiner.account_id, joiner.match_id, joiner.time,
                  joiner.time + kFirstStartRetryDelay}));
  return taken.affected() == 1;
}

}  // namespace

absl::StatusOr<CreatedTable> PgTableStore::Create(const NewTable& table) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<CreatedTable> {
    NAVAL_ASSIGN_OR_RETURN(const Credentials creator, LockAccount(tx, table.creator_id));
    NAVAL_ASSIGN_OR_RETURN(std::optional<Table> standing, FindByRequest(tx, table));
    if (standing) return RepeatCreate(tx, *std::move(standing), table);
    if (creator.account.guest && table.kind != TableKind::kBot) return GuestNotAllowed();
    NAVAL_RETURN_IF_ERROR(CheckTableLimit(tx, table.creator_id, table.create_time));
    NAVAL_RETURN_IF_ERROR(InsertTable(tx, table));
    NAVAL_ASSIGN_OR_RETURN(Table created, ReadBack(tx, table.table_id));
    return CreatedTable{.table = std::move(created),
                        .join_code_valid = table.join_code.has_value()};
  });
}

absl::StatusOr<Table> PgTableStore::Find(const std::string& table_id, const std::string& account_id,
                                         absl::Time now) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<Table> {
    NAVAL_ASSIGN_OR_RETURN(std::optional<Table> table, FindById(tx, table_id, now));
    if (!table) return TableNotFound();
    if (table->kind != TableKind::kPublic && !SitsAt(*table, account_id)) return TableNotFound();
    return *std::move(table);
  });
}

absl::StatusOr<std::vector<Table>> PgTableStore::ListOpen(
    const std::optional<std::string>& after_id, int limit, absl::Time now) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<Table>> {
    NAVAL_ASSIGN_OR_RETURN(
        const Rows rows,
        tx.Execute(NAVAL_SELECT_TABLES
                   " WHERE state = 'open' AND kind = 'public' AND expire_time > $1 "
                   "AND ($2::uuid IS NULL OR table_id < $2::uuid) "
                   "ORDER BY table_id DESC LIMIT $3",
                   {now, after_id, limit}));
    return ReadTables(rows);
  });
}

absl::StatusOr<Table> PgTableStore::Join(const TableReference& reference, const Joiner& joiner) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<Table> {
    NAVAL_ASSIGN_OR_RETURN(const Credentials account, LockAccount(tx, joiner.account_id));
    if (account.account.guest) return GuestNotAllowed();
    NAVAL_ASSIGN_OR_RETURN(std::optional<Table> table, FindReferenced(tx, reference, joiner.time));
    if (!table) return TableNotFound();
    if (IsRival(*table, joiner.account_id)) return *std::move(table);
    NAVAL_RETURN_IF_ERROR(CheckJoinable(*table, reference, joiner.account_id));
    NAVAL_RETURN_IF_ERROR(CheckTableLimit(tx, joiner.account_id, joiner.time));
    NAVAL_ASSIGN_OR_RETURN(const bool won, TakeSeat(tx, table->table_id, joiner));
    if (won) return ReadBack(tx, table->table_id);
    // Somebody else joined, or the creator left, since the table was read. What it is now tells
    // which.
    NAVAL_ASSIGN_OR_RETURN(table, FindReferenced(tx, reference, joiner.time));
    if (!table) return TableNotFound();
    NAVAL_RETURN_IF_ERROR(CheckJoinable(*table, reference, joiner.account_id));
    return absl::InternalError("an open table refused a joiner");
  });
}

absl::Status PgTableStore::Leave(const std::string& table_id, const std::string& account_id,
                                 absl::Time now) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("SELECT FROM lobby.game_table WHERE table_id = $1 FOR UPDATE", {table_id})
            .status());
    NAVAL_ASSIGN_OR_RETURN(const std::optional<Table> table, FindById(tx, table_id, now));
    if (!table || !SitsAt(*table, account_id)) return TableNotFound();
    if (table->state == TableState::kClosed) return absl::OkStatus();
    if (table->state != TableState::kOpen) {
      return base::Error(absl::StatusCode::kFailedPrecondition, "MATCH_STARTED",
                         "the match of this table has started: resign it instead");
    }
    return tx
        .Execute(
            "UPDATE lobby.game_table SET state = 'closed' WHERE table_id = $1 AND state = 'open'",
            {table_id})
        .status();
  });
}

absl::StatusOr<std::vector<Table>> PgTableStore::ClaimDueStarts(int limit, absl::Time now) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<Table>> {
    NAVAL_ASSIGN_OR_RETURN(
        const Rows claimed,
        tx.Execute("WITH due AS (SELECT table_id FROM lobby.game_table "
                   "WHERE state = 'starting' AND start_due_time <= $1 "
                   "ORDER BY start_due_time LIMIT $2 FOR UPDATE SKIP LOCKED) "
                   "UPDATE lobby.game_table t SET start_retries = start_retries + 1, "
                   "start_due_time = $1 + make_interval(secs => "
                   "least($3::float8 * power($4::float8, least(start_retries, 100)), $5::float8)) "
                   "FROM due WHERE t.table_id = due.table_id RETURNING t.table_id",
                   {now, limit, absl::ToDoubleSeconds(kStartRetryDelay), kStartRetryGrowth,
                    absl::ToDoubleSeconds(kMaxStartRetryDelay)}));
    std::vector<Table> tables;
    for (const Row& row : claimed) {
      NAVAL_ASSIGN_OR_RETURN(Table table, ReadBack(tx, row.Get<std::string>("table_id")));
      tables.push_back(std::move(table));
    }
    return tables;
  });
}

absl::StatusOr<Table> PgTableStore::MarkPlaying(const Table& table) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<Table> {
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("UPDATE lobby.game_table SET state = 'playing', start_due_time = NULL "
                   "WHERE table_id = $1 AND match_id = $2 AND state = 'starting'",
                   {table.table_id, table.match_id})
            .status());
    return ReadBack(tx, table.table_id);
  });
}

absl::StatusOr<Table> PgTableStore::MarkRefused(const Table& table) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<Table> {
    NAVAL_RETURN_IF_ERROR(tx.Execute("UPDATE lobby.game_table "
                                     "SET state = 'closed', match_id = NULL, start_due_time = NULL "
                                     "WHERE table_id = $1 AND match_id = $2 AND state = 'starting'",
                                     {table.table_id, table.match_id})
                              .status());
    return ReadBack(tx, table.table_id);
  });
}

absl::Status PgTableStore::RecordMatchChange(const MatchChange& change) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    return tx
        .Execute(
            "UPDATE lobby.game_table SET state = CASE WHEN $4 THEN 'ended' ELSE 'playing' END, "
            "match_version = $3, start_due_time = NULL, awaits_first = $5, awaits_second = $6, "
            "deadline = $7 "
            "WHERE table_id = $1 AND match_id = $2 AND match_version < $3 "
            "AND state IN ('starting', 'playing')",
            {change.table_id, change.match_id, change.version, change.over, change.awaited.of_first,
             change.awaited.of_second, change.awaited.deadline})
        .status();
  });
}

absl::Status PgTableStore::CloseExpired(absl::Time now) {
  NAVAL_RETURN_IF_ERROR(ExecuteInBatches(
      pool_,
      "UPDATE lobby.game_table SET state = 'closed' WHERE ctid = ANY(ARRAY(SELECT ctid "
      "FROM lobby.game_table WHERE state = 'open' AND expire_time <= $1 "
      "LIMIT $2 FOR UPDATE SKIP LOCKED))",
      now));
  return ExecuteInBatches(
      pool_,
      "DELETE FROM lobby.game_table WHERE ctid = ANY(ARRAY(SELECT ctid FROM lobby.game_table "
      "WHERE state = 'closed' AND create_time <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))",
      now - kClosedTableLifetime);
}

absl::StatusOr<WaitingTables> PgTableStore::CountWaiting() {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<WaitingTables> {
    // Each count reads an index of the tables in that state alone.
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute(
            "SELECT (SELECT count(*) FROM lobby.game_table WHERE state = 'open') AS open,"
            " (SELECT count(*) FROM lobby.game_table WHERE state = 'starting') AS starting"));
    return WaitingTables{.open = rows[0].Get<int64_t>("open"),
                         .starting = rows[0].Get<int64_t>("starting")};
  });
}

}  // namespace naval::lobby
