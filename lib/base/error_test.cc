#include "lib/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/status_macros.h"
#include "tests/support/status_matchers.h"

namespace naval::base {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Error, CarriesReasonMessageAndMetadata) {
  const absl::Status error = Error(absl::StatusCode::kFailedPrecondition, "TABLE_FULL",
                                   "the table has 2 players", {{"players", "2"}, {"a/b", ""}});
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(error, HasReason("TABLE_FULL"));
  EXPECT_EQ(error.message(), "the table has 2 players");
  EXPECT_THAT(MetadataOf(error), ElementsAre(Pair("a/b", ""), Pair("players", "2")));
  EXPECT_THAT(FieldViolationsOf(error), IsEmpty());
  EXPECT_EQ(RetryDelayOf(error), std::nullopt);
}

TEST(Error, KeepsTheOrderOfTheFieldsAtFault) {
  absl::Status error = InvalidField("INVALID_FLEET", "ships[1].bow", "is outside the sea");
  for (int i = 0; i < 12; ++i) {
    error = WithFieldViolation(std::move(error), {"field" + std::to_string(i), "is/wrong"});
  }
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(error.message(), "ships[1].bow: is outside the sea");
  const std::vector<FieldViolation> violations = FieldViolationsOf(error);
  ASSERT_EQ(violations.size(), 13u);
  EXPECT_EQ(violations[0], (FieldViolation{"ships[1].bow", "is outside the sea"}));
  EXPECT_EQ(violations[2], (FieldViolation{"field1", "is/wrong"}));
  EXPECT_EQ(violations[12], (FieldViolation{"field11", "is/wrong"}));
}

TEST(Error, NamesTheSameFieldTwice) {
  const absl::Status error =
      WithFieldViolation(InvalidField("BAD", "handle", "is too short"), {"handle", "has a space"});
  EXPECT_THAT(FieldViolationsOf(error), ElementsAre(FieldViolation{"handle", "is too short"},
                                                    FieldViolation{"handle", "has a space"}));
}

TEST(Error, CarriesARetryDelayToTheNanosecond) {
  const absl::Duration delay = absl::Seconds(90) + absl::Nanoseconds(1);
  const absl::Status error =
      WithRetryDelay(Error(absl::StatusCode::kUnavailable, "DRAINING", "wait"), delay);
  EXPECT_EQ(RetryDelayOf(error), delay);
  EXPECT_THAT(error, HasReason("DRAINING"));
}

TEST(Error, HasNoPartsWhereThereAreNone) {
  for (const absl::Status& status : {absl::OkStatus(), absl::InternalError("plain")}) {
    EXPECT_EQ(ReasonOf(status), "");
    EXPECT_THAT(MetadataOf(status), IsEmpty());
    EXPECT_THAT(FieldViolationsOf(status), IsEmpty());
    EXPECT_EQ(RetryDelayOf(status), std::nullopt);
  }
}

absl::StatusOr<int> Half(int number) {
  if (number % 2 != 0) return Error(absl::StatusCode::kInvalidArgument, "ODD", "odd");
  return number / 2;
}

absl::StatusOr<int> Quarter(int number) {
  NAVAL_ASSIGN_OR_RETURN(const int half, Half(number));
  NAVAL_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

absl::Status CheckEven(int number) {
  NAVAL_RETURN_IF_ERROR(Half(number).status());
  return absl::OkStatus();
}

TEST(StatusMacros, GoOnWithTheValue) {
  ASSERT_THAT(Quarter(12), IsOk());
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_THAT(CheckEven(2), IsOk());
}

TEST(StatusMacros, LeaveWithTheWholeError) {
  EXPECT_THAT(Quarter(6), HasReason("ODD"));
  EXPECT_THAT(CheckEven(1), HasReason("ODD"));
}

TEST(Error, ShowsAValueShortAndPrintable) {
  EXPECT_EQ(Shown("K1"), "K1");
  EXPECT_EQ(Shown("\xc3\xb1\n"), "\\xc3\\xb1\\n");
  EXPECT_EQ(Shown(std::string(500, 'x')), std::string(32, 'x'));
}

TEST(Error, IsTheFaultOfAFieldThatItsMessageDescribes) {
  const absl::Status error =
      InField(Error(absl::StatusCode::kInvalidArgument, "UNKNOWN_BOT", "no such bot"), "bot");
  EXPECT_EQ(ReasonOf(error), "UNKNOWN_BOT");
  EXPECT_EQ(FieldViolationsOf(error), (std::vector<FieldViolation>{{"bot", "no such bot"}}));
}

}  // namespace
}  // namespace naval::base
