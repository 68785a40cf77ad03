// A short run of what tools/long/chaos does: services are killed and halted under players of all
// rule sets, and nothing that these were told is wrong. How long they had to wait is not tested.

#include <gtest/gtest.h>

#include "tests/chaos/run.h"
#include "tests/support/grpc_pin.h"

namespace naval::chaos {
namespace {

TEST(Chaos, NothingIsLostOrDoneTwiceWhenProcessesDieAndHalt) {
  testing::PinGrpc();
  const Plan plan{.duration = absl::Seconds(15),
                  .seed = 4711,
                  .players = 10,
                  .think_time = absl::Milliseconds(50),
                  .idle_percent = 0,
                  .schedule = {.match = {absl::Seconds(2), absl::Seconds(4)},
                               .ranking = {absl::Seconds(5), absl::Seconds(8)},
                               .away = {absl::Milliseconds(500), absl::Seconds(1)},
                               .long_percent = 0}};
  const auto outcome = chaos::Run(plan);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->invalid, "");
  EXPECT_GT(outcome->checked.answers, 100);
  for (const auto& [what, count] : outcome->findings.counts()) {
    if (what == kPauseTooLong) continue;
    EXPECT_EQ(count, 0) << what << '\n' << TableText(plan, *outcome);
  }
}

}  // namespace
}  // namespace naval::chaos
