#include "services/lobby/accounts.h"

#include <array>
#include <cstdint>
#include <utility>

#include "absl/types/span.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/base/status_macros.h"
#include "services/lobby/handle.h"
#include "services/lobby/password_policy.h"
#include "services/lobby/refresh_token.h"

namespace naval::lobby {
namespace {

// A guest's handle is one of 2^30: with a million guests three draws in a row are taken once in
// 10^9.
constexpr int kMaxHandleDraws = 3;

absl::Status WrongCredentials() {
  return base::Error(absl::StatusCode::kUnauthenticated, "WRONG_CREDENTIALS",
                     "the handle or the password is wrong");
}

absl::Status RefreshTokenInvalid() {
  return base::Error(absl::StatusCode::kUnauthenticated, "REFRESH_TOKEN_INVALID",
                     "the refresh token opens no session: log in again");
}

absl::Status RequestIdReused() {
  return base::InvalidField("REQUEST_ID_REUSED", "request_id",
                            "was used for another request: make a new one for each");
}

bool LostRace(const absl::Status& status) { return base::ReasonOf(status) == "REQUEST_ANSWERED"; }

std::string NewSalt(base::Random& random) {
  std::array<uint8_t, 32> salt;
  random.Fill(absl::MakeSpan(salt));
  return std::string(salt.begin(), salt.end());
}

}  // namespace

Accounts::Accounts(AccountStore& store, const auth::PasswordHasher& hasher,
                   const auth::Signer& signer, const base::Clock& clock, base::Random& random,
                   LobbyObserver& observer)
    : store_(store),
      hasher_(hasher),
      signer_(signer),
      clock_(clock),
      random_(random),
      observer_(observer) {}

absl::StatusOr<Session> Accounts::CreateGuest(absl::string_view request_id) {
  NAVAL_ASSIGN_OR_RETURN(std::optional<Session> repeated, RepeatCreateGuest(request_id));
  if (repeated) return *std::move(repeated);

  const AccountRequest request{.request_id = std::string(request_id),
                               .kind = AccountRequestKind::kCreateGuest,
                               .time = clock_.Now()};
  NewSession session = BeginSession();
  absl::Status status;
  for (int draw = 0; draw < kMaxHandleDraws; ++draw) {
    const Account account{.account_id = base::NewId(clock_, random_),
                          .handle = NewGuestHandle(random_),
                          .guest = true};
    status = store_.Create(request, {.account = account, .password_hash = std::nullopt}, session);
    if (status.ok()) {
      observer_.AccountMade(AccountOrigin::kGuest);
      return Issue(account, std::move(session));
    }
    if (base::ReasonOf(status) != "HANDLE_TAKEN") break;
  }
  if (!LostRace(status)) return status;
  NAVAL_ASSIGN_OR_RETURN(repeated, RepeatCreateGuest(request_id));
  if (!repeated) return status;
  return *std::move(repeated);
}

absl::StatusOr<Session> Accounts::Register(absl::string_view request_id, absl::string_view handle,
                                           const base::Secret& password,
                                           const std::optional<auth::Claims>& caller) {
  NAVAL_RETURN_IF_ERROR(CheckHandle(handle));
  NAVAL_RETURN_IF_ERROR(CheckPassword(password));
  NAVAL_ASSIGN_OR_RETURN(std::optional<Session> repeated,
                         RepeatRegister(request_id, handle, password, caller));
  if (repeated) return *std::move(repeated);

  NAVAL_ASSIGN_OR_RETURN(std::string password_hash, hasher_.Hash(password));
  const AccountRequest request{.request_id = std::string(request_id),
                               .kind = AccountRequestKind::kRegister,
                               .time = clock_.Now()};
  const Credentials credentials{
      .account = {.account_id = caller ? caller->account_id : base::NewId(clock_, random_),
                  .handle = std::string(handle),
                  .guest = false},
      .password_hash = std::move(password_hash)};
  NewSession session = BeginSession();
  const absl::Status status =
      caller ? store_.Upgrade(request, credentials, caller->session_id, session)
             : store_.Create(request, credentials, session);
  if (status.ok()) {
    observer_.AccountMade(caller ? AccountOrigin::kGuestRegistered : AccountOrigin::kRegistered);
    return Issue(credentials.account, std::move(session));
  }
  if (absl::IsUnavailable(status)) return status;
  // The same call sent twice at once: the second finds its handle or its account taken by the
  // first.
  NAVAL_ASSIGN_OR_RETURN(repeated, RepeatRegister(request_id, handle, password, caller));
  if (!repeated) return status;
  return *std::move(repeated);
}

absl::StatusOr<Session> Accounts::LogIn(absl::string_view handle, const base::Secret& password) {
  absl::StatusOr<Session> session = OpenByPassword(handle, password);
  observer_.LoggedIn(session.status());
  return session;
}

absl::StatusOr<Session> Accounts::OpenByPassword(absl::string_view handle,
                                                 const base::Secret& password) {
  std::optional<Credentials> found;
  if (CheckHandle(handle).ok()) {
    NAVAL_ASSIGN_OR_RETURN(found, store_.FindByHandle(handle));
  }
  if (!found || !found->password_hash) {
    hasher_.VerifyUnknown(password);
    return WrongCredentials();
  }
  if (!hasher_.Verify(*found->password_hash, password)) return WrongCredentials();
  return OpenSession(*found);
}

absl::StatusOr<Session> Accounts::Refresh(const base::Secret& refresh_token) {
  absl::StatusOr<Session> session = OpenByToken(refresh_token);
  observer_.Refreshed(session.status());
  return session;
}

absl::StatusOr<Session> Accounts::OpenByToken(const base::Secret& refresh_token) {
  NAVAL_ASSIGN_OR_RETURN(std::optional<RotatedSession> rotated,
                         store_.Rotate(refresh_token, NewSalt(random_), clock_.Now()));
  if (!rotated) return RefreshTokenInvalid();
  return Issue(rotated->account, rotated->session_id, std::move(rotated->refresh_token),
               rotated->expire_time);
}

absl::Status Accounts::LogOut(const base::Secret& refresh_token) {
  return store_.EndSession(refresh_token);
}

absl::StatusOr<std::optional<Session>> Accounts::RepeatCreateGuest(absl::string_view request_id) {
  NAVAL_ASSIGN_OR_RETURN(const std::optional<AnsweredRequest> answered,
                         store_.FindRequest(request_id, clock_.Now()));
  if (!answered) return std::nullopt;
  // A guest that has registered since is opened by its password only.
  const bool same =
      answered->kind == AccountRequestKind::kCreateGuest && answered->credentials.account.guest;
  if (!same) return RequestIdReused();
  return OpenSession(answered->credentials);
}

absl::StatusOr<std::optional<Session>> Accounts::RepeatRegister(
    absl::string_view request_id, absl::string_view handle, const base::Secret& password,
    const std::optional<auth::Claims>& caller) {
  NAVAL_ASSIGN_OR_RETURN(const std::optional<AnsweredRequest> answered,
                         store_.FindRequest(request_id, clock_.Now()));
  if (!answered) return std::nullopt;
  const Credentials& credentials = answered->credentials;
  const bool same = answered->kind == AccountRequestKind::kRegister && credentials.password_hash &&
                    credentials.account.handle == handle &&
                    (!caller || caller->account_id == credentials.account.account_id);
  if (!same) return RequestIdReused();
  if (!hasher_.Verify(*credentials.password_hash, password)) return RequestIdReused();
  return OpenSession(credentials);
}

NewSession Accounts::BeginSession() {
  std::string session_id = base::NewId(clock_, random_);
  base::Secret refresh_token = NewRefreshToken(session_id, random_);
  return {.session_id = std::move(session_id),
          .refresh_token = std::move(refresh_token),
          .create_time = clock_.Now()};
}

absl::StatusOr<Session> Accounts::OpenSession(const Credentials& seen) {
  NewSession session = BeginSession();
  NAVAL_RETURN_IF_ERROR(store_.OpenSession(seen, session));
  return Issue(seen.account, std::move(session));
}

Session Accounts::Issue(const Account& account, NewSession session) const {
  return Issue(account, session.session_id, std::move(session.refresh_token),
               session.create_time + kRefreshTokenLifetime);
}

Session Accounts::Issue(const Account& account, const std::string& session_id,
                        base::Secret refresh_token, absl::Time refresh_token_expire_time) const {
  const absl::Time now = clock_.Now();
  const auth::Claims claims{
      .account_id = account.account_id,
      .session_id = session_id,
      .kind = account.guest ? auth::AccountKind::kGuest : auth::AccountKind::kRegistered,
      .handle = account.handle,
      .issue_time = now,
      .expire_time = now + auth::kAccessTokenLifetime};
  return {.account = account,
          .access_token = signer_.Sign(claims),
          .access_token_expire_time = claims.expire_time,
          .refresh_token = std::move(refresh_token),
          .refresh_token_expire_time = refresh_token_expire_time};
}

}  // namespace naval::lobby
