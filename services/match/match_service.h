#pragma once

#include <grpcpp/grpcpp.h>

#include <string>

#include "lib/auth/access_token.h"
#include "lib/base/clock.h"
#include "naval/match/v1/match_service.grpc.pb.h"
#include "services/match/forwarder.h"
#include "services/match/live_matches.h"

namespace naval::match {

// The public face of the match service: who calls, words to values, hand on to the match, or to the
// process that plays it, events to words. Decides nothing. Runs on gRPC's threads, so it never
// blocks.
class MatchService final : public v1::MatchService::CallbackService {
 public:
  // All must outlive the service.
  MatchService(LiveMatches& matches, Forwarder& forwarder, const auth::Verifier& verifier,
               const base::Clock& clock)
      : matches_(matches), forwarder_(forwarder), verifier_(verifier), clock_(clock) {}

  grpc::ServerUnaryReactor* GetMatch(grpc::CallbackServerContext* context,
                                     const v1::GetMatchRequest* request,
                                     v1::GetMatchResponse* response) override;
  grpc::ServerUnaryReactor* ProposeFleet(grpc::CallbackServerContext* context,
                                         const v1::ProposeFleetRequest* request,
                                         v1::ProposeFleetResponse* response) override;
  grpc::ServerUnaryReactor* PlaceFleet(grpc::CallbackServerContext* context,
                                       const v1::PlaceFleetRequest* request,
                                       v1::PlaceFleetResponse* response) override;
  grpc::ServerUnaryReactor* ConfirmFleet(grpc::CallbackServerContext* context,
                                         const v1::ConfirmFleetRequest* request,
                                         v1::ConfirmFleetResponse* response) override;
  grpc::ServerUnaryReactor* FireShots(grpc::CallbackServerContext* context,
                                      const v1::FireShotsRequest* request,
                                      v1::FireShotsResponse* response) override;
  grpc::ServerUnaryReactor* Resign(grpc::CallbackServerContext* context,
                                   const v1::ResignRequest* request,
                                   v1::ResignResponse* response) override;
  grpc::ServerUnaryReactor* ClaimAbsence(grpc::CallbackServerContext* context,
                                         const v1::ClaimAbsenceRequest* request,
                                         v1::ClaimAbsenceResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchMatchResponse>* WatchMatch(
      grpc::CallbackServerContext* context, const v1::WatchMatchRequest* request) override;

 private:
  // Who calls about which match.
  absl::StatusOr<std::string> CallerOf(const grpc::CallbackServerContext& context,
                                       const std::string& match_id) const;

  // The way of every command: `to_command(request, rules, seat)` turns words into a command,
  // `fill(rules, request, response)` adds what the events alone do not say.
  template <typename Request, typename Response, typename ToCommand, typename Fill>
  grpc::ServerUnaryReactor* Command(grpc::CallbackServerContext* context, const Request* request,
                                    Response* response, ToCommand to_command, Fill fill);

  LiveMatches& matches_;
  Forwarder& forwarder_;
  const auth::Verifier& verifier_;
  const base::Clock& clock_;
};

}  // namespace naval::match
