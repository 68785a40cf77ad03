#include "lib/wire/event_wire.h"

#include <cstddef>
#include <optional>
#include <variant>

#include "absl/types/span.h"
#include "lib/base/check.h"
#include "lib/rules/event.h"
#include "lib/rules/seat.h"
#include "lib/wire/fleet_wire.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/shot_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::wire {
namespace {

// Fills the kind of event into a MatchEvent.
class EventWriter {
 public:
  EventWriter(const rules::RuleSet& rule_set, rules::Viewer viewer, match::v1::MatchEvent& out)
      : rule_set_(rule_set), viewer_(viewer), out_(out) {}

  void operator()(const rules::PlacementStarted& event) const {
    match::v1::PlacementStarted& proto = *out_.mutable_placement_started();
    if (event.deadline.has_value()) *proto.mutable_deadline() = ToProto(*event.deadline);
  }

  void operator()(const rules::OwnDraftChanged& event) const {
    *out_.mutable_draft_changed()->mutable_fleet() = Fleet(event.draft);
  }

  void operator()(const rules::OwnFleetConfirmed& event) const {
    const std::optional<rules::Seat> seat = rules::SeatOf(viewer_);
    NAVAL_CHECK(seat.has_value());
    match::v1::FleetConfirmed& proto = *out_.mutable_fleet_confirmed();
    proto.set_seat(ToProto(*seat));
    *proto.mutable_fleet() = Fleet(event.fleet);
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::SeatReady& event) const {
    match::v1::FleetConfirmed& proto = *out_.mutable_fleet_confirmed();
    proto.set_seat(ToProto(event.seat));
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::BattleStarted& event) const {
    out_.mutable_battle_started()->set_starter(ToProto(event.starter));
  }

  void operator()(const rules::ShotDue& event) const {
    match::v1::ShotDue& proto = *out_.mutable_shot_due();
    proto.set_seat(ToProto(event.seat));
    if (event.deadline.has_value()) *proto.mutable_deadline() = ToProto(*event.deadline);
  }

  void operator()(const rules::ClockRanOut& event) const {
    match::v1::ClockRanOut& proto = *out_.mutable_clock_ran_out();
    proto.set_seat(ToProto(event.seat));
    proto.set_strikes(event.strikes);
  }

  void operator()(const rules::ShotTold& event) const {
    match::v1::ShotFired& proto = *out_.mutable_shot_fired();
    proto.set_seat(ToProto(event.seat));
    proto.set_square(event.square.ToString());
    proto.set_result(ToProto(event.result));
    if (event.sunk_placement.has_value()) {
      *proto.mutable_sunk_ship() = ToSunkShip(rule_set_, *event.sunk_placement);
    } else if (event.sunk_ship.has_value()) {
      proto.mutable_sunk_ship()->set_ship_id(
          rule_set_.ships.at(static_cast<std::size_t>(*event.sunk_ship)).id);
    }
    *proto.mutable_ring_squares() = ToProto(event.ring);
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::VolleyDue& event) const {
    match::v1::VolleyDue& proto = *out_.mutable_volley_due();
    proto.set_round(event.round);
    for (const int shots : event.shots) proto.add_shots(shots);
    if (event.deadline.has_value()) *proto.mutable_deadline() = ToProto(*event.deadline);
  }

  void operator()(const rules::OwnVolleyFired& event) const {
    const std::optional<rules::Seat> seat = rules::SeatOf(viewer_);
    NAVAL_CHECK(seat.has_value());
    match::v1::VolleyFired& proto = *out_.mutable_volley_fired();
    proto.set_seat(ToProto(*seat));
    *proto.mutable_squares() = ToProto(event.squares);
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::SeatFired& event) const {
    match::v1::VolleyFired& proto = *out_.mutable_volley_fired();
    proto.set_seat(ToProto(event.seat));
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::VolleyAnswered& event) const {
    *out_.mutable_volley_answered() = ToProto(rule_set_, event);
  }

  void operator()(const rules::ClockAdjusted& event) const {
    *out_.mutable_clock_adjusted()->mutable_deadline() = ToProto(event.deadline);
  }

  void operator()(const rules::IdleClockSet& event) const {
    *out_.mutable_idle_clock_set()->mutable_deadline() = ToProto(event.deadline);
  }

  void operator()(const rules::MatchRevealed& event) const {
    match::v1::MatchEnded& proto = *out_.mutable_match_ended();
    *proto.mutable_result() = ToProto(event.end);
    if (event.end.reason == rules::EndReason::kIllegalFleet) {
      match::v1::RevealedFleet& revealed = *proto.add_fleets();
      revealed.set_seat(ToProto(rules::Rival(event.end.winner.value())));
      *revealed.mutable_fleet() = Fleet(event.end.illegal_fleet);
      *proto.mutable_violations() = ViolationsOf(rule_set_, event.end.illegal_fleet);
    }
    if (!event.fleets.has_value()) return;
    for (const rules::Seat seat : rules::kSeats) {
      match::v1::RevealedFleet& revealed = *proto.add_fleets();
      revealed.set_seat(ToProto(seat));
      *revealed.mutable_fleet() = Fleet(rules::OfSeat(*event.fleets, seat));
    }
  }

 private:
  FleetProto Fleet(absl::Span<const rules::ShipPlacement> fleet) const {
    return ToProto(rule_set_, fleet);
  }

  const rules::RuleSet& rule_set_;
  const rules::Viewer viewer_;
  match::v1::MatchEvent& out_;
};

}  // namespace

match::v1::MatchEvent ToProto(const rules::RuleSet& rule_set, rules::Viewer viewer,
                              const rules::ViewerEvent& event, std::int64_t seq,
                              absl::Time event_time) {
  match::v1::MatchEvent proto;
  proto.set_seq(seq);
  *proto.mutable_event_time() = ToProto(event_time);
  std::visit(EventWriter(rule_set, viewer, proto), event);
  return proto;
}

}  // namespace naval::wire
