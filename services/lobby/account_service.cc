#include "services/lobby/account_service.h"

#include <optional>
#include <string>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/secret.h"
#include "lib/base/status_macros.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/unary.h"
#include "lib/wire/time_wire.h"
#include "services/lobby/refresh_token.h"

namespace naval::lobby {
namespace {

v1::Session ToProto(const Session& session) {
  v1::Session proto;
  v1::Account* account = proto.mutable_account();
  account->set_account_id(session.account.account_id);
  account->set_handle(session.account.handle);
  account->set_guest(session.account.guest);
  proto.set_access_token(std::string(session.access_token.Reveal()));
  *proto.mutable_access_token_expire_time() = wire::ToProto(session.access_token_expire_time);
  proto.set_refresh_token(std::string(session.refresh_token.Reveal()));
  *proto.mutable_refresh_token_expire_time() = wire::ToProto(session.refresh_token_expire_time);
  return proto;
}

// The end of every call that opens a session.
template <typename Response>
absl::Status Answer(const absl::StatusOr<Session>& session, Response* response) {
  if (!session.ok()) return session.status();
  *response->mutable_session() = ToProto(*session);
  return absl::OkStatus();
}

// Who calls, or nothing when no token was sent. A token that is no good is an error: taken for
// none, it would cost a guest its account.
absl::StatusOr<std::optional<auth::Claims>> CallerIfAny(const grpc::CallbackServerContext& context,
                                                        const auth::Verifier& verifier,
                                                        absl::Time now) {
  absl::StatusOr<auth::Claims> claims = server::Authenticate(context, verifier, now);
  if (claims.ok()) return *std::move(claims);
  if (base::ReasonOf(claims.status()) == "TOKEN_MISSING") return std::nullopt;
  return claims.status();
}

}  // namespace

grpc::ServerUnaryReactor* AccountService::CreateGuest(grpc::CallbackServerContext* context,
                                                      const v1::CreateGuestRequest* request,
                                                      v1::CreateGuestResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(server::CheckId("request_id", request->request_id()));
    return Answer(accounts_.CreateGuest(request->request_id()), response);
  });
}

grpc::ServerUnaryReactor* AccountService::Register(grpc::CallbackServerContext* context,
                                                   const v1::RegisterRequest* request,
                                                   v1::RegisterResponse* response) {
  return server::ServeUnary(context, *request, password_executor_, [=, this]() -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(const auto caller, CallerIfAny(*context, verifier_, clock_.Now()));
    NAVAL_RETURN_IF_ERROR(server::CheckId("request_id", request->request_id()));
    return Answer(accounts_.Register(request->request_id(), request->handle(),
                                     base::Secret(request->password()), caller),
                  response);
  });
}

grpc::ServerUnaryReactor* AccountService::LogIn(grpc::CallbackServerContext* context,
                                                const v1::LogInRequest* request,
                                                v1::LogInResponse* response) {
  return server::ServeUnary(context, *request, password_executor_, [=, this] {
    return Answer(accounts_.LogIn(request->handle(), base::Secret(request->password())), response);
  });
}

grpc::ServerUnaryReactor* AccountService::Refresh(grpc::CallbackServerContext* context,
                                                  const v1::RefreshRequest* request,
                                                  v1::RefreshResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this] {
    return Answer(accounts_.Refresh(base::Secret(request->refresh_token())), response);
  });
}

grpc::ServerUnaryReactor* AccountService::LogOut(grpc::CallbackServerContext* context,
                                                 const v1::LogOutRequest* request,
                                                 v1::LogOutResponse*) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    const base::Secret refresh_token(request->refresh_token());
    if (!SessionIdOf(refresh_token)) {
      return base::InvalidField("REFRESH_TOKEN_INVALID", "refresh_token",
                                "must be the refresh token of the session, as it was given");
    }
    return accounts_.LogOut(refresh_token);
  });
}

}  // namespace naval::lobby
