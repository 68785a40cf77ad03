// The demo against the real services.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/subprocess.h"

namespace naval::testing {
namespace {

// The README shows it whole.
constexpr size_t kMaxLines = 60;
constexpr size_t kMaxLineWidth = 100;

std::vector<std::string> DemoCommand(const Cluster& cluster) {
  return {BinaryNamed("naval-demo"), absl::StrCat("--lobby=", cluster.Address(Service::kLobby)),
          absl::StrCat("--match=", cluster.Address(Service::kMatch)),
          absl::StrCat("--ranking=", cluster.Address(Service::kRanking))};
}

TEST(Demo, PlaysTwiceToTheEndOnTheSameDatabase) {
  PinGrpc();
  const Cluster cluster;
  for (int run = 0; run < 2; ++run) {
    Subprocess demo(DemoCommand(cluster));
    ASSERT_EQ(demo.Wait(absl::Minutes(1)), 0) << demo.Output();
    const std::string output = demo.Output();
    const std::vector<std::string> lines = absl::StrSplit(output, '\n');
    EXPECT_LE(lines.size(), kMaxLines) << output;
    for (const std::string& line : lines) EXPECT_LE(line.size(), kMaxLineWidth) << line;
    EXPECT_THAT(output, ::testing::HasSubstr("Practice is not rated"));
  }
}

TEST(Demo, SaysWhatIsWrong) {
  PinGrpc();
  const Cluster cluster;
  std::vector<std::string> command = DemoCommand(cluster);
  command.push_back(absl::StrCat("--match=", cluster.Address(Service::kRanking)));
  Subprocess demo(command);
  EXPECT_EQ(demo.Wait(absl::Minutes(1)), 1);
  EXPECT_THAT(demo.Output(), ::testing::HasSubstr("naval-demo: UNIMPLEMENTED"));
}

}  // namespace
}  // namespace naval::testing
