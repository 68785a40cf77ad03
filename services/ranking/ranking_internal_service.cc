#include "services/ranking/ranking_internal_service.h"

#include <string>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/unary.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"
#include "services/ranking/rule_set_check.h"

namespace naval::ranking {
namespace {

absl::StatusOr<Player> ReadPlayer(const match::v1::Player& proto, const std::string& field,
                                  bool may_be_bot) {
  NAVAL_RETURN_IF_ERROR(server::CheckName(field + ".handle", proto.handle()));
  if (proto.bot().empty()) {
    NAVAL_RETURN_IF_ERROR(server::CheckId(field + ".account_id", proto.account_id()));
    return Player{.account_id = proto.account_id(), .bot = std::nullopt, .handle = proto.handle()};
  }
  if (!may_be_bot) {
    return base::InvalidField("INVALID_PLAYER", field + ".bot",
                              "must be empty: only the second player may be a bot");
  }
  if (!proto.account_id().empty()) {
    return base::InvalidField("INVALID_PLAYER", field + ".account_id", "must be empty for a bot");
  }
  NAVAL_RETURN_IF_ERROR(server::CheckName(field + ".bot", proto.bot()));
  return Player{.account_id = std::nullopt, .bot = proto.bot(), .handle = proto.handle()};
}

absl::StatusOr<Players> ReadPlayers(const v1::RecordResultRequest& request) {
  if (request.players_size() != 2) {
    return base::InvalidField("INVALID_PLAYER", "players", "must be exactly two");
  }
  NAVAL_ASSIGN_OR_RETURN(Player first,
                         ReadPlayer(request.players(0), "players[0]", /*may_be_bot=*/false));
  NAVAL_ASSIGN_OR_RETURN(Player second,
                         ReadPlayer(request.players(1), "players[1]", /*may_be_bot=*/true));
  if (first.account_id == second.account_id) {
    return base::InvalidField("INVALID_PLAYER", "players", "must be two different accounts");
  }
  if (request.rated() && second.bot.has_value()) {
    return base::InvalidField("RATED_NOT_ALLOWED", "rated",
                              "must be false: practice changes no ratings");
  }
  return Players{std::move(first), std::move(second)};
}

absl::StatusOr<MatchResult> ReadResult(const v1::RecordResultRequest& request) {
  NAVAL_RETURN_IF_ERROR(server::CheckId("match_id", request.match_id()));
  NAVAL_RETURN_IF_ERROR(CheckRuleSet(request.rule_set()));
  NAVAL_ASSIGN_OR_RETURN(Players players, ReadPlayers(request));
  NAVAL_ASSIGN_OR_RETURN(const rules::MatchEnded end, wire::FromProto(request.result(), "result"));
  if (!request.has_end_time()) {
    return base::InvalidField("INVALID_TIME", "end_time", "must say when the match ended");
  }
  NAVAL_ASSIGN_OR_RETURN(const absl::Time end_time,
                         wire::FromProto(request.end_time(), "end_time"));
  return MatchResult{.match_id = request.match_id(),
                     .rule_set = request.rule_set(),
                     .players = std::move(players),
                     .rated = request.rated(),
                     .end = end,
                     .end_time = end_time};
}

}  // namespace

absl::StatusOr<ResultUse> RankingInternalService::Record(const v1::RecordResultRequest& request) {
  NAVAL_ASSIGN_OR_RETURN(const MatchResult result, ReadResult(request));
  return store_.RecordResult(result);
}

grpc::ServerUnaryReactor* RankingInternalService::RecordResult(
    grpc::CallbackServerContext* context, const v1::RecordResultRequest* request,
    v1::RecordResultResponse*) {
  return server::ServeUnary(context, *request, executor_, [=, this]() -> absl::Status {
    NAVAL_RETURN_IF_ERROR(server::RequireServiceToken(*context, service_token_));
    const absl::StatusOr<ResultUse> use = Record(*request);
    metrics_.ResultTold(use);
    return use.status();
  });
}

}  // namespace naval::ranking
