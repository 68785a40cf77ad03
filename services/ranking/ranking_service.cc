#include "services/ranking/ranking_service.h"

#include <cstddef>
#include <optional>
#include <vector>

#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/unary.h"
#include "lib/wire/time_wire.h"
#include "services/ranking/page_token.h"
#include "services/ranking/rule_set_check.h"

namespace naval::ranking {
namespace {

v1::Rating ToProto(const Rating& rating) {
  v1::Rating proto;
  proto.set_account_id(rating.account_id);
  proto.set_handle(rating.handle);
  proto.set_rating(rating.rating);
  proto.set_rank(rating.rank);
  proto.set_wins(rating.wins);
  proto.set_losses(rating.losses);
  *proto.mutable_update_time() = wire::ToProto(rating.update_time);
  return proto;
}

LeaderboardPosition PositionOf(const Rating& rating) {
  return {
      .rating = rating.rating, .update_time = rating.update_time, .account_id = rating.account_id};
}

absl::Status NotRated(const v1::GetRatingRequest& request) {
  return base::Error(absl::StatusCode::kNotFound, "NOT_RATED",
                     "the player has no rated match in this rule set",
                     {{"account_id", request.account_id()}, {"rule_set", request.rule_set()}});
}

}  // namespace

absl::Status RankingService::CheckCaller(const grpc::CallbackServerContext& context) const {
  return server::Authenticate(context, verifier_, clock_.Now()).status();
}

grpc::ServerUnaryReactor* RankingService::ListLeaderboard(grpc::CallbackServerContext* context,
                                                          const v1::ListLeaderboardRequest* request,
                                                          v1::ListLeaderboardResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(CheckCaller(*context));
    NAVAL_RETURN_IF_ERROR(CheckRuleSet(request->rule_set()));
    NAVAL_ASSIGN_OR_RETURN(const int page_size, server::ReadPageSize(request->page_size()));
    NAVAL_ASSIGN_OR_RETURN(const LeaderboardPosition after,
                           ReadPageToken(request->rule_set(), request->page_token()));
    // One more tells whether there is another page.
    NAVAL_ASSIGN_OR_RETURN(std::vector<Rating> ratings,
                           store_.ListLeaderboard(request->rule_set(), after, page_size + 1));
    if (ratings.size() > static_cast<std::size_t>(page_size)) {
      ratings.pop_back();
      response->set_next_page_token(MakePageToken(request->rule_set(), PositionOf(ratings.back())));
    }
    for (const Rating& rating : ratings) *response->add_ratings() = ToProto(rating);
    return absl::OkStatus();
  });
}

grpc::ServerUnaryReactor* RankingService::GetRating(grpc::CallbackServerContext* context,
                                                    const v1::GetRatingRequest* request,
                                                    v1::GetRatingResponse* response) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(CheckCaller(*context));
    NAVAL_RETURN_IF_ERROR(CheckRuleSet(request->rule_set()));
    NAVAL_RETURN_IF_ERROR(server::CheckId("account_id", request->account_id()));
    NAVAL_ASSIGN_OR_RETURN(const std::optional<Rating> rating,
                           store_.GetRating(request->rule_set(), request->account_id()));
    if (!rating.has_value()) return NotRated(*request);
    *response->mutable_rating() = ToProto(*rating);
    return absl::OkStatus();
  });
}

}  // namespace naval::ranking
