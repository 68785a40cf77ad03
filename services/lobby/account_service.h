#pragma once

#include <grpcpp/grpcpp.h>

#include "lib/auth/access_token.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "naval/lobby/v1/account_service.grpc.pb.h"
#include "services/lobby/accounts.h"

namespace naval::lobby {

// The public face of Accounts: who calls, words to values, values to words. Decides nothing.
class AccountService final : public v1::AccountService::CallbackService {
 public:
  // All must outlive the service. What hashes passwords runs on `password_executor`, so that a
  // storm of log-ins is refused there and holds up nothing else.
  AccountService(Accounts& accounts, const auth::Verifier& verifier, const base::Clock& clock,
                 base::Executor& executor, base::Executor& password_executor)
      : accounts_(accounts),
        verifier_(verifier),
        clock_(clock),
        executor_(executor),
        password_executor_(password_executor) {}

  grpc::ServerUnaryReactor* CreateGuest(grpc::CallbackServerContext* context,
                                        const v1::CreateGuestRequest* request,
                                        v1::CreateGuestResponse* response) override;
  grpc::ServerUnaryReactor* Register(grpc::CallbackServerContext* context,
                                     const v1::RegisterRequest* request,
                                     v1::RegisterResponse* response) override;
  grpc::ServerUnaryReactor* LogIn(grpc::CallbackServerContext* context,
                                  const v1::LogInRequest* request,
                                  v1::LogInResponse* response) override;
  grpc::ServerUnaryReactor* Refresh(grpc::CallbackServerContext* context,
                                    const v1::RefreshRequest* request,
                                    v1::RefreshResponse* response) override;
  grpc::ServerUnaryReactor* LogOut(grpc::CallbackServerContext* context,
                                   const v1::LogOutRequest* request,
                                   v1::LogOutResponse* response) override;

 private:
  Accounts& accounts_;
  const auth::Verifier& verifier_;
  const base::Clock& clock_;
  base::Executor& executor_;
  base::Executor& password_executor_;
};

}  // namespace naval::lobby
