#include "services/lobby/pg_account_store.h"

#include <utility>

#include "lib/auth/opaque_token.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/transaction.h"
#include "services/lobby/pg_account.h"
#include "services/lobby/pg_batches.h"
#include "services/lobby/refresh_token.h"

namespace naval::lobby {
namespace {

using postgres::Bytes;
using postgres::Row;
using postgres::Rows;
using postgres::Transaction;

const char* NameOf(AccountRequestKind kind) {
  return kind == AccountRequestKind::kRegister ? "register" : "create_guest";
}

Bytes HashOf(absl::string_view token) { return Bytes{auth::HashToken(token)}; }

// Says what a row that was there already means.
absl::Status Explain(const absl::Status& status) {
  if (base::ReasonOf(status) != postgres::kUniqueViolation) return status;
  const std::string constraint = base::MetadataOf(status)["constraint"];
  if (constraint == "account_handle_key_key") {
    return base::Error(absl::StatusCode::kAlreadyExists, "HANDLE_TAKEN",
                       "another account has this handle: choose another one");
  }
  if (constraint == "account_request_pkey") {
    return base::Error(absl::StatusCode::kAborted, "REQUEST_ANSWERED",
                       "another call with this request_id came first: try again");
  }
  return status;
}

absl::Status InsertSession(Transaction& tx, const std::string& account_id,
                           const NewSession& session) {
  return tx
      .Execute(
          "INSERT INTO lobby.session "
          "(session_id, account_id, session_key_hash, refresh_token_hash, create_time, "
          "expire_time) "
          "VALUES ($1, $2, $3, $4, $5, $6)",
          {session.session_id, account_id, HashOf(SessionKeyOf(session.refresh_token).Reveal()),
           HashOf(session.refresh_token.Reveal()), session.create_time,
           session.create_time + kRefreshTokenLifetime})
      .status();
}

// A row of the same id that is not honoured any more makes room.
absl::Status InsertRequest(Transaction& tx, const AccountRequest& request,
                           const std::string& account_id) {
  const Bytes hash = HashOf(request.request_id);
  NAVAL_RETURN_IF_ERROR(
      tx.Execute(
            "DELETE FROM lobby.account_request WHERE request_id_hash = $1 AND create_time <= $2",
            {hash, request.time - kAccountRequestLifetime})
          .status());
  return tx
      .Execute(
          "INSERT INTO lobby.account_request (request_id_hash, kind, account_id, create_time) "
          "VALUES ($1, $2, $3, $4)",
          {hash, NameOf(request.kind), account_id, request.time})
      .status();
}

absl::Status DeleteSession(Transaction& tx, const std::string& session_id) {
  return tx.Execute("DELETE FROM lobby.session WHERE session_id = $1", {session_id}).status();
}

// Ends the sessions of a guest. Returns whether `session_id` was one of them and not over.
absl::StatusOr<bool> DeleteSessions(Transaction& tx, const std::string& account_id,
                                    const std::string& session_id, absl::Time now) {
  NAVAL_ASSIGN_OR_RETURN(const Rows deleted,
                         tx.Execute("DELETE FROM lobby.session WHERE account_id = $1 "
                                    "RETURNING session_id = $2 AND expire_time > $3 AS live",
                                    {account_id, session_id, now}));
  bool live = false;
  for (const Row& row : deleted) live = live || row.Get<bool>("live");
  return live;
}

struct StoredSession {
  Account account;
  Bytes key_hash;
  Bytes token_hash;
  std::optional<Bytes> previous_token_hash;
  std::optional<Bytes> rotate_salt;
  std::optional<absl::Time> rotate_time;
  absl::Time expire_time;
};

absl::StatusOr<std::optional<StoredSession>> LockSession(Transaction& tx,
                                                         const std::string& session_id) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows rows,
      tx.Execute("SELECT account_id, handle, password_hash, session_key_hash, "
                 "refresh_token_hash, previous_token_hash, rotate_salt, rotate_time, expire_time "
                 "FROM lobby.session JOIN lobby.account USING (account_id) "
                 "WHERE session_id = $1 FOR UPDATE OF session",
                 {session_id}));
  if (rows.empty()) return std::nullopt;
  const Row row = rows[0];
  return StoredSession{.account = ReadCredentials(row).account,
                       .key_hash = row.Get<Bytes>("session_key_hash"),
                       .token_hash = row.Get<Bytes>("refresh_token_hash"),
                       .previous_token_hash = row.Get<std::optional<Bytes>>("previous_token_hash"),
                       .rotate_salt = row.Get<std::optional<Bytes>>("rotate_salt"),
                       .rotate_time = row.Get<std::optional<absl::Time>>("rotate_time"),
                       .expire_time = row.Get<absl::Time>("expire_time")};
}

absl::StatusOr<RotatedSession> Exchange(Transaction& tx, const Account& account,
                                        const std::string& session_id,
                                        const base::Secret& refresh_token, const std::string& salt,
                                        absl::Time now) {
  RotatedSession rotated{.account = account,
                         .session_id = session_id,
                         .refresh_token = SuccessorOf(refresh_token, salt),
                         .expire_time = now + kRefreshTokenLifetime};
  NAVAL_RETURN_IF_ERROR(
      tx.Execute("UPDATE lobby.session SET previous_token_hash = refresh_token_hash, "
                 "refresh_token_hash = $2, rotate_salt = $3, rotate_time = $4, expire_time = $5 "
                 "WHERE session_id = $1",
                 {session_id, HashOf(rotated.refresh_token.Reveal()), Bytes{salt}, now,
                  rotated.expire_time})
          .status());
  return rotated;
}

// The last of the next kSweepBatch guests, if there is any.
absl::StatusOr<std::optional<std::string>> LastOfNextGuests(
    Transaction& tx, const std::optional<std::string>& after_id) {
  NAVAL_ASSIGN_OR_RETURN(
      const Rows rows,
      tx.Execute("WITH guest AS (SELECT account_id FROM lobby.account WHERE password_hash IS NULL "
                 "AND ($1::uuid IS NULL OR account_id > $1::uuid) ORDER BY account_id LIMIT $2) "
                 "SELECT account_id FROM guest ORDER BY account_id DESC LIMIT 1",
                 {after_id, kSweepBatch}));
  if (rows.empty()) return std::nullopt;
  return rows[0].Get<std::string>("account_id");
}

absl::StatusOr<Rows> LockIdleGuests(Transaction& tx, const std::optional<std::string>& after_id,
                                    const std::string& last_id) {
  return tx.Execute(
      "SELECT account_id FROM lobby.account WHERE account_id IN (SELECT account_id "
      "FROM lobby.idle_guest WHERE ($1::uuid IS NULL OR account_id > $1::uuid) "
      "AND account_id <= $2::uuid) FOR UPDATE SKIP LOCKED",
      {after_id, last_id});
}

}  // namespace

absl::StatusOr<std::optional<AnsweredRequest>> PgAccountStore::FindRequest(
    absl::string_view request_id, absl::Time now) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::optional<AnsweredRequest>> {
    NAVAL_ASSIGN_OR_RETURN(
        const Rows rows,
        tx.Execute("SELECT kind, account_id, handle, password_hash "
                   "FROM lobby.account_request JOIN lobby.account USING (account_id) "
                   "WHERE request_id_hash = $1 AND account_request.create_time > $2",
                   {HashOf(request_id), now - kAccountRequestLifetime}));
    if (rows.empty()) return std::nullopt;
    const bool registered =
        rows[0].Get<std::string>("kind") == NameOf(AccountRequestKind::kRegister);
    return AnsweredRequest{
        .kind = registered ? AccountRequestKind::kRegister : AccountRequestKind::kCreateGuest,
        .credentials = ReadCredentials(rows[0])};
  });
}

absl::Status PgAccountStore::Create(const AccountRequest& request, const Credentials& credentials,
                                    const NewSession& session) {
  return Explain(pool_.Transact([&](Transaction& tx) -> absl::Status {
    const Account& account = credentials.account;
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("INSERT INTO lobby.account (account_id, handle, password_hash, create_time) "
                   "VALUES ($1, $2, $3, $4)",
                   {account.account_id, account.handle, credentials.password_hash, request.time})
            .status());
    NAVAL_RETURN_IF_ERROR(InsertRequest(tx, request, account.account_id));
    return InsertSession(tx, account.account_id, session);
  }));
}

absl::Status PgAccountStore::Upgrade(const AccountRequest& request, const Credentials& credentials,
                                     const std::string& guest_session_id,
                                     const NewSession& session) {
  return Explain(pool_.Transact([&](Transaction& tx) -> absl::Status {
    const Account& account = credentials.account;
    NAVAL_ASSIGN_OR_RETURN(const Credentials present, LockAccount(tx, account.account_id));
    if (!present.account.guest) {
      return base::Error(absl::StatusCode::kFailedPrecondition, "ALREADY_REGISTERED",
                         "this account is registered: log in instead");
    }
    // An access token outlives its session by minutes: a guest that has logged out stays closed.
    NAVAL_ASSIGN_OR_RETURN(const bool live,
                           DeleteSessions(tx, account.account_id, guest_session_id, request.time));
    if (!live) {
      return base::Error(absl::StatusCode::kUnauthenticated, "SESSION_ENDED",
                         "the session of this token has ended: register without a token");
    }
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("UPDATE lobby.account SET handle = $2, password_hash = $3 WHERE account_id = $1",
                   {account.account_id, account.handle, credentials.password_hash})
            .status());
    NAVAL_RETURN_IF_ERROR(InsertRequest(tx, request, account.account_id));
    return InsertSession(tx, account.account_id, session);
  }));
}

absl::StatusOr<std::optional<Credentials>> PgAccountStore::FindByHandle(absl::string_view handle) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::optional<Credentials>> {
    NAVAL_ASSIGN_OR_RETURN(const Rows rows,
                           tx.Execute("SELECT account_id, handle, password_hash FROM lobby.account "
                                      "WHERE handle_key = lower($1::text COLLATE \"C\")",
                                      {handle}));
    if (rows.empty()) return std::nullopt;
    return ReadCredentials(rows[0]);
  });
}

absl::Status PgAccountStore::OpenSession(const Credentials& seen, const NewSession& session) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    const std::string& account_id = seen.account.account_id;
    NAVAL_ASSIGN_OR_RETURN(const Credentials present, LockAccount(tx, account_id));
    if (present.password_hash != seen.password_hash) {
      return base::Error(absl::StatusCode::kAborted, "CREDENTIALS_CHANGED",
                         "the account changed at the same moment: try again");
    }
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("DELETE FROM lobby.session WHERE session_id IN (SELECT session_id "
                   "FROM lobby.session WHERE account_id = $1 "
                   "ORDER BY create_time DESC, session_id DESC OFFSET $2)",
                   {account_id, kMaxSessionsPerAccount - 1})
            .status());
    return InsertSession(tx, account_id, session);
  });
}

absl::StatusOr<std::optional<RotatedSession>> PgAccountStore::Rotate(
    const base::Secret& refresh_token, const std::string& salt, absl::Time now) {
  const std::optional<std::string> session_id = SessionIdOf(refresh_token);
  if (!session_id) return std::nullopt;
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::optional<RotatedSession>> {
    NAVAL_ASSIGN_OR_RETURN(const std::optional<StoredSession> session,
                           LockSession(tx, *session_id));
    if (!session || session->expire_time <= now) return std::nullopt;
    const Bytes hash = HashOf(refresh_token.Reveal());
    if (hash == session->token_hash) {
      return Exchange(tx, session->account, *session_id, refresh_token, salt, now);
    }
    const bool just_rotated = session->rotate_time && now < *session->rotate_time + kReuseWindow;
    if (just_rotated && hash == session->previous_token_hash) {
      return RotatedSession{
          .account = session->account,
          .session_id = *session_id,
          .refresh_token = SuccessorOf(refresh_token, session->rotate_salt->value),
          .expire_time = session->expire_time};
    }
    const bool was_ours = HashOf(SessionKeyOf(refresh_token).Reveal()) == session->key_hash;
    if (just_rotated || !was_ours) return std::nullopt;
    // Whoever holds an old token, and whoever holds the present one, cannot both be the owner.
    NAVAL_RETURN_IF_ERROR(DeleteSession(tx, *session_id));
    return std::nullopt;
  });
}

absl::Status PgAccountStore::EndSession(const base::Secret& refresh_token) {
  const std::optional<std::string> session_id = SessionIdOf(refresh_token);
  if (!session_id) return absl::OkStatus();
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    return tx
        .Execute(
            "DELETE FROM lobby.session "
            "WHERE session_id = $1 AND $2 IN (refresh_token_hash, previous_token_hash)",
            {*session_id, HashOf(refresh_token.Reveal())})
        .status();
  });
}

absl::Status PgAccountStore::DeleteExpired(absl::Time now) {
  NAVAL_RETURN_IF_ERROR(ExecuteInBatches(
      pool_,
      "DELETE FROM lobby.session WHERE ctid = ANY(ARRAY(SELECT ctid FROM lobby.session "
      "WHERE expire_time <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))",
      now));
  return ExecuteInBatches(
      pool_,
      "DELETE FROM lobby.account_request WHERE ctid = ANY(ARRAY(SELECT ctid "
      "FROM lobby.account_request WHERE create_time <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))",
      now - kAccountRequestLifetime);
}

absl::StatusOr<std::optional<std::string>> PgAccountStore::DeleteIdleGuests(
    const std::optional<std::string>& after_id) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::optional<std::string>> {
    NAVAL_ASSIGN_OR_RETURN(const std::optional<std::string> last_id,
                           LastOfNextGuests(tx, after_id));
    if (!last_id) return std::nullopt;
    NAVAL_ASSIGN_OR_RETURN(const Rows locked, LockIdleGuests(tx, after_id, *last_id));
    for (const Row& row : locked) {
      // Looked at again under the lock, which lets no session and no table begin.
      NAVAL_RETURN_IF_ERROR(
          tx.Execute("DELETE FROM lobby.account WHERE account_id = $1 "
                     "AND account_id IN (SELECT account_id FROM lobby.idle_guest)",
                     {row.Get<std::string>("account_id")})
              .status());
    }
    return last_id;
  });
}

}  // namespace naval::lobby
