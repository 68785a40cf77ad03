#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "naval/match/v1/match.pb.h"
#include "naval/match/v1/match_service.pb.h"
#include "tools/client/client.h"

namespace naval::cli {

// What a player does with the draft of `match`, whose viewer the client is. Each blocks; errors are
// those of MatchService.

// Lays the ships, each as ParseShip reads it, in the draft; the others stay where they are. Also a
// UsageError, see ParseShips.
absl::StatusOr<match::v1::PlaceFleetResponse> PlaceShips(client::Client& client,
                                                         const match::v1::Match& match,
                                                         const std::vector<std::string>& ships);

// Confirms the draft. Where an illegal fleet loses the match it is refused as the server refuses it
// elsewhere, INVALID_ARGUMENT, reason ILLEGAL_FLEET, unless an `illegal` one is meant.
absl::StatusOr<match::v1::ConfirmFleetResponse> ConfirmDraft(client::Client& client,
                                                             const match::v1::Match& match,
                                                             bool illegal);

}  // namespace naval::cli
