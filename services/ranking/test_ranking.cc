#include "services/ranking/test_ranking.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/check.h"
#include "lib/postgres/migrations.h"
#include "lib/server/channel.h"
#include "lib/server/grpc_status.h"
#include "lib/wire/time_wire.h"
#include "naval/ranking/migrations.h"
#include "tests/support/local_address.h"
#include "tests/support/or_die.h"
#include "tests/support/test_keys.h"

namespace naval::ranking {
namespace {

constexpr absl::Duration kCallTimeout = absl::Seconds(20);

std::unique_ptr<grpc::ClientContext> ContextFor(const std::string& access_token) {
  auto context = std::make_unique<grpc::ClientContext>();
  context->set_deadline(gpr_time_from_nanos(absl::ToInt64Nanoseconds(kCallTimeout), GPR_TIMESPAN));
  if (!access_token.empty()) context->AddMetadata("authorization", "Bearer " + access_token);
  return context;
}

void AddPlayer(int n, v1::RecordResultRequest& request) {
  match::v1::Player& player = *request.add_players();
  player.set_account_id(AccountId(n));
  player.set_handle(absl::StrCat("player", n));
}

}  // namespace

std::string AccountId(int n) { return absl::StrFormat("00000000-0000-7000-8000-%012d", n); }
std::string MatchId(int n) { return absl::StrFormat("11111111-1111-7111-8111-%012d", n); }

v1::RecordResultRequest WonBy(int match, int winner, int loser) {
  v1::RecordResultRequest request;
  request.set_match_id(MatchId(match));
  request.set_rule_set("tablu");
  AddPlayer(winner, request);
  AddPlayer(loser, request);
  request.set_rated(true);
  request.mutable_result()->set_winner(match::v1::SEAT_FIRST);
  request.mutable_result()->set_reason(match::v1::END_REASON_FLEET_DESTROYED);
  request.mutable_end_time()->set_seconds(1'800'000'000);
  return request;
}

TestRanking::TestRanking(postgres::Pool::Options database)
    : clock_(absl::FromUnixSeconds(1'800'000'000)), service_token_(std::string(40, 't')) {
  const testing::TestKeys keys = testing::NewTestKeys();
  access_token_ = std::string(keys.signer
                                  .Sign({.account_id = AccountId(1),
                                         .session_id = AccountId(0),
                                         .kind = auth::AccountKind::kGuest,
                                         .handle = "player1",
                                         .issue_time = clock_.Now(),
                                         .expire_time = clock_.Now() + auth::kAccessTokenLifetime})
                                  .Reveal());
  {
    postgres::Pool pool(database);
    testing::DieUnless(postgres::Migrate(pool, kSchema));
  }
  ranking_ = testing::ValueOrDie(
      RankingApplication::Start(std::move(database), keys.verifier, service_token_, clock_));
  server_ = testing::ValueOrDie(
      server::Server::Start({.listen_address = testing::LocalAddress(0),
                             .internal_listen_address = testing::LocalAddress(0)},
                            *ranking_));
  stub_ = v1::RankingService::NewStub(
      server::NewChannel(testing::LocalAddress(server_->public_port())));
  internal_stub_ = v1::RankingInternalService::NewStub(
      server::NewChannel(testing::LocalAddress(server_->internal_port())));
}

TestRanking::~TestRanking() = default;

std::string TestRanking::address() const { return testing::LocalAddress(server_->public_port()); }

absl::Status TestRanking::RecordResult(const v1::RecordResultRequest& request) {
  return RecordResult(request, service_token_);
}

absl::Status TestRanking::RecordResult(const v1::RecordResultRequest& request,
                                       const base::Secret& service_token) {
  const auto context = server::NewClientContext(service_token, kCallTimeout);
  v1::RecordResultResponse response;
  return server::FromGrpcStatus(internal_stub_->RecordResult(context.get(), request, &response));
}

absl::StatusOr<v1::ListLeaderboardResponse> TestRanking::ListLeaderboard(
    const v1::ListLeaderboardRequest& request) {
  return ListLeaderboard(request, access_token_);
}

absl::StatusOr<v1::ListLeaderboardResponse> TestRanking::ListLeaderboard(
    const v1::ListLeaderboardRequest& request, const std::string& access_token) {
  const auto context = ContextFor(access_token);
  v1::ListLeaderboardResponse response;
  const grpc::Status status = stub_->ListLeaderboard(context.get(), request, &response);
  if (!status.ok()) return server::FromGrpcStatus(status);
  return response;
}

absl::StatusOr<v1::Rating> TestRanking::GetRating(const v1::GetRatingRequest& request) {
  return GetRating(request, access_token_);
}

absl::StatusOr<v1::Rating> TestRanking::GetRating(const v1::GetRatingRequest& request,
                                                  const std::string& access_token) {
  const auto context = ContextFor(access_token);
  v1::GetRatingResponse response;
  const grpc::Status status = stub_->GetRating(context.get(), request, &response);
  if (!status.ok()) return server::FromGrpcStatus(status);
  return response.rating();
}

}  // namespace naval::ranking
