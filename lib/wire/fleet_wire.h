#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/repeated_field.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "naval/match/v1/match.pb.h"

namespace naval::wire {

// Ships on the board. The engine names a ship by its index in the rule set's fleet, the wire by its
// id, so every function takes the rule set; ships handed in must be known to it. Pure; any thread.

using FleetProto = google::protobuf::RepeatedPtrField<match::v1::ShipPlacement>;
using ViolationsProto = google::protobuf::RepeatedPtrField<match::v1::FleetViolation>;

match::v1::ShipPlacement ToProto(const rules::RuleSet& rule_set,
                                 const rules::ShipPlacement& placement);

// INVALID_ARGUMENT, naming what is wrong as "FIELD.ship_id", "FIELD.bow" or "FIELD.orientation":
// UNKNOWN_SHIP, INVALID_SQUARE, INVALID_ORIENTATION (unspecified or unknown). Whether the ship fits
// there is not looked at.
absl::StatusOr<rules::ShipPlacement> FromProto(const rules::RuleSet& rule_set,
                                               const match::v1::ShipPlacement& placement,
                                               absl::string_view field);

// In the same order.
FleetProto ToProto(const rules::RuleSet& rule_set, absl::Span<const rules::ShipPlacement> fleet);

// In the same order. Errors as above for the first ship that is wrong, named as "FIELD[2].bow", and
// TOO_MANY_SHIPS when there are more than twice those of the rule set. Up to there the rules have
// their say, which may be that too many ships lose the match (C-06). Whether the fleet is complete
// and legal is not looked at.
absl::StatusOr<rules::Fleet> FromProto(const rules::RuleSet& rule_set, const FleetProto& fleet,
                                       absl::string_view field);

match::v1::FleetViolation ToProto(const rules::RuleSet& rule_set,
                                  const rules::Violation& violation);

// What is wrong with the fleet (rules::CheckFleet).
ViolationsProto ViolationsOf(const rules::RuleSet& rule_set,
                             absl::Span<const rules::ShipPlacement> fleet);

// Requires a ship inside the board, as one that sank is.
match::v1::SunkShip ToSunkShip(const rules::RuleSet& rule_set,
                               const rules::ShipPlacement& placement);

}  // namespace naval::wire
