#include "services/match/append.h"

#include <optional>
#include <vector>

#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"
#include "lib/wire/view_wire.h"
#include "naval/lobby/v1/lobby_internal_service.pb.h"
#include "naval/ranking/v1/ranking_internal_service.pb.h"
#include "services/match/live_match.h"

namespace naval::match {
namespace {

// What the lobby lists of a match besides its phase.
struct Awaited {
  std::vector<rules::Seat> seats;
  std::optional<absl::Time> deadline;

  friend bool operator==(const Awaited&, const Awaited&) = default;
};

// Of a match that is played over days, where a player has to be told from afar that it is their
// turn. In faster ones it changes by the second, and they are there to see it: nothing.
Awaited AwaitedIn(const rules::Game& game) {
  const bool over_days =
      game.rules().shot_duration.value_or(absl::ZeroDuration()) >= kLeastWaitingDuration;
  Awaited awaited;
  if (!over_days || game.phase() == rules::Phase::kOver) return awaited;
  for (const rules::Seat seat : rules::kSeats) {
    if (game.Awaits(seat)) awaited.seats.push_back(seat);
  }
  awaited.deadline = game.deadline();
  return awaited;
}

OutboxMessage ToLobby(const RecordedMatch& match, const Entry& entry, const rules::Game& after,
                      const Awaited& awaited) {
  lobby::v1::RecordMatchChangeRequest request;
  request.set_match_id(match.match_id());
  request.set_table_id(match.created().table_id());
  request.set_version(entry.seq);
  request.set_phase(wire::ToProto(after.phase()));
  if (after.result().has_value()) *request.mutable_result() = wire::ToProto(*after.result());
  for (const rules::Seat seat : awaited.seats) request.add_awaited_seats(wire::ToProto(seat));
  if (awaited.deadline.has_value()) *request.mutable_deadline() = wire::ToProto(*awaited.deadline);
  *request.mutable_change_time() = wire::ToProto(entry.event_time);
  return {.destination = Destination::kLobby, .body = request.SerializeAsString()};
}

OutboxMessage ToRanking(const RecordedMatch& match, const Entry& entry,
                        const rules::MatchEnded& end) {
  ranking::v1::RecordResultRequest request;
  request.set_match_id(match.match_id());
  const log::v1::MatchCreated created = match.created();
  request.set_rule_set(created.rules().rule_set());
  *request.mutable_players() = created.players();
  request.set_rated(created.rated());
  *request.mutable_result() = wire::ToProto(end);
  *request.mutable_end_time() = wire::ToProto(entry.event_time);
  return {.destination = Destination::kRanking, .body = request.SerializeAsString()};
}

// What others have to learn of a match that an entry made `after` of.
std::vector<OutboxMessage> Announce(const RecordedMatch& match, const Entry& entry,
                                    const rules::Game& after) {
  const rules::Game& before = match.game();
  std::vector<OutboxMessage> messages;
  const Awaited awaited = AwaitedIn(after);
  if (before.phase() != after.phase() || AwaitedIn(before) != awaited) {
    messages.push_back(ToLobby(match, entry, after, awaited));
  }
  if (after.result().has_value()) messages.push_back(ToRanking(match, entry, *after.result()));
  return messages;
}

}  // namespace

Append ToAppend(const RecordedMatch& match, const Entry& entry, const auth::Sealer& sealer,
                base::Random& random) {
  // Played on a copy: the match itself changes after the commit only.
  rules::Game after = match.game();
  for (const rules::Event& event : entry.events) after.Apply(event);
  return {.match_id = match.match_id(),
          .row = SealRow(match.match_id(), match.game().rules(), entry, sealer, random),
          .over = after.phase() == rules::Phase::kOver,
          .deadline = after.NextDeadline(),
          .messages = Announce(match, entry, after)};
}

}  // namespace naval::match
