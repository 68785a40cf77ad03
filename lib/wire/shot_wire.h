#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "lib/rules/event.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/sea.h"
#include "lib/rules/square.h"
#include "lib/rules/view.h"
#include "naval/match/v1/match.pb.h"

namespace naval::wire {

// Squares and what shots find there. Pure; any thread.

using SquareNames = google::protobuf::RepeatedPtrField<std::string>;

// The names, column by column.
SquareNames ToProto(rules::SquareSet squares);

// The squares in the order given. INVALID_ARGUMENT, reason INVALID_SQUARE, naming the first that is
// none as "FIELD[2]".
absl::StatusOr<std::vector<rules::Square>> FromProto(const SquareNames& names,
                                                     absl::string_view field);

match::v1::ShotResult ToProto(rules::ShotResult result);

// INVALID_ARGUMENT, reason INVALID_SHOT_RESULT, naming `field`, when it is unspecified or unknown.
absl::StatusOr<rules::ShotResult> FromProto(match::v1::ShotResult result, absl::string_view field);

// Requires a ship of the rule set, if one sank.
match::v1::ShotMark ToProto(const rules::RuleSet& rule_set, const rules::SeenShot& shot);

// Requires classes and ships of the rule set, as an answer by it has.
match::v1::VolleyAnswered ToProto(const rules::RuleSet& rule_set,
                                  const rules::VolleyAnswered& answer);

}  // namespace naval::wire
