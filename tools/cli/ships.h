#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "naval/game/v1/game.pb.h"
#include "naval/match/v1/match.pb.h"

namespace naval::cli {

using Fleet = google::protobuf::RepeatedPtrField<match::v1::ShipPlacement>;

// Reads where a ship of the rule set lies: "portaaviones=A1-A5", its two ends in either order, or
// "portaaviones=A1v" and "portaaviones=A1h", its bow and whether it stands below it or lies to the
// right of it; in upper or lower case. An error of UsageError names what is wrong and what would be
// right. Pure.
absl::StatusOr<match::v1::ShipPlacement> ParseShip(absl::string_view text,
                                                   const game::v1::RuleSet& rule_set);

// Reads where several lie, each as ParseShip does, and each of them once.
absl::StatusOr<Fleet> ParseShips(const std::vector<std::string>& texts,
                                 const game::v1::RuleSet& rule_set);

// Puts `ships` into `fleet`: each in the place of the one with its id, or at the end. Pure.
void LayShips(const Fleet& ships, Fleet& fleet);

}  // namespace naval::cli
