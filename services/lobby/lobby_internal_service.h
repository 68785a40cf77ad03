#pragma once

#include <grpcpp/grpcpp.h>

#include "lib/base/executor.h"
#include "lib/base/secret.h"
#include "naval/lobby/v1/lobby_internal_service.grpc.pb.h"
#include "services/lobby/table_store.h"

namespace naval::lobby {

// The internal face of the lobby.
class LobbyInternalService final : public v1::LobbyInternalService::CallbackService {
 public:
  // All must outlive the service.
  LobbyInternalService(TableStore& store, const base::Secret& service_token,
                       base::Executor& executor)
      : store_(store), service_token_(service_token), executor_(executor) {}

  grpc::ServerUnaryReactor* RecordMatchChange(grpc::CallbackServerContext* context,
                                              const v1::RecordMatchChangeRequest* request,
                                              v1::RecordMatchChangeResponse* response) override;

 private:
  TableStore& store_;
  const base::Secret& service_token_;
  base::Executor& executor_;
};

}  // namespace naval::lobby
