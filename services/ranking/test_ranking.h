#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/auth/access_token.h"
#include "lib/base/secret.h"
#include "lib/base/simulated_clock.h"
#include "lib/postgres/pool.h"
#include "lib/server/server.h"
#include "naval/ranking/v1/ranking_internal_service.grpc.pb.h"
#include "naval/ranking/v1/ranking_service.grpc.pb.h"
#include "services/ranking/ranking_application.h"

namespace naval::ranking {

// Ids that tests can tell apart.
std::string AccountId(int n);
std::string MatchId(int n);

// A request that is in order: a rated match that the first player won.
v1::RecordResultRequest WonBy(int match, int winner, int loser);

// For tests: the whole ranking on a real database and real ports, and a client of its API. A call
// waits for 20 s at most. Thread safe.
class TestRanking {
 public:
  // Makes the tables.
  explicit TestRanking(postgres::Pool::Options database);
  ~TestRanking();

  base::SimulatedClock& clock() { return clock_; }
  const base::Secret& service_token() const { return service_token_; }
  // A token that is good for 15 minutes of the clock.
  const std::string& access_token() const { return access_token_; }
  // "127.0.0.1:PORT" of the public port.
  std::string address() const;

  absl::Status RecordResult(const v1::RecordResultRequest& request);
  absl::Status RecordResult(const v1::RecordResultRequest& request,
                            const base::Secret& service_token);
  // With the access token above, or with another; none when it is empty.
  absl::StatusOr<v1::ListLeaderboardResponse> ListLeaderboard(
      const v1::ListLeaderboardRequest& request);
  absl::StatusOr<v1::ListLeaderboardResponse> ListLeaderboard(
      const v1::ListLeaderboardRequest& request, const std::string& access_token);
  absl::StatusOr<v1::Rating> GetRating(const v1::GetRatingRequest& request);
  absl::StatusOr<v1::Rating> GetRating(const v1::GetRatingRequest& request,
                                       const std::string& access_token);

 private:
  base::SimulatedClock clock_;
  const base::Secret service_token_;
  std::string access_token_;
  std::unique_ptr<RankingApplication> ranking_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<v1::RankingService::Stub> stub_;
  std::unique_ptr<v1::RankingInternalService::Stub> internal_stub_;
};

}  // namespace naval::ranking
