#include "lib/rules/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "lib/rules/test_match.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;
using ::testing::ElementsAre;

TEST(Refusal, EachHasAReasonOfItsOwnInUpperSnakeAndAMessageInAscii) {
  std::set<std::string> reasons;
  for (int i = 0; i < kRefusalCount; ++i) {
    const absl::Status status = Refuse(static_cast<Refusal>(i));
    const std::string reason = base::ReasonOf(status);
    EXPECT_THAT(reason, ::testing::MatchesRegex("[A-Z]+(_[A-Z]+)*"));
    EXPECT_TRUE(reasons.insert(reason).second) << reason;
    EXPECT_FALSE(status.message().empty()) << reason;
    for (const char c : status.message()) EXPECT_TRUE(c >= ' ' && c <= '~') << reason;
  }
}

TEST(Refusal, RepeatsItsMetadataInTheMessage) {
  const absl::Status status =
      Refuse(Refusal::kWrongNumberOfShots, {{"required", "1"}, {"shots", "3"}});
  EXPECT_EQ(status.message(), "fire as many shots as the turn has (required: 1, shots: 3)");
  const base::Metadata expected = {{"required", "1"}, {"shots", "3"}};
  EXPECT_EQ(base::MetadataOf(status), expected);
}

TEST(Refusal, OfAFleetNamesEachViolation) {
  const absl::Status status = RefuseFleet(
      Tablu(), {{ViolationKind::kTouching, 1, 4}, {ViolationKind::kMissingShip, 0, {}}});
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status, HasReason("ILLEGAL_FLEET"));
  EXPECT_THAT(base::FieldViolationsOf(status),
              ElementsAre(base::FieldViolation{"fleet", "touching: acorazado, lancha"},
                          base::FieldViolation{"fleet", "missing: portaaviones"}));
}

}  // namespace
}  // namespace naval::rules
