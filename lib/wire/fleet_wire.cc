#include "lib/wire/fleet_wire.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/rules/square.h"

namespace naval::wire {
namespace {

const std::string& ShipId(const rules::RuleSet& rule_set, int ship) {
  return rule_set.ships.at(static_cast<std::size_t>(ship)).id;
}

match::v1::Orientation OrientationToProto(rules::Orientation orientation) {
  return orientation == rules::Orientation::kHorizontal ? match::v1::ORIENTATION_HORIZONTAL
                                                        : match::v1::ORIENTATION_VERTICAL;
}

absl::StatusOr<rules::Orientation> OrientationFromProto(match::v1::Orientation orientation,
                                                        absl::string_view field) {
  switch (orientation) {
    case match::v1::ORIENTATION_HORIZONTAL:
      return rules::Orientation::kHorizontal;
    case match::v1::ORIENTATION_VERTICAL:
      return rules::Orientation::kVertical;
    default:
      return base::InvalidField("INVALID_ORIENTATION", field,
                                "must be ORIENTATION_HORIZONTAL or ORIENTATION_VERTICAL",
                                {{"orientation", absl::StrCat(orientation)}});
  }
}

match::v1::FleetViolationKind KindToProto(rules::ViolationKind kind) {
  switch (kind) {
    case rules::ViolationKind::kMissingShip:
      return match::v1::FLEET_VIOLATION_KIND_MISSING;
    case rules::ViolationKind::kDuplicateShip:
      return match::v1::FLEET_VIOLATION_KIND_DUPLICATE;
    case rules::ViolationKind::kOutOfBoard:
      return match::v1::FLEET_VIOLATION_KIND_OUT_OF_BOARD;
    case rules::ViolationKind::kOverlap:
      return match::v1::FLEET_VIOLATION_KIND_OVERLAP;
    case rules::ViolationKind::kTouching:
      return match::v1::FLEET_VIOLATION_KIND_TOUCHING;
  }
  NAVAL_CHECK(false);
}

}  // namespace

match::v1::ShipPlacement ToProto(const rules::RuleSet& rule_set,
                                 const rules::ShipPlacement& placement) {
  match::v1::ShipPlacement proto;
  proto.set_ship_id(ShipId(rule_set, placement.ship));
  proto.set_bow(placement.bow.ToString());
  proto.set_orientation(OrientationToProto(placement.orientation));
  return proto;
}

absl::StatusOr<rules::ShipPlacement> FromProto(const rules::RuleSet& rule_set,
                                               const match::v1::ShipPlacement& placement,
                                               absl::string_view field) {
  const absl::StatusOr<int> ship = rules::FindShip(rule_set, placement.ship_id());
  if (!ship.ok()) return base::InField(ship.status(), absl::StrCat(field, ".ship_id"));
  const absl::StatusOr<rules::Square> bow = rules::Square::Parse(placement.bow());
  if (!bow.ok()) return base::InField(bow.status(), absl::StrCat(field, ".bow"));
  NAVAL_ASSIGN_OR_RETURN(
      const rules::Orientation orientation,
      OrientationFromProto(placement.orientation(), absl::StrCat(field, ".orientation")));
  return rules::ShipPlacement{.ship = *ship, .bow = *bow, .orientation = orientation};
}

FleetProto ToProto(const rules::RuleSet& rule_set, absl::Span<const rules::ShipPlacement> fleet) {
  FleetProto proto;
  proto.Reserve(static_cast<int>(fleet.size()));
  for (const rules::ShipPlacement& placement : fleet) {
    *proto.Add() = ToProto(rule_set, placement);
  }
  return proto;
}

absl::StatusOr<rules::Fleet> FromProto(const rules::RuleSet& rule_set, const FleetProto& fleet,
                                       absl::string_view field) {
  const std::size_t size = static_cast<std::size_t>(fleet.size());
  const std::size_t limit = 2 * rule_set.ships.size();
  if (size > limit) {
    return base::InvalidField(
        "TOO_MANY_SHIPS", field,
        absl::StrFormat("has %d ships, and must have at most %d, twice those of the rule set", size,
                        limit),
        {{"ships", absl::StrCat(size)}, {"limit", absl::StrCat(limit)}});
  }
  rules::Fleet placements;
  placements.reserve(size);
  for (int i = 0; i < fleet.size(); ++i) {
    NAVAL_ASSIGN_OR_RETURN(const rules::ShipPlacement placement,
                           FromProto(rule_set, fleet[i], absl::StrFormat("%s[%d]", field, i)));
    placements.push_back(placement);
  }
  return placements;
}

match::v1::FleetViolation ToProto(const rules::RuleSet& rule_set,
                                  const rules::Violation& violation) {
  match::v1::FleetViolation proto;
  proto.set_kind(KindToProto(violation.kind));
  proto.add_ship_ids(ShipId(rule_set, violation.ship));
  if (violation.other_ship.has_value()) {
    proto.add_ship_ids(ShipId(rule_set, *violation.other_ship));
  }
  return proto;
}

ViolationsProto ViolationsOf(const rules::RuleSet& rule_set,
                             absl::Span<const rules::ShipPlacement> fleet) {
  ViolationsProto violations;
  for (const rules::Violation& violation : rules::CheckFleet(rule_set, fleet)) {
    *violations.Add() = ToProto(rule_set, violation);
  }
  return violations;
}

match::v1::SunkShip ToSunkShip(const rules::RuleSet& rule_set,
                               const rules::ShipPlacement& placement) {
  const std::optional<std::vector<rules::Square>> squares = rules::ShipSquares(rule_set, placement);
  NAVAL_CHECK(squares.has_value());
  match::v1::SunkShip proto;
  proto.set_ship_id(ShipId(rule_set, placement.ship));
  for (const rules::Square square : *squares) proto.add_squares(square.ToString());
  return proto;
}

}  // namespace naval::wire
