#include "services/match/append.h"

#include <optional>
#include <variant>
#include <vector>

#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"
#include "naval/lobby/v1/lobby_internal_service.pb.h"
#include "naval/ranking/v1/ranking_internal_service.pb.h"

namespace naval::match {
namespace {

// The phase that the match enters with this event, PHASE_UNSPECIFIED when it stays in its own.
v1::Phase PhaseEntered(const rules::Event& event) {
  if (std::holds_alternative<rules::PlacementStarted>(event)) return v1::PHASE_PLACEMENT;
  if (std::holds_alternative<rules::BattleStarted>(event)) return v1::PHASE_BATTLE;
  if (std::holds_alternative<rules::MatchEnded>(event)) return v1::PHASE_OVER;
  return v1::PHASE_UNSPECIFIED;
}

OutboxMessage ToLobby(const RecordedMatch& match, const Entry& entry, v1::Phase phase,
                      const rules::MatchEnded* end) {
  lobby::v1::RecordMatchChangeRequest request;
  request.set_match_id(match.match_id());
  request.set_table_id(match.created().table_id());
  request.set_version(entry.seq);
  request.set_phase(phase);
  if (end != nullptr) *request.mutable_result() = wire::ToProto(*end);
  *request.mutable_change_time() = wire::ToProto(entry.event_time);
  return {.destination = Destination::kLobby, .body = request.SerializeAsString()};
}

OutboxMessage ToRanking(const RecordedMatch& match, const Entry& entry,
                        const rules::MatchEnded& end) {
  ranking::v1::RecordResultRequest request;
  request.set_match_id(match.match_id());
  request.set_rule_set(match.created().rules().rule_set());
  *request.mutable_players() = match.created().players();
  request.set_rated(match.created().rated());
  *request.mutable_result() = wire::ToProto(end);
  *request.mutable_end_time() = wire::ToProto(entry.event_time);
  return {.destination = Destination::kRanking, .body = request.SerializeAsString()};
}

std::vector<OutboxMessage> Announce(const RecordedMatch& match, const Entry& entry) {
  v1::Phase phase = v1::PHASE_UNSPECIFIED;
  const rules::MatchEnded* end = nullptr;
  for (const rules::Event& event : entry.events) {
    // The last one counts: a lobby that hears of the end need not hear of the beginning.
    if (PhaseEntered(event) != v1::PHASE_UNSPECIFIED) phase = PhaseEntered(event);
    if (const auto* ended = std::get_if<rules::MatchEnded>(&event)) end = ended;
  }
  std::vector<OutboxMessage> messages;
  if (phase != v1::PHASE_UNSPECIFIED) messages.push_back(ToLobby(match, entry, phase, end));
  if (end != nullptr) messages.push_back(ToRanking(match, entry, *end));
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
          .messages = Announce(match, entry)};
}

}  // namespace naval::match
