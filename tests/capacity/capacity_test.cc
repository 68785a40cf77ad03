// A small run of what tools/long/capacity measures: all matches come back after a crash, those that
// wait stay in the store, and streams open on all. How fast that goes is not tested.

#include <gtest/gtest.h>

#include "tests/capacity/measure.h"
#include "tests/support/grpc_pin.h"

namespace naval::capacity {
namespace {

TEST(Capacity, EveryMatchComesBackAfterACrashWithTheTimeOfItsClock) {
  testing::PinGrpc();
  const auto figures = Measure({.matches = 300, .watchers = 20, .waiting = 1000, .sweeps = 0});
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_EQ(figures->clocks_short, 0) << figures->most_short;
  EXPECT_GT(figures->rows, 300 * 10);
  EXPECT_GT(figures->asked, 0);
}

}  // namespace
}  // namespace naval::capacity
