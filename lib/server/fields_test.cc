#include "lib/server/fields.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lib/base/error.h"
#include "tests/support/status_matchers.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;

TEST(Fields, TakeAUuidInLowerCase) {
  EXPECT_THAT(CheckId("match_id", "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10"), IsOk());
}

TEST(Fields, NameTheFieldAndTheReasonOfABadId) {
  for (const char* bad : {"", "7", "018F3F5E-7B5A-7C3D-8A21-0F9B6C4D2E10"}) {
    const absl::Status status = CheckId("players[0].account_id", bad);
    EXPECT_THAT(status, HasReason("INVALID_ACCOUNT_ID"));
    EXPECT_EQ(base::FieldViolationsOf(status).at(0).field, "players[0].account_id");
  }
  EXPECT_THAT(CheckId("match_id", ""), HasReason("INVALID_MATCH_ID"));
}

TEST(Fields, TakeAnIdOfOursThatIsAUuidV7Only) {
  EXPECT_THAT(CheckUuidV7("match_id", "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10"), IsOk());
  EXPECT_THAT(CheckUuidV7("match_id", "018f3f5e-7b5a-4c3d-8a21-0f9b6c4d2e10"),
              HasReason("INVALID_MATCH_ID"));
}

TEST(Fields, TakeANameThatCanBePrinted) {
  EXPECT_THAT(CheckName("players[0].handle", "ana-1_B"), IsOk());
  EXPECT_THAT(CheckName("players[0].handle", std::string(64, 'x')), IsOk());
  for (const std::string& bad : {std::string(), std::string(65, 'x'), std::string("a\0b", 3),
                                 std::string("a\n"), std::string("\xc3\xb1")}) {
    const absl::Status status = CheckName("players[0].handle", bad);
    EXPECT_THAT(status, HasReason("INVALID_PLAYER")) << bad;
    EXPECT_EQ(base::FieldViolationsOf(status).at(0).field, "players[0].handle");
  }
}

TEST(Fields, ReadAPageSizeWithItsDefaultAndItsLimit) {
  EXPECT_EQ(ReadPageSize(0).value(), 50);
  EXPECT_EQ(ReadPageSize(1).value(), 1);
  EXPECT_EQ(ReadPageSize(200).value(), 200);
  EXPECT_EQ(ReadPageSize(201).value(), 200);
  EXPECT_EQ(ReadPageSize(std::numeric_limits<std::int32_t>::max()).value(), 200);
  EXPECT_THAT(ReadPageSize(-1), HasReason("INVALID_PAGE_SIZE"));
}

}  // namespace
}  // namespace naval::server
