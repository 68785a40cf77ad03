#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/auth/access_token.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "lib/base/random.h"
#include "lib/server/unary.h"
#include "naval/lobby/v1/lobby_service.grpc.pb.h"
#include "services/lobby/match_starter.h"
#include "services/lobby/table_store.h"

namespace naval::lobby {

// The public face of the tables: who calls, what the request means and whether it may be, then one
// call of the store, and for a table that is full one of the starter.
class LobbyService final : public v1::LobbyService::CallbackService {
 public:
  // All must outlive the service. `random` must be fit for secrets.
  LobbyService(TableStore& store, MatchStarter& starter, const auth::Verifier& verifier,
               const base::Clock& clock, base::Random& random, base::Executor& executor)
      : store_(store),
        starter_(starter),
        verifier_(verifier),
        clock_(clock),
        random_(random),
        executor_(executor) {}

  grpc::ServerUnaryReactor* ListRuleSets(grpc::CallbackServerContext* context,
                                         const v1::ListRuleSetsRequest* request,
                                         v1::ListRuleSetsResponse* response) override;
  grpc::ServerUnaryReactor* CreateTable(grpc::CallbackServerContext* context,
                                        const v1::CreateTableRequest* request,
                                        v1::CreateTableResponse* response) override;
  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const v1::GetTableRequest* request,
                                     v1::GetTableResponse* response) override;
  grpc::ServerUnaryReactor* ListTables(grpc::CallbackServerContext* context,
                                       const v1::ListTablesRequest* request,
                                       v1::ListTablesResponse* response) override;
  grpc::ServerUnaryReactor* JoinTable(grpc::CallbackServerContext* context,
                                      const v1::JoinTableRequest* request,
                                      v1::JoinTableResponse* response) override;
  grpc::ServerUnaryReactor* LeaveTable(grpc::CallbackServerContext* context,
                                       const v1::LeaveTableRequest* request,
                                       v1::LeaveTableResponse* response) override;

 private:
  absl::StatusOr<auth::Claims> Caller(const grpc::CallbackServerContext& context) const;
  absl::StatusOr<Table> Create(const grpc::CallbackServerContext& context,
                               const v1::CreateTableRequest& request,
                               v1::CreateTableResponse& response);
  absl::StatusOr<Table> Join(const grpc::CallbackServerContext& context,
                             const v1::JoinTableRequest& request);

  // Finds a table by `find`, which blocks, has its match started if it is due, and answers with
  // what became of it.
  grpc::ServerUnaryReactor* ServeStartingTable(grpc::CallbackServerContext* context,
                                               const google::protobuf::MessageLite& request,
                                               v1::Table* answer,
                                               absl::AnyInvocable<absl::StatusOr<Table>()> find);

  TableStore& store_;
  MatchStarter& starter_;
  const auth::Verifier& verifier_;
  const base::Clock& clock_;
  base::Random& random_;
  base::Executor& executor_;
};

}  // namespace naval::lobby
