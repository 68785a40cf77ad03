#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/secret.h"
#include "services/lobby/lobby_observer.h"
#include "services/lobby/table.h"

namespace naval::lobby {

// How many tables in kOpen, kStarting and kPlaying an account may sit at.
inline constexpr int kMaxTablesPerAccount = 5;

// How long a table waits for a rival.
inline constexpr absl::Duration kOpenTableLifetime = absl::Minutes(10);

// How long after kStarting began the match service is asked again; how long after that the next
// time; how much longer each time from then on; and how long at most. So a table asks again about a
// quarter of the outage after the match service's return: within a second after an outage of a few
// seconds, within ten after any.
inline constexpr absl::Duration kFirstStartRetryDelay = absl::Seconds(1);
inline constexpr absl::Duration kStartRetryDelay = absl::Milliseconds(500);
inline constexpr double kStartRetryGrowth = 1.25;
inline constexpr absl::Duration kMaxStartRetryDelay = absl::Seconds(10);

// How long after it was opened a closed table can still be read.
inline constexpr absl::Duration kClosedTableLifetime = absl::Hours(24);

// A table to be opened, or, against a bot, to be started.
struct NewTable {
  std::string table_id;
  std::string creator_id;
  std::string request_id;
  TableKind kind = TableKind::kPublic;
  rules::RulesChoice rules;
  bool rated = false;
  // For kBot only: the bot, and the id of the match.
  std::optional<std::string> bot;
  std::optional<std::string> match_id;
  // For kPrivate only. Only its hash is stored.
  std::optional<base::Secret> join_code;
  absl::Time create_time;
};

// A table that stands, and whether the join code that was given opens it.
struct CreatedTable {
  Table table;
  bool join_code_valid = false;
};

// How a joiner found the table.
struct TableId {
  std::string table_id;
};
struct JoinCode {
  base::Secret code;
};
using TableReference = std::variant<TableId, JoinCode>;

// Who joins, and the id of the match that starts by it.
struct Joiner {
  std::string account_id;
  std::string match_id;
  absl::Time time;
};

// What the match service tells of a match.
struct MatchChange {
  std::string match_id;
  std::string table_id;
  // From 1, growing with each change.
  int64_t version = 0;
  bool over = false;
  AwaitedMove awaited;
};

// Keeps tables. Every call is one transaction: with an error nothing has changed, but for
// COMMIT_IN_DOUBT. Besides the errors named here each may give those of postgres::Pool::Transact.
// Calls block. Thread safe.
class TableStore {
 public:
  virtual ~TableStore() = default;

  // Stores the table. A repetition (the same creator and request id) finds the table that stands;
  // while that is open and private, the join code of the repetition takes the place of the old one.
  // INVALID_ARGUMENT, reason REQUEST_ID_REUSED, when the request id was used with another content;
  // PERMISSION_DENIED, reason GUEST_NOT_ALLOWED, when the creator is a guest and this is no table
  // against a bot; RESOURCE_EXHAUSTED, reason TOO_MANY_TABLES, at kMaxTablesPerAccount;
  // UNAUTHENTICATED, reason ACCOUNT_UNKNOWN, when there is no such account.
  virtual absl::StatusOr<CreatedTable> Create(const NewTable& table) = 0;

  // The table, or NOT_FOUND, reason TABLE_NOT_FOUND: also when it is not public and `account_id`
  // does not sit there.
  virtual absl::StatusOr<Table> Find(const std::string& table_id, const std::string& account_id,
                                     absl::Time now) = 0;

  // The first `limit` open public tables, newest first; after the table `after_id` if given.
  virtual absl::StatusOr<std::vector<Table>> ListOpen(const std::optional<std::string>& after_id,
                                                      int limit, absl::Time now) = 0;

  // Takes the free seat: kOpen becomes kStarting with the joiner's match id. Who sits in that seat
  // already finds the table as it is.
  //   NOT_FOUND            TABLE_NOT_FOUND  also when closed, and by id when it is not public
  //   FAILED_PRECONDITION  TABLE_FULL, OWN_TABLE
  // and GUEST_NOT_ALLOWED, TOO_MANY_TABLES, ACCOUNT_UNKNOWN as Create.
  virtual absl::StatusOr<Table> Join(const TableReference& reference, const Joiner& joiner) = 0;

  // kOpen becomes kClosed when the creator leaves; leaving a closed table is OK.
  //   NOT_FOUND            TABLE_NOT_FOUND  also when the account does not sit there
  //   FAILED_PRECONDITION  MATCH_STARTED
  virtual absl::Status Leave(const std::string& table_id, const std::string& account_id,
                             absl::Time now) = 0;

  // Up to `limit` tables in kStarting that are due at `now`, the longest waiting first; each is due
  // again after kStartRetryDelay, or longer when it was claimed before. Several lobbies that call
  // at once get different tables.
  virtual absl::StatusOr<std::vector<Table>> ClaimDueStarts(int limit, absl::Time now) = 0;

  // The match exists: kStarting becomes kPlaying. Without effect in another state. Returns the
  // table as it is.
  virtual absl::StatusOr<Table> MarkPlaying(const Table& table) = 0;

  // The match will never exist: kStarting becomes kClosed. Else as MarkPlaying.
  virtual absl::StatusOr<Table> MarkRefused(const Table& table) = 0;

  // kStarting and kPlaying become kPlaying, or kEnded when the match is over. Without effect when
  // the version is not above the last one recorded, and for a table or match that is not known.
  virtual absl::Status RecordMatchChange(const MatchChange& change) = 0;

  // Closes open tables whose time is over, and deletes closed ones that were made
  // kClosedTableLifetime ago, in several transactions.
  virtual absl::Status CloseExpired(absl::Time now) = 0;

  // How many tables of all lobbies are in kOpen and in kStarting.
  virtual absl::StatusOr<WaitingTables> CountWaiting() = 0;
};

}  // namespace naval::lobby
