#include "services/lobby/pg_account.h"

#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/status_macros.h"

namespace naval::lobby {

Credentials ReadCredentials(const postgres::Row& row) {
  auto password_hash = row.Get<std::optional<std::string>>("password_hash");
  const bool guest = !password_hash.has_value();
  return {.account = {.account_id = row.Get<std::string>("account_id"),
                      .handle = row.Get<std::string>("handle"),
                      .guest = guest},
          .password_hash = std::move(password_hash)};
}

absl::StatusOr<Credentials> LockAccount(postgres::Transaction& tx, const std::string& account_id) {
  NAVAL_ASSIGN_OR_RETURN(const postgres::Rows rows,
                         tx.Execute("SELECT account_id, handle, password_hash FROM lobby.account "
                                    "WHERE account_id = $1 FOR NO KEY UPDATE",
                                    {account_id}));
  if (!rows.empty()) return ReadCredentials(rows[0]);
  return base::Error(absl::StatusCode::kUnauthenticated, "ACCOUNT_UNKNOWN",
                     "the account of this token is gone: create or register one");
}

}  // namespace naval::lobby
