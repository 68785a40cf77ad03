#include "lib/wire/result_wire.h"

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"

namespace naval::wire {

match::v1::Seat ToProto(rules::Seat seat) {
  return seat == rules::Seat::kFirst ? match::v1::SEAT_FIRST : match::v1::SEAT_SECOND;
}

match::v1::Seat ToProto(std::optional<rules::Seat> seat) {
  return seat.has_value() ? ToProto(*seat) : match::v1::SEAT_UNSPECIFIED;
}

absl::StatusOr<rules::Seat> FromProto(match::v1::Seat seat, absl::string_view field) {
  switch (seat) {
    case match::v1::SEAT_FIRST:
      return rules::Seat::kFirst;
    case match::v1::SEAT_SECOND:
      return rules::Seat::kSecond;
    default:
      return base::InvalidField("INVALID_SEAT", field, "must be SEAT_FIRST or SEAT_SECOND",
                                {{"seat", absl::StrCat(seat)}});
  }
}

match::v1::EndReason ToProto(rules::EndReason reason) {
  switch (reason) {
    case rules::EndReason::kFleetDestroyed:
      return match::v1::END_REASON_FLEET_DESTROYED;
    case rules::EndReason::kResigned:
      return match::v1::END_REASON_RESIGNED;
    case rules::EndReason::kTimedOut:
      return match::v1::END_REASON_TIMED_OUT;
  }
  NAVAL_CHECK(false);
}

absl::StatusOr<rules::EndReason> FromProto(match::v1::EndReason reason, absl::string_view field) {
  switch (reason) {
    case match::v1::END_REASON_FLEET_DESTROYED:
      return rules::EndReason::kFleetDestroyed;
    case match::v1::END_REASON_RESIGNED:
      return rules::EndReason::kResigned;
    case match::v1::END_REASON_TIMED_OUT:
      return rules::EndReason::kTimedOut;
    default:
      return base::InvalidField("INVALID_END_REASON", field,
                                "must be END_REASON_FLEET_DESTROYED, "
                                "END_REASON_RESIGNED or END_REASON_TIMED_OUT",
                                {{"reason", absl::StrCat(reason)}});
  }
}

match::v1::MatchResult ToProto(const rules::MatchEnded& end) {
  match::v1::MatchResult proto;
  proto.set_winner(ToProto(end.winner));
  proto.set_reason(ToProto(end.reason));
  return proto;
}

absl::StatusOr<rules::MatchEnded> FromProto(const match::v1::MatchResult& result,
                                            absl::string_view field) {
  std::optional<rules::Seat> winner;
  if (result.winner() != match::v1::SEAT_UNSPECIFIED) {
    NAVAL_ASSIGN_OR_RETURN(winner, FromProto(result.winner(), absl::StrCat(field, ".winner")));
  }
  NAVAL_ASSIGN_OR_RETURN(const rules::EndReason reason,
                         FromProto(result.reason(), absl::StrCat(field, ".reason")));
  return rules::MatchEnded{.winner = winner, .reason = reason};
}

}  // namespace naval::wire
