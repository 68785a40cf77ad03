// What the services count of a whole match, on the pages that Prometheus reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/secret.h"
#include "naval/match/v1/match.pb.h"
#include "tests/e2e/people.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/scrape.h"
#include "tests/support/status_matchers.h"
#include "tests/support/subprocess.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wait_for.h"
#include "tools/client/ratings.h"
#include "tools/client/tables.h"

namespace naval::testing {
namespace {

// tools/setup puts it there; tests are started in the root of the repository.
constexpr char kPromtool[] = ".naval/promtool/usr/bin/promtool";

class Metrics : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  MetricsPage PageOf(Service service) { return MetricsPage::Of(cluster_.MetricsPort(service)); }

  // Waits until a series of a service has a value.
  void ExpectBecomes(Service service, const std::string& series, double value) {
    EXPECT_TRUE(WaitFor([&] { return PageOf(service)[series] == value; }))
        << series << " is " << PageOf(service)[series] << ", not " << value;
  }

  // The methods on a page, each with the number of its codes.
  static std::map<std::string, int> CodesByMethod(const MetricsPage& page) {
    std::map<std::string, int> codes;
    for (const auto& [series, value] : page.values()) {
      const size_t method = series.find("grpc_method=");
      if (absl::StartsWith(series, "grpc_server_handled_total{")) ++codes[series.substr(method)];
    }
    return codes;
  }

  Cluster cluster_;
  People people_{cluster_};
};

TEST_F(Metrics, HaveEveryMethodWithEveryCodeAtZeroBeforeAnyCall) {
  const std::map<Service, std::vector<std::string>> some_methods = {
      {Service::kLobby, {"LogIn", "CreateTable", "RecordMatchChange"}},
      {Service::kMatch, {"FireShots", "WatchMatch", "CreateMatch"}},
      {Service::kRanking, {"ListLeaderboard", "RecordResult"}}};
  for (const Service service : kServices) {
    const MetricsPage page = PageOf(service);
    const std::map<std::string, int> codes = CodesByMethod(page);
    for (const auto& [method, number] : codes) EXPECT_EQ(number, 17) << method;
    for (const std::string& method : some_methods.at(service)) {
      const std::string label = absl::StrCat("grpc_method=\"", method, "\"");
      EXPECT_TRUE(page.Sum("grpc_server_handled_total", label) == 0) << method;
      EXPECT_TRUE(absl::StrContains(page.text(), label)) << method;
    }
  }
}

TEST_F(Metrics, CountWhatHappenedInAMatch) {
  const auto ana = people_.NewAccount("count-ana");
  const auto bruno = people_.NewAccount("count-bruno");
  const auto guest = people_.NewGuest();
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string match_id,
                             client::MeetAtPrivateTable(*ana, *bruno, /*rated=*/true));
  const auto first = people_.NewPlayer(*ana, match_id);
  const auto second = people_.NewPlayer(*bruno, match_id);
  ASSERT_THAT(Together([&] { return first->LayFleet(); }, [&] { return second->LayFleet(); }),
              IsOk());
  ASSERT_THAT(Together([&] { return first->PlayToTheEnd().status(); },
                       [&] { return second->PlayToTheEnd().status(); }),
              IsOk());
  ASSERT_THAT(AwaitRating(*ana, 1), IsOk());

  NAVAL_ASSERT_OK_AND_ASSIGN(const auto story, WholeStory(*ana, match_id));
  std::map<std::string, int> shots = {{"water", 0}, {"hit", 0}, {"sunk", 0}};
  for (const match::v1::MatchEvent& event : story) {
    if (!event.has_shot_fired()) continue;
    // SHOT_RESULT_WATER
    const std::string name = match::v1::ShotResult_Name(event.shot_fired().result());
    ++shots[absl::AsciiStrToLower(absl::StripPrefix(name, "SHOT_RESULT_"))];
  }
  EXPECT_GE(shots["sunk"], 5);
  const MetricsPage match = PageOf(Service::kMatch);
  for (const auto& [result, number] : shots) {
    EXPECT_EQ(match[absl::StrCat("naval_shots_total{by=\"player\",result=\"", result, "\"}")],
              number);
  }
  EXPECT_EQ(match.Sum("naval_shots_total", "by=\"clock\""), 0);
  EXPECT_EQ(match["naval_matches_ended_total{reason=\"fleet_destroyed\"}"], 1);
  EXPECT_EQ(match.Sum("naval_matches_ended_total"), 1);
  EXPECT_EQ(match.Sum("naval_time_outs_total"), 0);
  EXPECT_EQ(match["naval_live_matches"], 1);
  EXPECT_EQ(match["naval_matches_unreadable_total"], 0);
  EXPECT_GE(match["naval_commit_seconds_count"], shots["water"] + shots["hit"] + shots["sunk"]);
  EXPECT_GT(match["naval_postgres_transactions_total{outcome=\"committed\"}"],
            match["naval_commit_seconds_count"]);
  EXPECT_EQ(match["naval_journal_refused_appends_total"], 0);
  EXPECT_EQ(match["naval_journal_split_batches_total"], 0);
  EXPECT_EQ(match["naval_journal_batch_appends_sum"], match["naval_commit_seconds_count"]);
  ExpectBecomes(Service::kMatch,
                "naval_outbox_deliveries_total{destination=\"ranking\",outcome=\"ok\"}", 1);

  const MetricsPage lobby = PageOf(Service::kLobby);
  EXPECT_EQ(lobby["naval_accounts_total{origin=\"registered\"}"], 2);
  EXPECT_EQ(lobby["naval_accounts_total{origin=\"guest\"}"], 1);
  EXPECT_EQ(lobby["naval_match_starts_total{outcome=\"started\"}"], 1);
  EXPECT_EQ(lobby["naval_executor_queued_tasks{executor=\"passwords\"}"], 0);
  EXPECT_EQ(PageOf(Service::kRanking)["naval_results_total{outcome=\"rated\"}"], 1);
}

TEST_F(Metrics, CountEveryCallThatBeganAsEnded) {
  const auto ana = people_.NewAccount("ended-ana");
  EXPECT_THAT(ana->LogIn("ended-ana", base::Secret("una clave que no es la buena")),
              HasReason("WRONG_CREDENTIALS"));
  EXPECT_THAT(ana->LogIn("ended-ana", base::Secret(kPassword)), IsOk());
  ASSERT_THAT(ana->Refresh(), IsOk());
  const MetricsPage lobby = PageOf(Service::kLobby);
  EXPECT_EQ(lobby["naval_log_ins_total{outcome=\"refused\"}"], 1);
  EXPECT_EQ(lobby["naval_log_ins_total{outcome=\"ok\"}"], 1);
  EXPECT_EQ(lobby["naval_refreshes_total{outcome=\"ok\"}"], 1);
  for (const Service service : kServices) {
    // Calls that go on between services are caught at another moment.
    EXPECT_TRUE(WaitFor([&] {
      const MetricsPage page = PageOf(service);
      return page.Sum("grpc_server_started_total") > 0 &&
             page.Sum("grpc_server_started_total") == page.Sum("grpc_server_handled_total") &&
             page.Sum("grpc_server_started_total") ==
                 page.Sum("grpc_server_handling_seconds_count");
    })) << ServiceName(service);
  }
}

TEST_F(Metrics, CountStreamsWhileTheyAreOpen) {
  const auto ana = people_.NewAccount("stream-ana");
  const auto bruno = people_.NewAccount("stream-bruno");
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string match_id,
                             client::MeetAtPrivateTable(*ana, *bruno, /*rated=*/true));
  {
    const auto stream = ana->Watch(match_id, std::nullopt);
    ASSERT_TRUE(stream->Next().has_value());
    ExpectBecomes(Service::kMatch, "naval_streams{viewer=\"player\"}", 1);
  }
  ExpectBecomes(Service::kMatch, "naval_streams{viewer=\"player\"}", 0);
}

TEST_F(Metrics, AreInOrderForPromtool) {
  const TemporaryFolder folder;
  for (const Service service : kServices) {
    const std::string file = absl::StrCat(folder.path(), "/", ServiceName(service));
    std::ofstream(file) << PageOf(service).text();
    Subprocess promtool({"/bin/sh", "-c", absl::StrCat(kPromtool, " check metrics <'", file, "'")});
    EXPECT_EQ(promtool.Wait(), 0) << ServiceName(service) << " (tools/setup brings promtool)";
    EXPECT_EQ(promtool.Output(), "") << ServiceName(service);
  }
}

}  // namespace
}  // namespace naval::testing
