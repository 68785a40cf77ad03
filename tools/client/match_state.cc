#include "tools/client/match_state.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/error.h"
#include "lib/rules/square.h"

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

void Remove(absl::string_view ship_id, google::protobuf::RepeatedPtrField<std::string>& ships) {
  for (int i = 0; i < ships.size(); ++i) {
    if (ships.at(i) == ship_id) {
      ships.DeleteSubrange(i, 1);
      return;
    }
  }
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
  *sea.add_sunk_ships() = event.sunk_ship();
  Remove(event.sunk_ship().ship_id(), *sea.mutable_ships_afloat());
}

void Apply(const v1::MatchEnded& event, v1::Match& match) {
  match.set_phase(v1::PHASE_OVER);
  match.clear_turn();
  match.clear_deadline();
  *match.mutable_result() = event.result();
  for (const v1::RevealedFleet& revealed : event.fleets()) {
    *MutableSideOf(match, revealed.seat()).mutable_fleet() = revealed.fleet();
  }
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
    // Fired at no table yet.
    case v1::MatchEvent::kVolleyDue:
    case v1::MatchEvent::kVolleyFired:
    case v1::MatchEvent::kVolleyAnswered:
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

absl::Time TimeOf(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

absl::Status ApplyEvent(const v1::MatchEvent& event, v1::Match& match) {
  if (event.seq() != match.seq() + 1) return EventMissed(event, match);
  absl::Status applied = ApplyKind(event, match);
  if (applied.ok()) match.set_seq(event.seq());
  return applied;
}

}  // namespace naval::client
