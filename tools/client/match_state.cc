#include "tools/client/match_state.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/error.h"
#include "lib/rules/square.h"
#include "tools/client/board.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;

v1::Side& MutableSideOf(v1::Match& match, v1::Seat seat) {
  return *match.mutable_sides(seat == v1::SEAT_SECOND ? 1 : 0);
}

void SetDeadline(bool present, const google::protobuf::Timestamp& deadline, v1::Match& match) {
  if (present) {
    *match.mutable_deadline() = deadline;
  } else {
    match.clear_deadline();
  }
}

// Squares stand column by column: A2 before A10, A10 before B1.
void AddRingSquares(const google::protobuf::RepeatedPtrField<std::string>& squares,
                    v1::Side& side) {
  rules::SquareSet ring;
  for (const auto* names : {&side.ring_squares(), &squares}) {
    for (const std::string& name : *names) {
      if (const auto square = rules::Square::Parse(name); square.ok()) ring.Add(*square);
    }
  }
  side.clear_ring_squares();
  for (const rules::Square square : ring) side.add_ring_squares(square.ToString());
}

void Sink(const v1::SunkShip& ship, v1::Side& sea) {
  auto& afloat = *sea.mutable_ships_afloat();
  afloat.erase(std::remove(afloat.begin(), afloat.end(), ship.ship_id()), afloat.end());
  *sea.add_sunk_ships() = ship;
}

// What the shots of volleys found, once the fleet that they fell on is shown. None of them sank a
// ship: a volley's have no order.
void ResolveShots(const v1::Match& match, v1::Side& sea) {
  std::set<std::string> fleet;
  for (const v1::ShipPlacement& ship : sea.fleet()) {
    for (const std::string& square : SquaresOf(ship, LengthOf(match, ship.ship_id()))) {
      fleet.insert(square);
    }
  }
  for (v1::ShotMark& mark : *sea.mutable_shots()) {
    if (mark.result() != v1::SHOT_RESULT_UNKNOWN) continue;
    mark.set_result(fleet.contains(mark.square()) ? v1::SHOT_RESULT_HIT : v1::SHOT_RESULT_WATER);
  }
}

void EndRound(v1::Side& side) {
  side.clear_volley_size();
  side.clear_volley_in();
  side.clear_volley_squares();
}

void Apply(const v1::FleetConfirmed& event, v1::Match& match) {
  v1::Side& side = MutableSideOf(match, event.seat());
  side.set_fleet_confirmed(true);
  if (event.seat() == match.viewer_seat()) *side.mutable_fleet() = event.fleet();
}

void Apply(const v1::ShotFired& event, v1::Match& match) {
  if (!event.by_clock()) MutableSideOf(match, event.seat()).set_strikes(0);
  v1::Side& sea = MutableSideOf(match, RivalOf(event.seat()));
  v1::ShotMark& mark = *sea.add_shots();
  mark.set_square(event.square());
  mark.set_result(event.result());
  AddRingSquares(event.ring_squares(), sea);
  if (!event.has_sunk_ship()) return;
  mark.set_sunk_ship_id(event.sunk_ship().ship_id());
  Sink(event.sunk_ship(), sea);
}

void Apply(const v1::VolleyDue& event, v1::Match& match) {
  match.set_round(event.round());
  SetDeadline(event.has_deadline(), event.deadline(), match);
  for (int seat = 0; seat < std::min(match.sides_size(), event.shots_size()); ++seat) {
    match.mutable_sides(seat)->set_volley_size(event.shots(seat));
  }
}

void Apply(const v1::VolleyFired& event, v1::Match& match) {
  v1::Side& side = MutableSideOf(match, event.seat());
  if (!event.by_clock()) side.set_strikes(0);
  side.set_volley_in(true);
  *side.mutable_volley_squares() = event.squares();
}

void Apply(const v1::VolleyAnswered& event, v1::Match& match) {
  *match.add_volleys() = event;
  EndRound(MutableSideOf(match, event.seat()));
  v1::Side& sea = MutableSideOf(match, RivalOf(event.seat()));
  for (const std::string& square : event.squares()) {
    v1::ShotMark& mark = *sea.add_shots();
    mark.set_square(square);
    mark.set_result(v1::SHOT_RESULT_UNKNOWN);
  }
  for (const std::string& ship_id : event.sunk_ships()) {
    v1::SunkShip ship;
    ship.set_ship_id(ship_id);
    Sink(ship, sea);
  }
}

void Apply(const v1::MatchEnded& event, v1::Match& match) {
  // Whose streams end with the match is not away.
  for (v1::Side& side : *match.mutable_sides()) side.clear_presence();
  match.set_phase(v1::PHASE_OVER);
  match.clear_turn();
  match.clear_deadline();
  match.clear_idle_deadline();
  *match.mutable_result() = event.result();
  *match.mutable_violations() = event.violations();
  for (const v1::RevealedFleet& revealed : event.fleets()) {
    v1::Side& side = MutableSideOf(match, revealed.seat());
    *side.mutable_fleet() = revealed.fleet();
    ResolveShots(match, side);
  }
  for (v1::Side& side : *match.mutable_sides()) EndRound(side);
}

absl::Status EventMissed(const v1::MatchEvent& event, const v1::Match& match) {
  return base::Error(
      absl::StatusCode::kDataLoss, "EVENT_MISSED",
      absl::StrCat("event ", event.seq(), " came where ", match.seq() + 1, " was due"),
      {{"match_id", match.match_id()}});
}

absl::Status ApplyKind(const v1::MatchEvent& event, v1::Match& match) {
  switch (event.event_case()) {
    case v1::MatchEvent::kPlacementStarted:
      match.set_phase(v1::PHASE_PLACEMENT);
      SetDeadline(event.placement_started().has_deadline(), event.placement_started().deadline(),
                  match);
      return absl::OkStatus();
    case v1::MatchEvent::kDraftChanged:
      *MutableSideOf(match, match.viewer_seat()).mutable_fleet() = event.draft_changed().fleet();
      return absl::OkStatus();
    case v1::MatchEvent::kFleetConfirmed:
      Apply(event.fleet_confirmed(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kBattleStarted:
      match.set_phase(v1::PHASE_BATTLE);
      match.set_starter(event.battle_started().starter());
      match.clear_deadline();
      return absl::OkStatus();
    case v1::MatchEvent::kShotDue:
      match.set_turn(event.shot_due().seat());
      SetDeadline(event.shot_due().has_deadline(), event.shot_due().deadline(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kShotFired:
      Apply(event.shot_fired(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kClockRanOut:
      MutableSideOf(match, event.clock_ran_out().seat())
          .set_strikes(event.clock_ran_out().strikes());
      return absl::OkStatus();
    case v1::MatchEvent::kClockAdjusted:
      *match.mutable_deadline() = event.clock_adjusted().deadline();
      return absl::OkStatus();
    case v1::MatchEvent::kMatchEnded:
      Apply(event.match_ended(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kVolleyDue:
      Apply(event.volley_due(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kVolleyFired:
      Apply(event.volley_fired(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kVolleyAnswered:
      Apply(event.volley_answered(), match);
      return absl::OkStatus();
    case v1::MatchEvent::kIdleClockSet:
      *match.mutable_idle_deadline() = event.idle_clock_set().deadline();
      return absl::OkStatus();
    case v1::MatchEvent::EVENT_NOT_SET:
      break;
  }
  return base::Error(absl::StatusCode::kDataLoss, "UNKNOWN_EVENT",
                     absl::StrCat("event ", event.seq(), " is of a kind that is not known here"),
                     {{"match_id", match.match_id()}});
}

}  // namespace

const v1::Side& SideOf(const v1::Match& match, v1::Seat seat) {
  return match.sides(seat == v1::SEAT_SECOND ? 1 : 0);
}

v1::Seat RivalOf(v1::Seat seat) {
  if (seat == v1::SEAT_UNSPECIFIED) return seat;
  return seat == v1::SEAT_FIRST ? v1::SEAT_SECOND : v1::SEAT_FIRST;
}

bool MayFire(const v1::Match& match) {
  if (match.phase() != v1::PHASE_BATTLE || match.viewer_seat() == v1::SEAT_UNSPECIFIED) {
    return false;
  }
  const v1::Side& own = SideOf(match, match.viewer_seat());
  return match.turn() == match.viewer_seat() || (own.volley_size() > 0 && !own.volley_in());
}

absl::Time TimeOf(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Status ApplyEvent(const v1::MatchEvent& event, v1::Match& match) {
  if (event.seq() != match.seq() + 1) return EventMissed(event, match);
  absl::Status applied = ApplyKind(event, match);
  if (applied.ok()) match.set_seq(event.seq());
  return applied;
}

void ApplyPresence(const v1::PresenceChanged& change, v1::Match& match) {
  for (v1::Side& side : *match.mutable_sides()) {
    if (side.seat() == change.seat()) side.set_presence(change.presence());
  }
}

void ClearMoment(v1::Match& match) {
  match.clear_server_time();
  for (v1::Side& side : *match.mutable_sides()) side.clear_presence();
}

}  // namespace naval::client
