#pragma once

#include <optional>
#include <string>

#include "lib/postgres/pool.h"
#include "services/lobby/account_store.h"

namespace naval::lobby {

// Accounts and sessions in the Postgres schema "lobby".
class PgAccountStore final : public AccountStore {
 public:
  // `pool` must outlive the store.
  explicit PgAccountStore(postgres::Pool& pool) : pool_(pool) {}

  absl::StatusOr<std::optional<AnsweredRequest>> FindRequest(absl::string_view request_id,
                                                             absl::Time now) override;
  absl::Status Create(const AccountRequest& request, const Credentials& credentials,
                      const NewSession& session) override;
  absl::Status Upgrade(const AccountRequest& request, const Credentials& credentials,
                       const std::string& guest_session_id, const NewSession& session) override;
  absl::StatusOr<std::optional<Credentials>> FindByHandle(absl::string_view handle) override;
  absl::Status OpenSession(const Credentials& seen, const NewSession& session) override;
  absl::StatusOr<std::optional<RotatedSession>> Rotate(const base::Secret& refresh_token,
                                                       const std::string& salt,
                                                       absl::Time now) override;
  absl::Status EndSession(const base::Secret& refresh_token) override;
  absl::Status DeleteExpired(absl::Time now) override;
  absl::StatusOr<std::optional<std::string>> DeleteIdleGuests(
      const std::optional<std::string>& after_id) override;

 private:
  postgres::Pool& pool_;
};

}  // namespace naval::lobby
