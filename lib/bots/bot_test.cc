#include "lib/bots/bot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tests/support/status_matchers.h"

namespace naval::bots {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;

TEST(MakeBot, MakesEveryBotThatIsNamed) {
  EXPECT_THAT(BotIds(), ::testing::ElementsAre("jota"));
  for (const absl::string_view id : BotIds()) EXPECT_NE(MakeBot(id).value(), nullptr) << id;
}

TEST(MakeBot, NamesAnUnknownIdAndTheKnownOnes) {
  for (const char* id : {"", "Jota", "deep-blue"}) {
    const absl::Status refusal = MakeBot(id).status();
    EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(refusal, HasReason("UNKNOWN_BOT"));
    EXPECT_EQ(base::MetadataOf(refusal).at("bot"), id);
    EXPECT_EQ(base::MetadataOf(refusal).at("known"), "jota");
  }
}

}  // namespace
}  // namespace naval::bots
