#include "lib/wire/result_wire.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using ::naval::testing::HasReason;

constexpr rules::EndReason kReasons[] = {
    rules::EndReason::kFleetDestroyed, rules::EndReason::kResigned,
    rules::EndReason::kTimedOut,       rules::EndReason::kIllegalFleet,
    rules::EndReason::kTurnSkipped,    rules::EndReason::kAbsenceClaimed,
    rules::EndReason::kIdle,           rules::EndReason::kBothAbsent,
    rules::EndReason::kAborted};

TEST(ResultWire, RoundTripsBothSeats) {
  for (const rules::Seat seat : rules::kSeats) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::Seat read, FromProto(ToProto(seat), "seat"));
    EXPECT_EQ(read, seat);
  }
}

TEST(ResultWire, ShowsNobodyAsUnspecified) {
  EXPECT_EQ(ToProto(std::optional<rules::Seat>()), match::v1::SEAT_UNSPECIFIED);
}

TEST(ResultWire, RefusesASeatThatIsUnspecifiedOrUnknown) {
  for (const int bad : {0, 3}) {
    const auto read = FromProto(static_cast<match::v1::Seat>(bad), "seat");
    ASSERT_THAT(read, HasReason("INVALID_SEAT"));
    EXPECT_EQ(base::FieldViolationsOf(read.status()).at(0).field, "seat");
  }
}

TEST(ResultWire, RoundTripsEveryEnd) {
  for (const rules::EndReason reason : kReasons) {
    for (const std::optional<rules::Seat> winner :
         {std::optional<rules::Seat>(), std::optional(rules::Seat::kFirst),
          std::optional(rules::Seat::kSecond)}) {
      const rules::MatchEnded end{.winner = winner, .reason = reason};
      NAVAL_ASSERT_OK_AND_ASSIGN(const rules::MatchEnded read, FromProto(ToProto(end), "result"));
      EXPECT_EQ(read, end);
    }
  }
}

TEST(ResultWire, ShowsWinnerAndReason) {
  EXPECT_THAT(ToProto(rules::MatchEnded{.winner = rules::Seat::kSecond,
                                        .reason = rules::EndReason::kTimedOut}),
              EqualsProto("winner: SEAT_SECOND reason: END_REASON_TIMED_OUT"));
}

TEST(ResultWire, NamesTheFieldOfABadEnd) {
  match::v1::MatchResult result;
  result.set_winner(match::v1::SEAT_FIRST);
  const auto unspecified = FromProto(result, "result");
  ASSERT_THAT(unspecified, HasReason("INVALID_END_REASON"));
  EXPECT_EQ(base::FieldViolationsOf(unspecified.status()).at(0).field, "result.reason");

  result.set_reason(match::v1::END_REASON_RESIGNED);
  result.set_winner(static_cast<match::v1::Seat>(7));
  const auto unknown = FromProto(result, "result");
  ASSERT_THAT(unknown, HasReason("INVALID_SEAT"));
  EXPECT_EQ(base::FieldViolationsOf(unknown.status()).at(0).field, "result.winner");
}

}  // namespace
}  // namespace naval::wire
