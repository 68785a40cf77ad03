#pragma once

#include <grpcpp/grpcpp.h>

#include "lib/base/executor.h"
#include "lib/base/secret.h"
#include "naval/ranking/v1/ranking_internal_service.grpc.pb.h"
#include "services/ranking/ranking_metrics.h"
#include "services/ranking/rating_store.h"

namespace naval::ranking {

// The internal face of the ranking.
class RankingInternalService final : public v1::RankingInternalService::CallbackService {
 public:
  // All must outlive the service.
  RankingInternalService(RatingStore& store, const base::Secret& service_token,
                         base::Executor& executor, RankingMetrics& metrics)
      : store_(store), service_token_(service_token), executor_(executor), metrics_(metrics) {}

  // INVALID_ARGUMENT: INVALID_MATCH_ID, UNKNOWN_RULE_SET, INVALID_PLAYER, INVALID_ACCOUNT_ID,
  // RATED_NOT_ALLOWED (with a bot), INVALID_SEAT, INVALID_END_REASON, INVALID_TIME.
  grpc::ServerUnaryReactor* RecordResult(grpc::CallbackServerContext* context,
                                         const v1::RecordResultRequest* request,
                                         v1::RecordResultResponse* response) override;

 private:
  absl::StatusOr<ResultUse> Record(const v1::RecordResultRequest& request);

  RatingStore& store_;
  const base::Secret& service_token_;
  base::Executor& executor_;
  RankingMetrics& metrics_;
};

}  // namespace naval::ranking
