// naval-load as anybody runs it: what it says, and that it finds nothing wrong. How fast anything
// is, is not tested.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/scrape.h"
#include "tests/support/subprocess.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

// With the services under sanitizers on a crowded machine.
constexpr absl::Duration kLimit = absl::Minutes(1);

std::vector<std::string> Load(const std::vector<std::string>& flags) {
  std::vector<std::string> command = {BinaryNamed("naval-load"), "--players=4", "--json"};
  command.insert(command.end(), flags.begin(), flags.end());
  return command;
}

void ExpectNothingWrong(const nlohmann::json& line) {
  for (const char* const fault : {"lost", "doubled", "reordered", "differing", "stuck"}) {
    EXPECT_EQ(line.at(fault), 0) << fault;
  }
}

TEST(Load, StartsItsOwnServicesAndSaysInOneLineWhatItMeasured) {
  PinGrpc();
  // Volleys, which end a match within a few calls.
  Subprocess load(Load({"--duration=2s", "--rule_set=salvo", "--options=volley"}));
  ASSERT_EQ(load.Wait(kLimit), 0) << load.Output();
  const nlohmann::json line = nlohmann::json::parse(load.Output());
  ExpectNothingWrong(line);
  for (const char* const measured :
       {"shots_per_second", "games_per_second", "shot_p50_ms", "shot_p99_ms", "event_p50_ms",
        "event_p99_ms", "echo_calls_per_second", "echo_cpu_us_per_call",
        "insert_events_per_second"}) {
    EXPECT_GT(line.at(measured).get<double>(), 0) << measured;
  }
  for (const char* const process : {"lobby", "match", "ranking", "postgres", "load"}) {
    EXPECT_GE(line.at("cpu_us_per_shot").at(process).get<double>(), 0) << process;
  }
  EXPECT_TRUE(line.at("errors").empty()) << line;
}

TEST(Load, FindsNothingLostWhenTheMatchServiceIsKilled) {
  PinGrpc();
  Cluster cluster;
  const auto shots = [&cluster] {
    return MetricsPage::Of(cluster.MetricsPort(Service::kMatch)).Sum("naval_shots_total");
  };
  Subprocess load(Load({"--duration=4s", "--lobby=" + cluster.Address(Service::kLobby),
                        "--match=" + cluster.Address(Service::kMatch)}));
  ASSERT_TRUE(WaitFor([&] { return shots() > 20; }, kLimit));
  cluster.Kill(Service::kMatch);
  cluster.Start(Service::kMatch);
  ASSERT_EQ(load.Wait(kLimit), 0) << load.Output();
  const nlohmann::json line = nlohmann::json::parse(load.Output());
  ExpectNothingWrong(line);
  EXPECT_TRUE(line.at("errors").contains("UNAVAILABLE")) << line;
  EXPECT_TRUE(line.at("insert_events_per_second").is_null()) << line;
}

TEST(Load, SaysWhichFlagIsWrong) {
  Subprocess load(Load({"--players=3"}));
  EXPECT_EQ(load.Wait(), 2);
  EXPECT_THAT(load.Output(), ::testing::HasSubstr("--players must be even, 2 to 4000, not 3"));
}

}  // namespace
}  // namespace naval::testing
