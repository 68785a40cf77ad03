#include "services/ranking/page_token.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "tests/support/status_matchers.h"

namespace naval::ranking {
namespace {

using ::naval::testing::HasReason;

constexpr char kAccountId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10";

LeaderboardPosition Position() {
  return {.rating = 1500.0 + 1.0 / 3,
          .update_time = absl::FromUnixMicros(1'795'819'039'123'456),
          .account_id = kAccountId};
}

TEST(PageToken, RoundTripsAPositionToTheBit) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const LeaderboardPosition read,
                             ReadPageToken("tablu", MakePageToken("tablu", Position())));
  EXPECT_EQ(read, Position());
}

TEST(PageToken, FitsIntoAUrlAsItIs) {
  for (const char c : MakePageToken("tablu", Position())) {
    EXPECT_TRUE(absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') << c;
  }
}

TEST(PageToken, BeginsAtTheTopWhenThereIsNone) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const LeaderboardPosition read, ReadPageToken("tablu", ""));
  EXPECT_EQ(read, TopOfLeaderboard());
}

TEST(PageToken, IsOfItsRuleSetOnly) {
  EXPECT_THAT(ReadPageToken("clasica", MakePageToken("tablu", Position())),
              HasReason("PAGE_TOKEN_INVALID"));
}

TEST(PageToken, IsRefusedWhenItIsNone) {
  EXPECT_THAT(ReadPageToken("tablu", "!"), HasReason("PAGE_TOKEN_INVALID"));
  for (const char* bad :
       {"", "tablu", "tablu|1500|1", "tablu|x|1|018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10",
        "tablu|nan|1|018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10",
        "tablu|inf|1|018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10",
        "tablu|1500|-1|018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10",
        "tablu|1500|9223372036854775807|018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10",
        "tablu|1500|1|nobody", "tablu|1500|1|018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10|"}) {
    // The empty text is no token: it would begin at the top.
    const std::string token = *bad == '\0' ? "AA" : absl::WebSafeBase64Escape(bad);
    EXPECT_THAT(ReadPageToken("tablu", token), HasReason("PAGE_TOKEN_INVALID")) << bad;
  }
}

}  // namespace
}  // namespace naval::ranking
