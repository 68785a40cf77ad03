#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/rules/event.h"
#include "lib/rules/seat.h"
#include "naval/match/v1/match.pb.h"

namespace naval::wire {

// Seats, and how a match ends. Pure; any thread.

match::v1::Seat ToProto(rules::Seat seat);

// SEAT_UNSPECIFIED for none.
match::v1::Seat ToProto(std::optional<rules::Seat> seat);

// INVALID_ARGUMENT, reason INVALID_SEAT, naming `field`, when it is unspecified or unknown.
absl::StatusOr<rules::Seat> FromProto(match::v1::Seat seat, absl::string_view field);

match::v1::EndReason ToProto(rules::EndReason reason);

// INVALID_ARGUMENT, reason INVALID_END_REASON, naming `field`, when it is unspecified or unknown.
absl::StatusOr<rules::EndReason> FromProto(match::v1::EndReason reason, absl::string_view field);

match::v1::MatchResult ToProto(const rules::MatchEnded& end);

// Errors as above, for "FIELD.winner" and "FIELD.reason"; an unspecified winner is a void match.
absl::StatusOr<rules::MatchEnded> FromProto(const match::v1::MatchResult& result,
                                            absl::string_view field);

}  // namespace naval::wire
