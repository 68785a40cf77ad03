#include "services/match/refusals.h"

#include "lib/base/error.h"

namespace naval::match {

absl::Status MatchNotFound(const std::string& match_id) {
  return base::Error(absl::StatusCode::kNotFound, "MATCH_NOT_FOUND",
                     "there is no such match, or it is not yours to see", {{"match_id", match_id}});
}

absl::Status StaleMatch() {
  return base::Error(absl::StatusCode::kAborted, "STALE_MATCH",
                     "the match has gone on in the meantime; try again");
}

absl::Status NotOwner() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, kNotOwner,
                  "the match is not to be had from this server at the moment; try again"),
      absl::Milliseconds(250));
}

absl::Status ShuttingDown() {
  return base::WithRetryDelay(base::Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN",
                                          "the server is shutting down; try again"),
                              absl::Seconds(1));
}

bool IsOfTheStore(const absl::Status& error) {
  return absl::IsUnavailable(error) || absl::IsResourceExhausted(error);
}

absl::Status OwnerAway() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, "MATCH_UNAVAILABLE",
                  "the server that plays the match does not answer; try again, with the same"
                  " request_id"),
      absl::Seconds(1));
}

absl::Status LeaseChanged() {
  return base::Error(absl::StatusCode::kAborted, "LEASE_CHANGED",
                     "the lease is another one by now");
}

absl::Status LeaseBusy() {
  return base::Error(absl::StatusCode::kAborted, "LEASE_BUSY",
                     "the owner is writing and does not come to an end");
}

}  // namespace naval::match
