#include "services/lobby/pg_account_store.h"

#include <utility>

#include "lib/auth/opaque_token.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/transaction.h"
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

Credentials ReadCredentials(const Row& row) {
  auto password_hash = row.Get<std::optional<std::string>>("password_hash");
  const bool guest = !password_hash.has_value();
  return {.account = {.account_id = row.Get<std::string>("account_id"),
                      .handle = row.Get<std::string>("handle"),
                      .guest = guest},
          .password_hash = std::move(password_hash)};
}

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
          "(session_id, account_id, refresh_token_hash, create_time, expire_time) "
          "VALUES ($1, $2, $3, $4, $5)",
          {session.session_id, account_id, HashOf(session.refresh_token.Reveal()),
           session.create_time, session.create_time + kRefreshTokenLifetime})
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

// The account's credentials, locked until the transaction ends. Nothing when there is no such
// account.
absl::StatusOr<std::optional<Credentials>> LockAccount(Transaction& tx,
                                                       const std::string& account_id) {
  NAVAL_ASSIGN_OR_RETURN(const Rows rows,
                         tx.Execute("SELECT account_id, handle, password_hash FROM lobby.account "
                                    "WHERE account_id = $1 FOR NO KEY UPDATE",
                                    {account_id}));
  if (rows.empty()) return std::nullopt;
  return ReadCredentials(rows[0]);
}

absl::Status DeleteSession(Transaction& tx, const std::string& session_id) {
  return tx.Execute("DELETE FROM lobby.session WHERE session_id = $1", {session_id}).status();
}

struct StoredSession {
  Account account;
  Bytes token_hash;
  std::optional<Bytes> previous_token_hash;
  std::optional<Bytes> rotate_salt;
  std::optional<absl::Time> rotate_time;
  absl::Time expire_time;
};

absl::StatusOr<std::optional<StoredSession>> LockSession(Transaction& tx,
                                                         const std::string& session_id) {
  NAVAL_ASSIGN_OR_RETURN(const Rows rows,
                         tx.Execute("SELECT account_id, handle, password_hash, refresh_token_hash, "
                                    "previous_token_hash, rotate_salt, rotate_time, expire_time "
                                    "FROM lobby.session JOIN lobby.account USING (account_id) "
                                    "WHERE session_id = $1 FOR UPDATE OF session",
                                    {session_id}));
  if (rows.empty()) return std::nullopt;
  const Row row = rows[0];
  return StoredSession{.account = ReadCredentials(row).account,
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
                                     const NewSession& session) {
  return Explain(pool_.Transact([&](Transaction& tx) -> absl::Status {
    const Account& account = credentials.account;
    NAVAL_ASSIGN_OR_RETURN(const std::optional<Credentials> present,
                           LockAccount(tx, account.account_id));
    if (!present) {
      return base::Error(absl::StatusCode::kUnauthenticated, "ACCOUNT_UNKNOWN",
                         "the account of this token is gone: create or register one");
    }
    if (!present->account.guest) {
      return base::Error(absl::StatusCode::kFailedPrecondition, "ALREADY_REGISTERED",
                         "this account is registered: log in instead");
    }
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("UPDATE lobby.account SET handle = $2, password_hash = $3 WHERE account_id = $1",
                   {account.account_id, account.handle, credentials.password_hash})
            .status());
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("DELETE FROM lobby.session WHERE account_id = $1", {account.account_id})
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
    NAVAL_ASSIGN_OR_RETURN(const std::optional<Credentials> present, LockAccount(tx, account_id));
    if (!present || present->password_hash != seen.password_hash) {
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
    if (hash == session->previous_token_hash && now < *session->rotate_time + kReuseWindow) {
      return RotatedSession{
          .account = session->account,
          .session_id = *session_id,
          .refresh_token = SuccessorOf(refresh_token, session->rotate_salt->value),
          .expire_time = session->expire_time};
    }
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
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("DELETE FROM lobby.session WHERE expire_time <= $1", {now}).status());
    return tx
        .Execute("DELETE FROM lobby.account_request WHERE create_time <= $1",
                 {now - kAccountRequestLifetime})
        .status();
  });
}

}  // namespace naval::lobby
