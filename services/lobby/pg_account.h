#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "lib/postgres/transaction.h"
#include "services/lobby/account_store.h"

namespace naval::lobby {

// What both stores need of lobby.account. Inside the body of Pool::Transact only.

// The account in a row with account_id, handle and password_hash.
Credentials ReadCredentials(const postgres::Row& row);

// The account, locked until the transaction ends: calls for one account follow each other.
// UNAUTHENTICATED, reason ACCOUNT_UNKNOWN, when it is gone.
absl::StatusOr<Credentials> LockAccount(postgres::Transaction& tx, const std::string& account_id);

}  // namespace naval::lobby
