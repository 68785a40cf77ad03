#include "tools/cli/match_commands.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/rules/square.h"
#include "tools/cli/draft.h"
#include "tools/cli/failure.h"
#include "tools/cli/ships.h"
#include "tools/client/match_feed.h"
#include "tools/client/match_state.h"
#include "tools/client/player.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

Lines MatchTextNow(const v1::Match& match) {
  return MatchText(match, client::TimeOf(match.server_time()));
}

// What the call did, with the match as it is now. In JSON the answer says it all.
template <typename Response>
absl::Status AnswerWithMatch(const std::string& match_id, const Response& response, Lines lines,
                             Context& context) {
  if (!context.arguments.json) {
    NAVAL_ASSIGN_OR_RETURN(const v1::Match match, client::MatchOf(context.client, match_id));
    for (const Lines& more : {EventsText(response.events(), match), MatchTextNow(match)}) {
      lines.insert(lines.end(), more.begin(), more.end());
    }
  }
  return Answer(context, response, [&] { return lines; });
}

// Why there is nothing to claim depends on the rules and on whose move it is.
absl::Status WithClaimHint(const absl::Status& error, const std::string& match_id,
                           Context& context) {
  if (base::ReasonOf(error) != "RIVAL_NOT_ABSENT") return error;
  const auto match = client::MatchOf(context.client, match_id);
  return match.ok() ? WithHint(error, ClaimHint(*match)) : error;
}

bool WantsSomething(const v1::Match& match) {
  const v1::Seat seat = match.viewer_seat();
  return match.phase() == v1::PHASE_OVER ||
         (match.phase() == v1::PHASE_PLACEMENT && seat != v1::SEAT_UNSPECIFIED &&
          !client::SideOf(match, seat).fleet_confirmed()) ||
         client::MayFire(match);
}

}  // namespace

absl::Status Run(const ShowCommand& command, Context& context) {
  v1::GetMatchRequest request;
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_match_id(), MatchIdOf(command.match_id, context));
  NAVAL_ASSIGN_OR_RETURN(const v1::GetMatchResponse response,
                         context.client.Call(&MatchStub::GetMatch, request));
  return Answer(context, response, [&] { return MatchTextNow(response.match()); });
}

absl::Status Run(const WaitCommand& command, Context& context) {
  const absl::Time deadline = context.clock.Now() + command.limit;
  NAVAL_ASSIGN_OR_RETURN(const std::string match_id,
                         AwaitMatchId(command.match_id, command.limit, context));
  {
    client::MatchFeed feed(context.client, context.clock, match_id);
    NAVAL_RETURN_IF_ERROR(feed.WaitForState(context.arguments.timeout).status());
    NAVAL_RETURN_IF_ERROR(feed.WaitFor(WantsSomething, deadline - context.clock.Now()).status());
  }
  return Run(ShowCommand{.match_id = match_id}, context);
}

absl::Status Run(const ProposeCommand& command, Context& context) {
  v1::ProposeFleetRequest request;
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_match_id(), MatchIdOf(command.match_id, context));
  if (!command.ships.empty()) {
    NAVAL_ASSIGN_OR_RETURN(const v1::Match match,
                           client::MatchOf(context.client, request.match_id()));
    NAVAL_ASSIGN_OR_RETURN(*request.mutable_kept(), ParseShips(command.ships, match.rule_set()));
  }
  NAVAL_ASSIGN_OR_RETURN(const v1::ProposeFleetResponse response,
                         context.client.Call(&MatchStub::ProposeFleet, request));
  return AnswerWithMatch(request.match_id(), response, {}, context);
}

absl::Status Run(const PlaceCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const std::string match_id, MatchIdOf(command.match_id, context));
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, client::MatchOf(context.client, match_id));
  NAVAL_ASSIGN_OR_RETURN(const v1::PlaceFleetResponse response,
                         PlaceShips(context.client, match, command.ships));
  return AnswerWithMatch(match_id, response, ViolationsText(response, match.rule_set()), context);
}

absl::Status Run(const ConfirmCommand& command, Context& context) {
  NAVAL_ASSIGN_OR_RETURN(const std::string match_id, MatchIdOf(command.match_id, context));
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, client::MatchOf(context.client, match_id));
  NAVAL_ASSIGN_OR_RETURN(const v1::ConfirmFleetResponse response,
                         ConfirmDraft(context.client, match, command.illegal));
  return AnswerWithMatch(match_id, response, {}, context);
}

absl::Status Run(const FireCommand& command, Context& context) {
  v1::FireShotsRequest request;
  for (const std::string& name : command.squares) {
    const auto square = rules::Square::Parse(name);
    if (!square.ok()) return UsageError(square.status().message());
    request.add_squares(square->ToString());
  }
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_match_id(), MatchIdOf(command.match_id, context));
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match,
                         client::MatchOf(context.client, request.match_id()));
  request.set_round(match.round());
  NAVAL_ASSIGN_OR_RETURN(const v1::FireShotsResponse response,
                         context.client.Call(&MatchStub::FireShots, request));
  return AnswerWithMatch(request.match_id(), response, {}, context);
}

absl::Status Run(const ResignCommand& command, Context& context) {
  v1::ResignRequest request;
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_match_id(), MatchIdOf(command.match_id, context));
  NAVAL_ASSIGN_OR_RETURN(const v1::ResignResponse response,
                         context.client.Call(&MatchStub::Resign, request));
  return AnswerWithMatch(request.match_id(), response, {}, context);
}

absl::Status Run(const ClaimCommand& command, Context& context) {
  v1::ClaimAbsenceRequest request;
  NAVAL_ASSIGN_OR_RETURN(*request.mutable_match_id(), MatchIdOf(command.match_id, context));
  const auto response = context.client.Call(&MatchStub::ClaimAbsence, request);
  if (!response.ok()) return WithClaimHint(response.status(), request.match_id(), context);
  return AnswerWithMatch(request.match_id(), *response, {}, context);
}

}  // namespace naval::cli
