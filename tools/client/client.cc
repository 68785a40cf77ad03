#include "tools/client/client.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/server/grpc_status.h"
#include "tools/client/connect.h"

namespace naval::client {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(20);
constexpr absl::Duration kLongestPause = absl::Milliseconds(500);

void Authorize(const lobby::v1::Session& session, grpc::ClientContext& context) {
  if (session.access_token().empty()) return;
  context.AddMetadata("authorization", absl::StrCat("Bearer ", session.access_token()));
}

bool TokenRanOut(const absl::Status& status) {
  return absl::IsUnauthenticated(status) && base::ReasonOf(status) == "TOKEN_EXPIRED";
}

// Whether the API says that the same call may succeed later.
bool TryAgain(const absl::Status& status) {
  return absl::IsUnavailable(status) ||
         (absl::IsResourceExhausted(status) && base::RetryDelayOf(status).has_value());
}

absl::Status Stopped() { return absl::CancelledError("the client was stopped"); }

// What gRPC says of time that is up does not name who kept silent.
absl::Status NamingTheSilent(const absl::Status& status, const std::string& address,
                             absl::Duration timeout) {
  if (!absl::IsDeadlineExceeded(status)) return status;
  return base::Error(
      absl::StatusCode::kDeadlineExceeded, "NO_ANSWER",
      absl::StrCat("no answer from ", address, " within ", absl::FormatDuration(timeout)),
      {{"address", address}});
}

absl::Status SessionReplaced() {
  return base::Error(absl::StatusCode::kUnauthenticated, "SESSION_REPLACED",
                     "this session was ended, or another account logged in, by another command");
}

}  // namespace

Client::Client(const Options& options, base::Clock& clock, base::Random& random)
    : addresses_(options.addresses),
      call_timeout_(options.call_timeout),
      store_(options.store),
      clock_(clock),
      random_(random),
      accounts_(lobby::v1::AccountService::NewStub(Connect(options.addresses.lobby))),
      lobby_(lobby::v1::LobbyService::NewStub(Connect(options.addresses.lobby))),
      match_channel_(Connect(options.addresses.match)),
      match_(match::v1::MatchService::NewStub(match_channel_)),
      ranking_(ranking::v1::RankingService::NewStub(Connect(options.addresses.ranking))),
      session_(options.session) {}

absl::Status Client::CreateGuest() {
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::CreateGuestResponse response,
                         Call(&lobby::v1::AccountService::Stub::CreateGuest, {}));
  return Adopt(response.session());
}

absl::Status Client::Register(const std::string& handle, const base::Secret& password) {
  lobby::v1::RegisterRequest request;
  request.set_handle(handle);
  request.set_password(std::string(password.Reveal()));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::RegisterResponse response,
                         Call(&lobby::v1::AccountService::Stub::Register, request));
  return Adopt(response.session());
}

absl::Status Client::LogIn(const std::string& handle, const base::Secret& password) {
  lobby::v1::LogInRequest request;
  request.set_handle(handle);
  request.set_password(std::string(password.Reveal()));
  lobby::v1::LogInResponse response;
  NAVAL_RETURN_IF_ERROR(Try(Identity::kNone, addresses_.lobby, [&](grpc::ClientContext& context) {
    return accounts_->LogIn(&context, request, &response);
  }));
  return Adopt(response.session());
}

absl::Status Client::LogOut() {
  return ChangeSession([&](const lobby::v1::Session& kept) -> absl::StatusOr<lobby::v1::Session> {
    lobby::v1::LogOutRequest request;
    request.set_refresh_token(kept.refresh_token());
    lobby::v1::LogOutResponse response;
    NAVAL_RETURN_IF_ERROR(Try(Identity::kNone, addresses_.lobby, [&](grpc::ClientContext& context) {
      return accounts_->LogOut(&context, request, &response);
    }));
    return lobby::v1::Session();
  });
}

absl::Status Client::Refresh() { return RefreshUnlessChanged(session().access_token()); }

absl::Status Client::RefreshUnlessChanged(const std::string& access_token) {
  base::MutexLock lock(refresh_mutex_);
  const lobby::v1::Session mine = session();
  if (mine.access_token() != access_token) return absl::OkStatus();
  return ChangeSession([&](const lobby::v1::Session& kept) -> absl::StatusOr<lobby::v1::Session> {
    if (kept.account().account_id() != mine.account().account_id()) return SessionReplaced();
    // Another process was faster.
    if (kept.access_token() != mine.access_token()) return kept;
    return Exchange(kept);
  });
}

absl::StatusOr<lobby::v1::Session> Client::Exchange(const lobby::v1::Session& session) {
  lobby::v1::RefreshRequest request;
  request.set_refresh_token(session.refresh_token());
  lobby::v1::RefreshResponse response;
  NAVAL_RETURN_IF_ERROR(Try(Identity::kNone, addresses_.lobby, [&](grpc::ClientContext& context) {
    return accounts_->Refresh(&context, request, &response);
  }));
  return response.session();
}

lobby::v1::Account Client::account() const { return session().account(); }

lobby::v1::Session Client::session() const {
  base::MutexLock lock(mutex_);
  return session_;
}

absl::Status Client::ChangeSession(SessionStore::Change change) {
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::Session changed,
                         store_ != nullptr ? store_->ChangeSession(change) : change(session()));
  base::MutexLock lock(mutex_);
  session_ = changed;
  return absl::OkStatus();
}

absl::Status Client::Adopt(const lobby::v1::Session& session) {
  return ChangeSession([&](const lobby::v1::Session&) { return session; });
}

std::unique_ptr<MatchStream> Client::Watch(const std::string& match_id,
                                           std::optional<int64_t> after_seq) {
  auto context = std::make_unique<grpc::ClientContext>();
  Authorize(session(), *context);
  // gRPC makes connections while a call waits for them: between calls that give up at once, a
  // service that is back would be found by its timer of 5 s alone.
  context->set_wait_for_ready(true);
  match::v1::WatchMatchRequest request;
  request.set_match_id(match_id);
  request.set_events_together(true);
  if (after_seq.has_value()) request.set_after_seq(*after_seq);
  return std::make_unique<MatchStream>(*match_, std::move(context), request);
}

std::optional<absl::Status> Client::ConnectionToMatch() const {
  switch (match_channel_->GetState(/*try_to_connect=*/false)) {
    case GRPC_CHANNEL_READY:
      return absl::OkStatus();
    // It stays so, over all tries, until one succeeds.
    case GRPC_CHANNEL_TRANSIENT_FAILURE:
      return base::Error(absl::StatusCode::kUnavailable, "NOT_CONNECTED",
                         absl::StrCat("no connection to ", addresses_.match),
                         {{"address", addresses_.match}});
    default:
      return std::nullopt;
  }
}

void Client::Stop() {
  base::MutexLock lock(calls_mutex_);
  stopped_ = true;
  for (grpc::ClientContext* const context : under_way_) context->TryCancel();
  stop_.NotifyAll();
}

std::string Client::NewRequestId() { return base::NewId(clock_, random_); }

absl::Status Client::WaitUntil(absl::string_view what, absl::Duration limit,
                               absl::FunctionRef<absl::StatusOr<bool>()> condition) {
  const absl::Time deadline = clock_.Now() + limit;
  absl::Duration pause = kFirstPause;
  while (true) {
    NAVAL_ASSIGN_OR_RETURN(const bool holds, condition());
    if (holds) return absl::OkStatus();
    if (clock_.Now() >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat(what, ": it did not happen within ", absl::FormatDuration(limit)));
    }
    NAVAL_RETURN_IF_ERROR(Pause(std::min(pause, deadline - clock_.Now())));
    pause = std::min(pause * 2, kLongestPause);
  }
}

absl::Status Client::Try(Identity identity, const std::string& address, UnaryCall call) {
  const absl::Time deadline = clock_.Now() + call_timeout_;
  absl::Duration pause = kFirstPause;
  bool refreshed = false;
  while (true) {
    const lobby::v1::Session session = this->session();
    grpc::ClientContext context;
    if (identity == Identity::kSession) Authorize(session, context);
    context.set_wait_for_ready(true);
    context.set_deadline(
        gpr_time_from_nanos(absl::ToInt64Nanoseconds(deadline - clock_.Now()), GPR_TIMESPAN));
    absl::Status status = TryOnce(context, call);
    if (TokenRanOut(status) && identity == Identity::kSession && !refreshed) {
      NAVAL_RETURN_IF_ERROR(RefreshUnlessChanged(session.access_token()));
      refreshed = true;
      continue;
    }
    if (!TryAgain(status)) return NamingTheSilent(status, address, call_timeout_);
    const absl::Duration wait =
        std::max(pause, base::RetryDelayOf(status).value_or(absl::ZeroDuration()));
    if (clock_.Now() + wait >= deadline) return status;
    NAVAL_RETURN_IF_ERROR(Pause(wait));
    pause = std::min(pause * 2, kLongestPause);
  }
}

absl::Status Client::TryOnce(grpc::ClientContext& context, UnaryCall call) {
  {
    base::MutexLock lock(calls_mutex_);
    if (stopped_) return Stopped();
    under_way_.insert(&context);
  }
  const absl::Status status = server::FromGrpcStatus(call(context));
  base::MutexLock lock(calls_mutex_);
  under_way_.erase(&context);
  return stopped_ && !status.ok() ? Stopped() : status;
}

absl::Status Client::Pause(absl::Duration duration) {
  const absl::Time deadline = clock_.Now() + duration;
  base::MutexLock lock(calls_mutex_);
  while (!stopped_ && !clock_.WaitUntil(stop_, calls_mutex_, deadline)) {
  }
  return stopped_ ? Stopped() : absl::OkStatus();
}

}  // namespace naval::client
