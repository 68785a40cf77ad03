#include "lib/wire/view_wire.h"

#include <cstddef>

#include "lib/base/check.h"
#include "lib/rules/game.h"
#include "lib/rules/seat.h"
#include "lib/wire/fleet_wire.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/rules_wire.h"
#include "lib/wire/shot_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::wire {
namespace {

void AddSunkShips(const rules::RuleSet& rule_set, const rules::SeaView& sea,
                  match::v1::Side& proto) {
  for (const rules::ShipPlacement& ship : sea.sunk_placements) {
    *proto.add_sunk_ships() = ToSunkShip(rule_set, ship);
  }
  if (!sea.sunk_placements.empty()) return;
  for (const int ship : sea.sunk_ships) {
    proto.add_sunk_ships()->set_ship_id(rule_set.ships.at(static_cast<std::size_t>(ship)).id);
  }
}

match::v1::Side SideToProto(const rules::RuleSet& rule_set, rules::Seat seat,
                            const rules::SeaView& sea) {
  match::v1::Side proto;
  proto.set_seat(ToProto(seat));
  proto.set_fleet_confirmed(sea.ready);
  *proto.mutable_fleet() = ToProto(rule_set, sea.fleet);
  for (const rules::SeenShot& shot : sea.shots) *proto.add_shots() = ToProto(rule_set, shot);
  *proto.mutable_ring_squares() = ToProto(sea.ring);
  AddSunkShips(rule_set, sea, proto);
  for (const int ship : sea.ships_afloat) {
    proto.add_ships_afloat(rule_set.ships.at(static_cast<std::size_t>(ship)).id);
  }
  proto.set_strikes(sea.strikes);
  proto.set_volley_size(sea.volley_size);
  proto.set_volley_in(sea.volley_in);
  *proto.mutable_volley_squares() = ToProto(sea.volley);
  return proto;
}

}  // namespace

match::v1::Phase ToProto(rules::Phase phase) {
  switch (phase) {
    case rules::Phase::kCreated:
      return match::v1::PHASE_UNSPECIFIED;
    case rules::Phase::kPlacement:
      return match::v1::PHASE_PLACEMENT;
    case rules::Phase::kBattle:
      return match::v1::PHASE_BATTLE;
    case rules::Phase::kOver:
      return match::v1::PHASE_OVER;
  }
  NAVAL_CHECK(false);
}

match::v1::Match ToProto(const rules::GameView& view) {
  match::v1::Match proto;
  *proto.mutable_rule_set() = ToProto(view.rules);
  proto.set_viewer_seat(ToProto(rules::SeatOf(view.viewer)));
  proto.set_phase(ToProto(view.phase));
  for (const rules::Seat seat : rules::kSeats) {
    *proto.add_sides() = SideToProto(view.rules, seat, view.sea(seat));
  }
  proto.set_starter(ToProto(view.starter));
  proto.set_turn(ToProto(view.turn));
  proto.set_round(view.round);
  for (const rules::VolleyAnswered& volley : view.volleys) {
    *proto.add_volleys() = ToProto(view.rules, volley);
  }
  if (view.deadline.has_value()) *proto.mutable_deadline() = ToProto(*view.deadline);
  if (view.idle_deadline.has_value()) {
    *proto.mutable_idle_deadline() = ToProto(*view.idle_deadline);
  }
  if (view.result.has_value()) {
    *proto.mutable_result() = ToProto(*view.result);
    if (view.result->reason == rules::EndReason::kIllegalFleet) {
      *proto.mutable_violations() = ViolationsOf(view.rules, view.result->illegal_fleet);
    }
  }
  return proto;
}

}  // namespace naval::wire
