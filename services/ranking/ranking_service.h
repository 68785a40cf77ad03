#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "lib/auth/access_token.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "naval/ranking/v1/ranking_service.grpc.pb.h"
#include "services/ranking/rating_store.h"

namespace naval::ranking {

// The public face of the ranking.
class RankingService final : public v1::RankingService::CallbackService {
 public:
  // All must outlive the service.
  RankingService(RatingStore& store, const auth::Verifier& verifier, const base::Clock& clock,
                 base::Executor& executor)
      : store_(store), verifier_(verifier), clock_(clock), executor_(executor) {}

  grpc::ServerUnaryReactor* ListLeaderboard(grpc::CallbackServerContext* context,
                                            const v1::ListLeaderboardRequest* request,
                                            v1::ListLeaderboardResponse* response) override;
  grpc::ServerUnaryReactor* GetRating(grpc::CallbackServerContext* context,
                                      const v1::GetRatingRequest* request,
                                      v1::GetRatingResponse* response) override;

 private:
  // Whether the call carries a valid access token. Everybody may see every rating.
  absl::Status CheckCaller(const grpc::CallbackServerContext& context) const;

  RatingStore& store_;
  const auth::Verifier& verifier_;
  const base::Clock& clock_;
  base::Executor& executor_;
};

}  // namespace naval::ranking
