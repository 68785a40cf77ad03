#include "services/lobby/lobby_internal_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/unary.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::lobby {
namespace {

// The phase, and that a match that is over, and no other, has a result.
absl::Status CheckPhase(const v1::RecordMatchChangeRequest& request) {
  switch (request.phase()) {
    case match::v1::PHASE_PLACEMENT:
    case match::v1::PHASE_BATTLE:
      if (!request.has_result()) return absl::OkStatus();
      return base::InvalidField("INVALID_RESULT", "result",
                                "must be absent before the match is over");
    case match::v1::PHASE_OVER:
      if (request.has_result()) return wire::FromProto(request.result(), "result").status();
      return base::InvalidField("INVALID_RESULT", "result", "must say how the match ended");
    default:
      return base::InvalidField("INVALID_PHASE", "phase",
                                "must be PHASE_PLACEMENT, PHASE_BATTLE or PHASE_OVER",
                                {{"phase", absl::StrCat(request.phase())}});
  }
}

absl::StatusOr<AwaitedMove> ReadAwaited(const v1::RecordMatchChangeRequest& request) {
  AwaitedMove awaited;
  for (const int number : request.awaited_seats()) {
    NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat,
                           wire::FromProto(static_cast<match::v1::Seat>(number), "awaited_seats"));
    bool& awaited_of = seat == rules::Seat::kFirst ? awaited.of_first : awaited.of_second;
    if (std::exchange(awaited_of, true)) {
      return base::InvalidField("INVALID_SEAT", "awaited_seats", "must name each seat once");
    }
  }
  if (!request.has_deadline()) return awaited;
  NAVAL_ASSIGN_OR_RETURN(awaited.deadline, wire::FromProto(request.deadline(), "deadline"));
  return awaited;
}

// What can be awaited in the phase.
absl::Status CheckAwaited(const v1::RecordMatchChangeRequest& request) {
  if (request.phase() == match::v1::PHASE_OVER && request.awaited_seats_size() > 0) {
    return base::InvalidField("INVALID_SEAT", "awaited_seats",
                              "must be empty when the match is over");
  }
  if (request.has_deadline() && request.awaited_seats_size() == 0) {
    return base::InvalidField("INVALID_TIME", "deadline", "must be absent where nobody is awaited");
  }
  return absl::OkStatus();
}

absl::StatusOr<MatchChange> ReadChange(const v1::RecordMatchChangeRequest& request) {
  NAVAL_RETURN_IF_ERROR(server::CheckId("match_id", request.match_id()));
  NAVAL_RETURN_IF_ERROR(server::CheckId("table_id", request.table_id()));
  if (request.version() < 1) {
    return base::InvalidField("INVALID_VERSION", "version", "must be at least 1",
                              {{"version", absl::StrCat(request.version())}});
  }
  NAVAL_RETURN_IF_ERROR(CheckPhase(request));
  if (!request.has_change_time()) {
    return base::InvalidField("INVALID_TIME", "change_time", "must say when the match changed");
  }
  NAVAL_RETURN_IF_ERROR(wire::FromProto(request.change_time(), "change_time").status());
  NAVAL_RETURN_IF_ERROR(CheckAwaited(request));
  NAVAL_ASSIGN_OR_RETURN(const AwaitedMove awaited, ReadAwaited(request));
  return MatchChange{.match_id = request.match_id(),
                     .table_id = request.table_id(),
                     .version = request.version(),
                     .over = request.phase() == match::v1::PHASE_OVER,
                     .awaited = awaited};
}

}  // namespace

grpc::ServerUnaryReactor* LobbyInternalService::RecordMatchChange(
    grpc::CallbackServerContext* context, const v1::RecordMatchChangeRequest* request,
    v1::RecordMatchChangeResponse*) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(server::RequireServiceToken(*context, service_token_));
    NAVAL_ASSIGN_OR_RETURN(const MatchChange change, ReadChange(*request));
    return store_.RecordMatchChange(change);
  });
}

}  // namespace naval::lobby
