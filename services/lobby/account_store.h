#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/secret.h"

namespace naval::lobby {

// How long a repeated request id still finds the account it made.
inline constexpr absl::Duration kAccountRequestLifetime = absl::Minutes(10);

// How long a refresh token is good for when it is not used.
inline constexpr absl::Duration kRefreshTokenLifetime = absl::Hours(24 * 30);

// How long an exchanged refresh token is still taken for a client that lost the answer.
inline constexpr absl::Duration kReuseWindow = absl::Seconds(30);

// One more session ends the account's oldest.
inline constexpr int kMaxSessionsPerAccount = 20;

// Who plays.
struct Account {
  std::string account_id;
  std::string handle;
  bool guest = false;
};

// An account and what opens it: nothing for a guest.
struct Credentials {
  Account account;
  std::optional<std::string> password_hash;
};

enum class AccountRequestKind { kCreateGuest, kRegister };

// The call that makes or registers an account.
struct AccountRequest {
  std::string request_id;
  AccountRequestKind kind = AccountRequestKind::kCreateGuest;
  absl::Time time;
};

// What an earlier call with the same request id did.
struct AnsweredRequest {
  AccountRequestKind kind = AccountRequestKind::kCreateGuest;
  Credentials credentials;
};

// A session that begins at `create_time`. Only the token's hash is stored.
struct NewSession {
  std::string session_id;
  base::Secret refresh_token;
  absl::Time create_time;
};

// A session whose refresh token was exchanged.
struct RotatedSession {
  Account account;
  std::string session_id;
  base::Secret refresh_token;
  absl::Time expire_time;
};

// Keeps accounts and sessions. Every call is one transaction: with an error nothing has changed,
// but for COMMIT_IN_DOUBT. Besides the errors named here each may give those of
// postgres::Pool::Transact. Calls block. Thread safe.
class AccountStore {
 public:
  virtual ~AccountStore() = default;

  // What became of `request_id` less than kAccountRequestLifetime before `now`.
  virtual absl::StatusOr<std::optional<AnsweredRequest>> FindRequest(absl::string_view request_id,
                                                                     absl::Time now) = 0;

  // Stores a new account with its first session. ALREADY_EXISTS, reason HANDLE_TAKEN; ABORTED,
  // reason REQUEST_ANSWERED, when a call with the same request id came first: FindRequest tells
  // then.
  virtual absl::Status Create(const AccountRequest& request, const Credentials& credentials,
                              const NewSession& session) = 0;

  // Gives the guest `credentials.account.account_id`, whose session `guest_session_id` asks for it,
  // the handle and the password, ends its sessions and begins `session`. As Create;
  // FAILED_PRECONDITION, reason ALREADY_REGISTERED, when it is no guest any more; UNAUTHENTICATED,
  // reason SESSION_ENDED, when that session is over, and ACCOUNT_UNKNOWN, when there is no such
  // account.
  virtual absl::Status Upgrade(const AccountRequest& request, const Credentials& credentials,
                               const std::string& guest_session_id, const NewSession& session) = 0;

  // The account with this handle, in any case.
  virtual absl::StatusOr<std::optional<Credentials>> FindByHandle(absl::string_view handle) = 0;

  // Begins a session for an account that was seen with these credentials. ABORTED, reason
  // CREDENTIALS_CHANGED, when it has others now; UNAUTHENTICATED, reason ACCOUNT_UNKNOWN, when it
  // is gone.
  virtual absl::Status OpenSession(const Credentials& seen, const NewSession& session) = 0;

  // Exchanges `refresh_token`, which has the right form, for its successor under `salt`; within
  // kReuseWindow of its exchange, and until that successor is exchanged, it gets the same one
  // again. Otherwise nothing. A token that was exchanged earlier ends its session, unless the
  // session's last exchange is less than kReuseWindow ago: then it may be a page that was slower
  // than two others. A token that never was one of the session's ends nothing.
  virtual absl::StatusOr<std::optional<RotatedSession>> Rotate(const base::Secret& refresh_token,
                                                               const std::string& salt,
                                                               absl::Time now) = 0;

  // Ends the session whose present or last token this is, if there is one.
  virtual absl::Status EndSession(const base::Secret& refresh_token) = 0;

  // Deletes sessions and request ids whose time is over, in several transactions.
  virtual absl::Status DeleteExpired(absl::Time now) = 0;

  // Looks at the next guests in the order of their ids, a bounded number of them, and deletes those
  // that have neither a session, nor a table, nor a request id that finds them: nobody can be them
  // any more. Begins after the id `after_id`, or at the first without one. Returns the last id that
  // it looked at, or nothing when there was none.
  virtual absl::StatusOr<std::optional<std::string>> DeleteIdleGuests(
      const std::optional<std::string>& after_id) = 0;
};

}  // namespace naval::lobby
