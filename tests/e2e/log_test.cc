// What the services write into their logs, at their most talkative, over a match and its mishaps.

#include "lib/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "lib/base/status_macros.h"
#include "re2/re2.h"
#include "tests/e2e/people.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tools/client/ratings.h"
#include "tools/client/tables.h"

namespace naval::testing {
namespace {

using client::Client;
using ::testing::Not;
using MatchStub = match::v1::MatchService::Stub;

constexpr char kOtherPassword[] = "una clave que no es la buena";

// Everything that must not be written down.
struct Canaries {
  void AddSession(const Client& client) {
    secrets.push_back(client.session().access_token());
    secrets.push_back(client.session().refresh_token());
  }

  std::vector<std::string> secrets;
};

// What goes wrong in an ordinary life: each leads to an error, some to a log line.
void MakeMishaps(Cluster& cluster, Client& client, const std::string& match_id,
                 const std::string& join_code) {
  EXPECT_THAT(client.LogIn(client.account().handle(), base::Secret(kOtherPassword)),
              HasReason("WRONG_CREDENTIALS"));
  EXPECT_THAT(client::JoinByCode(client, absl::StrCat(join_code, "x")), Not(IsOk()));
  match::v1::FireShotsRequest shot;
  shot.set_match_id(match_id);
  shot.add_squares("K11");
  EXPECT_THAT(client.Call(&MatchStub::FireShots, shot), HasReason("INVALID_SQUARE"));
  match::v1::ConfirmFleetRequest fleet;
  fleet.set_match_id(match_id);
  fleet.add_fleet()->set_ship_id("lancha");
  EXPECT_THAT(client.Call(&MatchStub::ConfirmFleet, fleet), Not(IsOk()));
  // Services lose the database in the middle of things.
  cluster.database().DisconnectAll();
  EXPECT_THAT(MatchOf(client, match_id), IsOk());
}

// A whole match, with mishaps before and in the middle of it; gives the match's id.
absl::StatusOr<std::string> Play(Cluster& cluster, People& people, Canaries& canaries) {
  const auto ana = people.NewAccount("log-ana");
  const auto bruno = people.NewAccount("log-bruno");
  NAVAL_ASSIGN_OR_RETURN(const auto opened, client::OpenPrivateTable(*ana, /*rated=*/true));
  canaries.secrets.push_back(opened.join_code());
  NAVAL_ASSIGN_OR_RETURN(const auto table, client::JoinByCode(*bruno, opened.join_code()));
  const auto first = people.NewPlayer(*ana, table.match_id());
  const auto second = people.NewPlayer(*bruno, table.match_id());
  MakeMishaps(cluster, *ana, table.match_id(), opened.join_code());
  for (Client* const client : {ana.get(), bruno.get()}) {
    canaries.AddSession(*client);
    EXPECT_THAT(client->Refresh(), IsOk());
    canaries.AddSession(*client);
  }
  EXPECT_THAT(Together([&] { return first->LayFleet(); }, [&] { return second->LayFleet(); }),
              IsOk());
  MakeMishaps(cluster, *bruno, table.match_id(), opened.join_code());
  EXPECT_THAT(Together([&] { return first->PlayToTheEnd().status(); },
                       [&] { return second->PlayToTheEnd().status(); }),
              IsOk());
  EXPECT_THAT(AwaitRating(*ana, 1), IsOk());
  return table.match_id();
}

void ExpectJsonLines(absl::string_view log) {
  for (const absl::string_view line : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
    google::protobuf::Struct object;
    EXPECT_TRUE(google::protobuf::util::JsonStringToMessage(std::string(line), &object).ok())
        << line;
    for (const char* const field : {"time", "level", "event"}) {
      EXPECT_TRUE(object.fields().contains(field)) << line;
    }
  }
}

// The first line that holds a ship or names a square; empty when none does. Ids are in lower case
// and in groups of four digits and more, so that none looks like a square.
std::string LineWithAFleet(absl::string_view log) {
  static const RE2& hidden =
      *new RE2(R"(\b[A-J](10|[1-9])\b|portaaviones|acorazado|fragata|submarino|lancha)");
  for (const absl::string_view line : absl::StrSplit(log, '\n')) {
    if (RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), hidden)) {
      return std::string(line);
    }
  }
  return "";
}

TEST(Log, TellsTheLineOfAFleet) {
  EXPECT_EQ(LineWithAFleet("{\"event\":\"one\"}\n{\"at\":\"C7\"}"), "{\"at\":\"C7\"}");
  EXPECT_EQ(LineWithAFleet("a\nthe lancha b"), "the lancha b");
  EXPECT_EQ(LineWithAFleet("{\"match_id\":\"01a3e5c7-1b2c-7a1b-8c1d-0a1b2c3d4e5f\"}"), "");
}

TEST(Log, HoldsJsonLinesAndNoSecretAndNoFleet) {
  PinGrpc();
  Cluster cluster(base::LogLevel::kDebug);
  People people(cluster);
  Canaries canaries{.secrets = {kPassword, kOtherPassword, cluster.service_token(),
                                cluster.signing_key(), cluster.sealing_key()}};
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string match_id, Play(cluster, people, canaries));
  for (const Service service : kServices) {
    cluster.Signal(service, SIGTERM);
    EXPECT_EQ(cluster.Wait(service), 0);
    const std::string log = cluster.Log(service);
    EXPECT_THAT(log, ::testing::HasSubstr("\"serving\""));
    EXPECT_THAT(log, ::testing::HasSubstr("\"stopped\""));
    ExpectJsonLines(log);
    EXPECT_EQ(LineWithAFleet(log), "") << ServiceName(service);
    for (const std::string& secret : canaries.secrets) {
      ASSERT_GE(secret.size(), 16u);
      EXPECT_FALSE(absl::StrContains(log, secret)) << ServiceName(service);
    }
  }
}

}  // namespace
}  // namespace naval::testing
