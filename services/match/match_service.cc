#include "services/match/match_service.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/auth/opaque_token.h"
#include "lib/base/status_macros.h"
#include "lib/server/auth_context.h"
#include "lib/server/fields.h"
#include "lib/server/request_check.h"
#include "lib/server/unary.h"
#include "lib/wire/fleet_wire.h"
#include "lib/wire/shot_wire.h"
#include "services/match/watch_stream.h"

namespace naval::match {
namespace {

// Two requests are the same when all their bytes are, their method included. But for expected_seq:
// it says when a request may have its effect, not which, and whoever repeats one after catching up
// may say a newer number.
template <typename Request>
std::string Digest(Request request) {
  request.clear_expected_seq();
  return auth::HashToken(request.GetDescriptor()->full_name() + request.SerializeAsString());
}

template <typename Request>
std::optional<int64_t> ExpectedSeqOf(const Request& request) {
  if (!request.has_expected_seq()) return std::nullopt;
  return request.expected_seq();
}

// The response has nothing but the events.
constexpr auto kEventsOnly = [](const auto&...) {};

}  // namespace

absl::StatusOr<std::string> MatchService::CallerOf(const grpc::CallbackServerContext& context,
                                                   const std::string& match_id) const {
  NAVAL_ASSIGN_OR_RETURN(auth::Claims claims,
                         server::Authenticate(context, verifier_, clock_.Now()));
  NAVAL_RETURN_IF_ERROR(server::CheckId("match_id", match_id));
  return std::move(claims.account_id);
}

grpc::ServerUnaryReactor* MatchService::GetMatch(grpc::CallbackServerContext* context,
                                                 const v1::GetMatchRequest* request,
                                                 v1::GetMatchResponse* response) {
  return server::ServeUnaryAsync(context, *request, [=, this](server::Finisher finish) {
    auto caller = CallerOf(*context, request->match_id());
    if (!caller.ok()) return finish(caller.status());
    if (forwarder_.HandOn(*context, *request, response, finish)) return;
    matches_.Find(request->match_id(), [response, caller = *std::move(caller),
                                        finish = std::move(finish)](const auto& match) mutable {
      if (!match.ok()) return finish(match.status());
      auto view = (*match)->ViewFor(caller);
      if (!view.ok()) return finish(view.status());
      *response->mutable_match() = *std::move(view);
      finish(absl::OkStatus());
    });
  });
}

template <typename Request, typename Response, typename ToCommand, typename Fill>
grpc::ServerUnaryReactor* MatchService::Command(grpc::CallbackServerContext* context,
                                                const Request* request, Response* response,
                                                ToCommand to_command, Fill fill) {
  const auto post = [=](LiveMatch& match, const std::string& caller, server::Finisher finish) {
    const auto seat = match.SeatOf(caller);
    if (!seat.ok()) return finish(seat.status());
    absl::StatusOr<rules::Command> command = to_command(*request, match.rules(), *seat);
    if (!command.ok()) return finish(command.status());
    match.Post({.command = *std::move(command),
                .seat = *seat,
                .request_id = request->request_id(),
                .request_digest = Digest(*request),
                .expected_seq = ExpectedSeqOf(*request)},
               [=, &rules = match.rules(), finish = std::move(finish)](const auto& events) mutable {
                 if (!events.ok()) return finish(events.status());
                 for (const v1::MatchEvent& event : *events) *response->add_events() = event;
                 fill(rules, *request, *response);
                 finish(absl::OkStatus());
               });
  };
  return server::ServeUnaryAsync(context, *request, [=, this](server::Finisher finish) {
    auto caller = CallerOf(*context, request->match_id());
    if (!caller.ok()) return finish(caller.status());
    if (absl::Status status = server::CheckId("request_id", request->request_id()); !status.ok()) {
      return finish(status);
    }
    if (forwarder_.HandOn(*context, *request, response, finish)) return;
    matches_.Find(request->match_id(), [post, caller = *std::move(caller),
                                        finish = std::move(finish)](const auto& match) mutable {
      if (!match.ok()) return finish(match.status());
      post(**match, caller, std::move(finish));
    });
  });
}

grpc::ServerUnaryReactor* MatchService::ProposeFleet(grpc::CallbackServerContext* context,
                                                     const v1::ProposeFleetRequest* request,
                                                     v1::ProposeFleetResponse* response) {
  return Command(
      context, request, response,
      [](const v1::ProposeFleetRequest& proposal, const rules::RuleSet& rules,
         rules::Seat seat) -> absl::StatusOr<rules::Command> {
        NAVAL_ASSIGN_OR_RETURN(rules::Fleet kept, wire::FromProto(rules, proposal.kept(), "kept"));
        return rules::ProposeFleet{seat, std::move(kept)};
      },
      [](const rules::RuleSet&, const v1::ProposeFleetRequest&, v1::ProposeFleetResponse& answer) {
        *answer.mutable_fleet() = answer.events(0).draft_changed().fleet();
      });
}

grpc::ServerUnaryReactor* MatchService::PlaceFleet(grpc::CallbackServerContext* context,
                                                   const v1::PlaceFleetRequest* request,
                                                   v1::PlaceFleetResponse* response) {
  return Command(
      context, request, response,
      [](const v1::PlaceFleetRequest& placement, const rules::RuleSet& rules,
         rules::Seat seat) -> absl::StatusOr<rules::Command> {
        NAVAL_ASSIGN_OR_RETURN(rules::Fleet draft,
                               wire::FromProto(rules, placement.fleet(), "fleet"));
        return rules::PlaceFleet{seat, std::move(draft)};
      },
      [](const rules::RuleSet& rules, const v1::PlaceFleetRequest& placement,
         v1::PlaceFleetResponse& answer) {
        // The command was accepted, so its fleet can be read.
        const rules::Fleet draft = *wire::FromProto(rules, placement.fleet(), "fleet");
        *answer.mutable_violations() = wire::ViolationsOf(rules, draft);
      });
}

grpc::ServerUnaryReactor* MatchService::ConfirmFleet(grpc::CallbackServerContext* context,
                                                     const v1::ConfirmFleetRequest* request,
                                                     v1::ConfirmFleetResponse* response) {
  return Command(
      context, request, response,
      [](const v1::ConfirmFleetRequest& confirmation, const rules::RuleSet& rules,
         rules::Seat seat) -> absl::StatusOr<rules::Command> {
        NAVAL_ASSIGN_OR_RETURN(rules::Fleet fleet,
                               wire::FromProto(rules, confirmation.fleet(), "fleet"));
        return rules::ConfirmFleet{seat, std::move(fleet)};
      },
      kEventsOnly);
}

grpc::ServerUnaryReactor* MatchService::FireShots(grpc::CallbackServerContext* context,
                                                  const v1::FireShotsRequest* request,
                                                  v1::FireShotsResponse* response) {
  return Command(
      context, request, response,
      [](const v1::FireShotsRequest& shots, const rules::RuleSet&,
         rules::Seat seat) -> absl::StatusOr<rules::Command> {
        NAVAL_ASSIGN_OR_RETURN(auto squares, wire::FromProto(shots.squares(), "squares"));
        return rules::FireShots{seat, std::move(squares), shots.round()};
      },
      kEventsOnly);
}

grpc::ServerUnaryReactor* MatchService::Resign(grpc::CallbackServerContext* context,
                                               const v1::ResignRequest* request,
                                               v1::ResignResponse* response) {
  return Command(
      context, request, response,
      [](const v1::ResignRequest&, const rules::RuleSet&,
         rules::Seat seat) -> absl::StatusOr<rules::Command> { return rules::Resign{seat}; },
      kEventsOnly);
}

grpc::ServerUnaryReactor* MatchService::ClaimAbsence(grpc::CallbackServerContext* context,
                                                     const v1::ClaimAbsenceRequest* request,
                                                     v1::ClaimAbsenceResponse* response) {
  return Command(
      context, request, response,
      [](const v1::ClaimAbsenceRequest&, const rules::RuleSet&,
         rules::Seat seat) -> absl::StatusOr<rules::Command> { return rules::ClaimAbsence{seat}; },
      kEventsOnly);
}

grpc::ServerWriteReactor<v1::WatchMatchResponse>* MatchService::WatchMatch(
    grpc::CallbackServerContext* context, const v1::WatchMatchRequest* request) {
  const auto refuse = [&](const absl::Status& why) {
    const std::shared_ptr<WatchStream> stream = WatchStream::New(request->events_together());
    stream->Refuse(why);
    return stream.get();
  };
  if (const absl::Status fits = server::CheckRequestSize(*request); !fits.ok()) return refuse(fits);
  auto caller = CallerOf(*context, request->match_id());
  if (!caller.ok()) return refuse(caller.status());
  if (auto* const forwarded = forwarder_.Watch(*context, *request)) return forwarded;
  std::optional<int64_t> after_seq;
  if (request->has_after_seq()) after_seq = request->after_seq();
  const std::shared_ptr<WatchStream> stream = WatchStream::New(request->events_together());
  matches_.Find(request->match_id(),
                [stream, after_seq, caller = *std::move(caller)](const auto& match) {
                  if (!match.ok()) return stream->Refuse(match.status());
                  stream->Begin(*match, caller, after_seq);
                });
  return stream.get();
}

}  // namespace naval::match
