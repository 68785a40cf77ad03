#pragma once

#include <string>

#include "absl/status/status.h"

namespace naval::match {

// NOT_FOUND, reason MATCH_NOT_FOUND: there is no such match, or the caller may not know of it. The
// same words for both.
absl::Status MatchNotFound(const std::string& match_id);

// ABORTED, reason STALE_MATCH: the log has gone on without the one who appends.
absl::Status StaleMatch();

// UNAVAILABLE, reason kNotOwner, with a retry delay: the match is not, or not any more, this
// process's to play.
inline constexpr char kNotOwner[] = "NOT_OWNER";
absl::Status NotOwner();

// UNAVAILABLE, reason SHUTTING_DOWN, with a retry delay.
absl::Status ShuttingDown();

// Whether an error of the store says that the store failed, or is away, and not that something
// about one of several rows or matches is wrong: then there is no sense in trying each alone.
bool IsOfTheStore(const absl::Status& error);

// UNAVAILABLE, reason MATCH_UNAVAILABLE, with a retry delay: the process that plays the match does
// not answer. Whether a command was stored is not known.
absl::Status OwnerAway();

// ABORTED, reasons LEASE_CHANGED and LEASE_BUSY: a lease was not taken over.
absl::Status LeaseChanged();
absl::Status LeaseBusy();

}  // namespace naval::match
