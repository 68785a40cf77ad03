#include "services/match/outbox_senders.h"

#include <memory>

#include "absl/status/status.h"
#include "lib/base/error.h"
#include "lib/server/channel.h"
#include "lib/server/grpc_status.h"
#include "naval/lobby/v1/lobby_internal_service.grpc.pb.h"
#include "naval/ranking/v1/ranking_internal_service.grpc.pb.h"

namespace naval::match {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(2);

// Sends a stored body as a Request by the given method of a stub.
template <typename Request, typename Response, typename Stub>
Outbox::Send SendBy(std::shared_ptr<Stub> stub,
                    grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                    const base::Secret& service_token) {
  return [stub, method, service_token](const std::string& body) -> absl::Status {
    Request request;
    if (!request.ParseFromString(body)) {
      return base::Error(absl::StatusCode::kDataLoss, "OUTBOX_DAMAGED",
                         "a stored message cannot be read");
    }
    Response response;
    const auto context = server::NewClientContext(service_token, kCallTimeout);
    return server::FromGrpcStatus((stub.get()->*method)(context.get(), request, &response));
  };
}

}  // namespace

Outbox::Send SendToLobby(const std::string& address, const base::Secret& service_token) {
  using Stub = lobby::v1::LobbyInternalService::Stub;
  return SendBy(
      std::shared_ptr<Stub>(lobby::v1::LobbyInternalService::NewStub(server::NewChannel(address))),
      &Stub::RecordMatchChange, service_token);
}

Outbox::Send SendToRanking(const std::string& address, const base::Secret& service_token) {
  using Stub = ranking::v1::RankingInternalService::Stub;
  return SendBy(std::shared_ptr<Stub>(
                    ranking::v1::RankingInternalService::NewStub(server::NewChannel(address))),
                &Stub::RecordResult, service_token);
}

}  // namespace naval::match
