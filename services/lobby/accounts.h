#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/access_token.h"
#include "lib/auth/password.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"
#include "services/lobby/account_store.h"
#include "services/lobby/lobby_observer.h"

namespace naval::lobby {

// An account and the tokens that prove it from now on.
struct Session {
  Account account;
  base::Secret access_token;
  absl::Time access_token_expire_time;
  base::Secret refresh_token;
  absl::Time refresh_token_expire_time;
};

// Makes accounts and gives tokens: what AccountService promises, without the wire. Request ids must
// be valid. Errors are those of naval/lobby/v1/account_service.proto and of AccountStore. Calls
// block; Register and LogIn burn the CPU of a password hash. Thread safe.
class Accounts {
 public:
  // All arguments must outlive this object. `random` must be fit for secrets.
  Accounts(AccountStore& store, const auth::PasswordHasher& hasher, const auth::Signer& signer,
           const base::Clock& clock, base::Random& random, LobbyObserver& observer);

  absl::StatusOr<Session> CreateGuest(absl::string_view request_id);

  // `caller` is who calls, if it said so: a guest that is to keep its id.
  absl::StatusOr<Session> Register(absl::string_view request_id, absl::string_view handle,
                                   const base::Secret& password,
                                   const std::optional<auth::Claims>& caller);

  absl::StatusOr<Session> LogIn(absl::string_view handle, const base::Secret& password);

  absl::StatusOr<Session> Refresh(const base::Secret& refresh_token);

  absl::Status LogOut(const base::Secret& refresh_token);

 private:
  absl::StatusOr<Session> OpenByPassword(absl::string_view handle, const base::Secret& password);
  absl::StatusOr<Session> OpenByToken(const base::Secret& refresh_token);
  absl::StatusOr<std::optional<Session>> RepeatCreateGuest(absl::string_view request_id);
  absl::StatusOr<std::optional<Session>> RepeatRegister(absl::string_view request_id,
                                                        absl::string_view handle,
                                                        const base::Secret& password,
                                                        const std::optional<auth::Claims>& caller);
  NewSession BeginSession();
  absl::StatusOr<Session> OpenSession(const Credentials& seen);
  Session Issue(const Account& account, const std::string& session_id, base::Secret refresh_token,
                absl::Time refresh_token_expire_time) const;
  Session Issue(const Account& account, NewSession session) const;

  AccountStore& store_;
  const auth::PasswordHasher& hasher_;
  const auth::Signer& signer_;
  const base::Clock& clock_;
  base::Random& random_;
  LobbyObserver& observer_;
};

}  // namespace naval::lobby
