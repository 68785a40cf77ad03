#include "lib/wire/result_wire.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"

namespace naval::wire {
namespace {

constexpr std::pair<rules::EndReason, match::v1::EndReason> kEndReasons[] = {
    {rules::EndReason::kFleetDestroyed, match::v1::END_REASON_FLEET_DESTROYED},
    {rules::EndReason::kResigned, match::v1::END_REASON_RESIGNED},
    {rules::EndReason::kTimedOut, match::v1::END_REASON_TIMED_OUT},
    {rules::EndReason::kIllegalFleet, match::v1::END_REASON_ILLEGAL_FLEET},
    {rules::EndReason::kTurnSkipped, match::v1::END_REASON_TURN_SKIPPED},
    {rules::EndReason::kAbsenceClaimed, match::v1::END_REASON_ABSENCE_CLAIMED},
    {rules::EndReason::kIdle, match::v1::END_REASON_IDLE},
    {rules::EndReason::kBothAbsent, match::v1::END_REASON_BOTH_ABSENT},
    {rules::EndReason::kAborted, match::v1::END_REASON_ABORTED},
};
// The protocol's numbers begin at 1, since 0 is UNSPECIFIED.
static_assert(std::size(kEndReasons) == match::v1::EndReason_MAX);

}  // namespace

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
  for (const auto& [known, proto] : kEndReasons) {
    if (known == reason) return proto;
  }
  NAVAL_CHECK(false);
}

absl::StatusOr<rules::EndReason> FromProto(match::v1::EndReason reason, absl::string_view field) {
  for (const auto& [known, proto] : kEndReasons) {
    if (proto == reason) return known;
  }
  return base::InvalidField("INVALID_END_REASON", field,
                            "must be one of EndReason, and not UNSPECIFIED",
                            {{"reason", absl::StrCat(reason)}});
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
