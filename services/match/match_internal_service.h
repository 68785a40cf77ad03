#pragma once

#include <grpcpp/grpcpp.h>

#include "lib/base/secret.h"
#include "naval/match/v1/match_internal_service.grpc.pb.h"
#include "services/match/forwarder.h"
#include "services/match/live_matches.h"

namespace naval::match {

// The internal face of the match service. Runs on gRPC's threads, so it never blocks.
class MatchInternalService final : public v1::MatchInternalService::CallbackService {
 public:
  // All must outlive the service.
  MatchInternalService(LiveMatches& matches, Forwarder& forwarder,
                       const base::Secret& service_token)
      : matches_(matches), forwarder_(forwarder), service_token_(service_token) {}

  grpc::ServerUnaryReactor* CreateMatch(grpc::CallbackServerContext* context,
                                        const v1::CreateMatchRequest* request,
                                        v1::CreateMatchResponse* response) override;
  grpc::ServerUnaryReactor* AbortMatch(grpc::CallbackServerContext* context,
                                       const v1::AbortMatchRequest* request,
                                       v1::AbortMatchResponse* response) override;

 private:
  LiveMatches& matches_;
  Forwarder& forwarder_;
  const base::Secret& service_token_;
};

}  // namespace naval::match
