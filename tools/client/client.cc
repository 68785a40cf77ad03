#include "tools/client/client.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/server/grpc_status.h"

namespace naval::client {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(20);
constexpr absl::Duration kLongestPause = absl::Milliseconds(500);

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  // A service that comes back is found at once, not after gRPC's two minutes.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 500);
  // A connection that died without a word is noticed, also by a stream that only listens.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  // Each client is a stranger: none shares its connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

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

}  // namespace

Client::Client(const Options& options, base::Clock& clock, base::Random& random)
    : call_timeout_(options.call_timeout),
      clock_(clock),
      random_(random),
      accounts_(lobby::v1::AccountService::NewStub(Connect(options.addresses.lobby))),
      lobby_(lobby::v1::LobbyService::NewStub(Connect(options.addresses.lobby))),
      match_(match::v1::MatchService::NewStub(Connect(options.addresses.match))),
      ranking_(ranking::v1::RankingService::NewStub(Connect(options.addresses.ranking))) {}

absl::Status Client::CreateGuest() {
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::CreateGuestResponse response,
                         Call(&lobby::v1::AccountService::Stub::CreateGuest, {}));
  Adopt(response.session());
  return absl::OkStatus();
}

absl::Status Client::Register(const std::string& handle, const base::Secret& password) {
  lobby::v1::RegisterRequest request;
  request.set_handle(handle);
  request.set_password(std::string(password.Reveal()));
  NAVAL_ASSIGN_OR_RETURN(const lobby::v1::RegisterResponse response,
                         Call(&lobby::v1::AccountService::Stub::Register, request));
  Adopt(response.session());
  return absl::OkStatus();
}

absl::Status Client::LogIn(const std::string& handle, const base::Secret& password) {
  lobby::v1::LogInRequest request;
  request.set_handle(handle);
  request.set_password(std::string(password.Reveal()));
  lobby::v1::LogInResponse response;
  NAVAL_RETURN_IF_ERROR(Try(Identity::kNone, [&](grpc::ClientContext& context) {
    return accounts_->LogIn(&context, request, &response);
  }));
  Adopt(response.session());
  return absl::OkStatus();
}

absl::Status Client::Refresh() { return RefreshUnlessChanged(session().access_token()); }

absl::Status Client::RefreshUnlessChanged(const std::string& access_token) {
  base::MutexLock lock(refresh_mutex_);
  const lobby::v1::Session current = session();
  if (current.access_token() != access_token) return absl::OkStatus();
  lobby::v1::RefreshRequest request;
  request.set_refresh_token(current.refresh_token());
  lobby::v1::RefreshResponse response;
  NAVAL_RETURN_IF_ERROR(Try(Identity::kNone, [&](grpc::ClientContext& context) {
    return accounts_->Refresh(&context, request, &response);
  }));
  Adopt(response.session());
  return absl::OkStatus();
}

lobby::v1::Account Client::account() const { return session().account(); }

lobby::v1::Session Client::session() const {
  base::MutexLock lock(mutex_);
  return session_;
}

void Client::Adopt(const lobby::v1::Session& session) {
  base::MutexLock lock(mutex_);
  session_ = session;
}

std::unique_ptr<MatchStream> Client::Watch(const std::string& match_id,
                                           std::optional<int64_t> after_seq) {
  auto context = std::make_unique<grpc::ClientContext>();
  Authorize(session(), *context);
  match::v1::WatchMatchRequest request;
  request.set_match_id(match_id);
  if (after_seq.has_value()) request.set_after_seq(*after_seq);
  return std::make_unique<MatchStream>(*match_, std::move(context), request);
}

std::string Client::NewRequestId() { return base::NewId(clock_, random_); }

absl::Status Client::WaitUntil(absl::string_view what, absl::Duration limit,
                               absl::FunctionRef<absl::StatusOr<bool>()> condition) {
  const absl::Time deadline = clock_.Now() + limit;
  while (true) {
    NAVAL_ASSIGN_OR_RETURN(const bool holds, condition());
    if (holds) return absl::OkStatus();
    if (clock_.Now() >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat(what, ": it did not happen within ", absl::FormatDuration(limit)));
    }
    Pause(kFirstPause);
  }
}

absl::Status Client::Try(Identity identity,
                         absl::FunctionRef<grpc::Status(grpc::ClientContext&)> call) {
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
    absl::Status status = server::FromGrpcStatus(call(context));
    if (TokenRanOut(status) && identity == Identity::kSession && !refreshed) {
      NAVAL_RETURN_IF_ERROR(RefreshUnlessChanged(session.access_token()));
      refreshed = true;
      continue;
    }
    if (!TryAgain(status)) return status;
    const absl::Duration wait =
        std::max(pause, base::RetryDelayOf(status).value_or(absl::ZeroDuration()));
    if (clock_.Now() + wait >= deadline) return status;
    Pause(wait);
    pause = std::min(pause * 2, kLongestPause);
  }
}

void Client::Pause(absl::Duration duration) {
  const absl::Time deadline = clock_.Now() + duration;
  base::MutexLock lock(pause_mutex_);
  while (!clock_.WaitUntil(never_, pause_mutex_, deadline)) {
  }
}

}  // namespace naval::client
