#include "lib/base/log_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace naval::base {
namespace {

using ::testing::Eq;
using ::testing::Optional;

constexpr absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

void UseUpBurst(LogLimit& limit, absl::string_view event, absl::Time now) {
  for (int i = 0; i < kLogBurst; ++i) EXPECT_THAT(limit.Admit(event, now), Optional(0));
}

TEST(LogLimit, LetsABurstThroughThenOneEachInterval) {
  LogLimit limit;
  UseUpBurst(limit, "away", kStart);
  EXPECT_THAT(limit.Admit("away", kStart), Eq(std::nullopt));
  EXPECT_THAT(limit.Admit("away", kStart + kLogInterval / 4), Eq(std::nullopt));
  EXPECT_THAT(limit.Admit("away", kStart + kLogInterval), Optional(2));
  EXPECT_THAT(limit.Admit("away", kStart + kLogInterval), Eq(std::nullopt));
  EXPECT_THAT(limit.Admit("away", kStart + 2 * kLogInterval), Optional(1));
}

TEST(LogLimit, KeepsEventsApart) {
  LogLimit limit;
  UseUpBurst(limit, "away", kStart);
  EXPECT_THAT(limit.Admit("away", kStart), Eq(std::nullopt));
  UseUpBurst(limit, "lost", kStart);
}

TEST(LogLimit, SavesUpNoMoreThanABurst) {
  LogLimit limit;
  UseUpBurst(limit, "away", kStart);
  const absl::Time later = kStart + 100 * kLogBurst * kLogInterval;
  UseUpBurst(limit, "away", later);
  EXPECT_THAT(limit.Admit("away", later), Eq(std::nullopt));
}

}  // namespace
}  // namespace naval::base
