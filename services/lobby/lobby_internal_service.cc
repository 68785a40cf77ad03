#include "services/lobby/lobby_internal_service.h"

#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/unary.h"

namespace naval::lobby {
namespace {

absl::StatusOr<MatchChange> ReadChange(const v1::RecordMatchChangeRequest& request) {
  NAVAL_RETURN_IF_ERROR(server::CheckId("match_id", request.match_id()));
  NAVAL_RETURN_IF_ERROR(server::CheckId("table_id", request.table_id()));
  if (request.version() < 1) {
    return base::InvalidField("INVALID_VERSION", "version", "must be at least 1");
  }
  const bool known_phase =
      match::v1::Phase_IsValid(request.phase()) && request.phase() != match::v1::PHASE_UNSPECIFIED;
  if (!known_phase) {
    return base::InvalidField("INVALID_PHASE", "phase", "must be a phase of a match");
  }
  return MatchChange{.match_id = request.match_id(),
                     .table_id = request.table_id(),
                     .version = request.version(),
                     .over = request.phase() == match::v1::PHASE_OVER};
}

}  // namespace

grpc::ServerUnaryReactor* LobbyInternalService::RecordMatchChange(
    grpc::CallbackServerContext* context, const v1::RecordMatchChangeRequest* request,
    v1::RecordMatchChangeResponse*) {
  return server::ServeUnary(context, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(server::RequireServiceToken(*context, service_token_));
    NAVAL_ASSIGN_OR_RETURN(const MatchChange change, ReadChange(*request));
    return store_.RecordMatchChange(change);
  });
}

}  // namespace naval::lobby
