#include "services/match/match_internal_service.h"

#include <memory>
#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "lib/bots/bot.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/unary.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/rules_wire.h"

namespace naval::match {
namespace {

absl::Status CheckPlayer(const v1::Player& player, const std::string& field, bool may_be_bot) {
  NAVAL_RETURN_IF_ERROR(server::CheckName(field + ".handle", player.handle()));
  if (player.bot().empty()) {
    return server::CheckId(field + ".account_id", player.account_id());
  }
  if (!may_be_bot) {
    return base::InvalidField("INVALID_PLAYER", field + ".bot",
                              "must be empty: only the second player may be a bot");
  }
  if (!player.account_id().empty()) {
    return base::InvalidField("INVALID_PLAYER", field + ".account_id", "must be empty for a bot");
  }
  const absl::Status known = bots::MakeBot(player.bot()).status();
  return known.ok() ? known : base::InField(known, field + ".bot");
}

absl::Status CheckRequest(const v1::CreateMatchRequest& request) {
  NAVAL_RETURN_IF_ERROR(server::CheckUuidV7("match_id", request.match_id()));
  NAVAL_RETURN_IF_ERROR(server::CheckUuidV7("table_id", request.table_id()));
  if (request.players_size() != 2) {
    return base::InvalidField("INVALID_PLAYER", "players", "must be exactly two");
  }
  NAVAL_RETURN_IF_ERROR(CheckPlayer(request.players(0), "players[0]", /*may_be_bot=*/false));
  NAVAL_RETURN_IF_ERROR(CheckPlayer(request.players(1), "players[1]", /*may_be_bot=*/true));
  if (request.players(0).account_id() == request.players(1).account_id()) {
    return base::InvalidField("INVALID_PLAYER", "players", "must be two different accounts");
  }
  if (request.rated() && !request.players(1).bot().empty()) {
    return base::InvalidField("RATED_NOT_ALLOWED", "rated", "must be false against a bot");
  }
  const auto opponent =
      request.players(1).bot().empty() ? rules::Opponent::kPerson : rules::Opponent::kBot;
  return wire::ReadRules(request.rules(), opponent, "rules").status();
}

log::v1::MatchCreated ToMatchCreated(const v1::CreateMatchRequest& request) {
  log::v1::MatchCreated created;
  created.set_table_id(request.table_id());
  *created.mutable_rules() = request.rules();
  *created.mutable_players() = request.players();
  created.set_rated(request.rated());
  created.set_spectators_allowed(request.spectators_allowed());
  return created;
}

void Abort(const std::shared_ptr<LiveMatch>& match, v1::AbortMatchResponse& response,
           server::Finisher finish) {
  match->Post({.command = rules::Abort{}}, [match, &response, finish = std::move(finish)](
                                               const auto& outcome) mutable {
    if (outcome.ok()) {
      base::Log(base::LogLevel::kInfo, "match_aborted", {{"match_id", match->match_id()}});
    }
    // Also of one that had ended before: a repeated call is to find what became of the first.
    const std::optional<rules::MatchEnded> result = match->result();
    if (!result.has_value()) return finish(outcome.status());
    *response.mutable_result() = wire::ToProto(*result);
    finish(absl::OkStatus());
  });
}

}  // namespace

grpc::ServerUnaryReactor* MatchInternalService::CreateMatch(grpc::CallbackServerContext* context,
                                                            const v1::CreateMatchRequest* request,
                                                            v1::CreateMatchResponse* response) {
  return server::ServeUnaryAsync(context, *request, [=, this](server::Finisher finish) {
    absl::Status status = server::RequireServiceToken(*context, service_token_);
    if (status.ok()) status = CheckRequest(*request);
    if (!status.ok()) return finish(status);
    if (forwarder_.HandOn(*context, *request, response, finish)) return;
    matches_.Create(
        request->match_id(), ToMatchCreated(*request),
        [finish = std::move(finish)](const absl::Status& created) mutable { finish(created); });
  });
}

grpc::ServerUnaryReactor* MatchInternalService::AbortMatch(grpc::CallbackServerContext* context,
                                                           const v1::AbortMatchRequest* request,
                                                           v1::AbortMatchResponse* response) {
  return server::ServeUnaryAsync(context, *request, [=, this](server::Finisher finish) {
    absl::Status status = server::RequireServiceToken(*context, service_token_);
    if (status.ok()) status = server::CheckId("match_id", request->match_id());
    if (!status.ok()) return finish(status);
    if (forwarder_.HandOn(*context, *request, response, finish)) return;
    matches_.Find(request->match_id(),
                  [response, finish = std::move(finish)](const auto& match) mutable {
                    if (!match.ok()) return finish(match.status());
                    Abort(*match, *response, std::move(finish));
                  });
  });
}

}  // namespace naval::match
