// A whole match through the three services, as two people and a guest see it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "lib/base/status_macros.h"
#include "naval/lobby/v1/lobby_service.grpc.pb.h"
#include "tests/e2e/people.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_state.h"
#include "tools/client/ratings.h"
#include "tools/client/tables.h"

namespace naval::testing {
namespace {

using client::Client;
using client::Player;
using lobby::v1::LobbyService;

class WholeMatch : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // Plays a rated match of two new people to its end; gives its id.
  std::string PlayRatedMatch(Client& creator, Client& guest) {
    const auto match_id = client::MeetAtPrivateTable(creator, guest, /*rated=*/true);
    EXPECT_THAT(match_id, IsOk());
    if (!match_id.ok()) return "";
    const auto first = people_.NewPlayer(creator, *match_id);
    const auto second = people_.NewPlayer(guest, *match_id);
    EXPECT_THAT(Together([&] { return first->LayFleet(); }, [&] { return second->LayFleet(); }),
                IsOk());
    EXPECT_THAT(Together([&] { return first->PlayToTheEnd().status(); },
                         [&] { return second->PlayToTheEnd().status(); }),
                IsOk());
    return *match_id;
  }

  // An account sits at few tables at once, and the lobby hears of an end a moment later.
  void AwaitEndOfTable(const std::string& match_id) {
    ASSERT_TRUE(
        WaitFor([&] { return UndeliveredMessages(cluster_, match_id, Service::kLobby) == 0; }));
  }

  Cluster cluster_;
  People people_{cluster_};
};

game::v1::GameRules Rules(const std::string& text) {
  game::v1::GameRules rules;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &rules)) << text;
  return rules;
}

absl::Status PlayComparing(Player& player) {
  while (true) {
    NAVAL_ASSIGN_OR_RETURN(const bool my_turn, player.AwaitTurn());
    NAVAL_RETURN_IF_ERROR(player.CompareWithServer());
    if (!my_turn) return absl::OkStatus();
    NAVAL_ASSIGN_OR_RETURN(const auto shot, player.NextShot());
    NAVAL_RETURN_IF_ERROR(player.Fire(shot).status());
  }
}

TEST_F(WholeMatch, OfTwoPeopleEndsWithTheWinnerFirstInTheLeaderboard) {
  const auto creator = people_.NewAccount("whole-ana");
  const auto guest = people_.NewAccount("whole-bruno");
  const std::string match_id = PlayRatedMatch(*creator, *guest);
  NAVAL_ASSERT_OK_AND_ASSIGN(const match::v1::Match match, MatchOf(*creator, match_id));
  ASSERT_EQ(match.phase(), match::v1::PHASE_OVER);
  EXPECT_EQ(match.result().reason(), match::v1::END_REASON_FLEET_DESTROYED);
  EXPECT_TRUE(match.rated());
  const auto loser_seat = client::RivalOf(match.result().winner());
  EXPECT_EQ(client::SideOf(match, loser_seat).sunk_ships().size(), 5);
  EXPECT_LT(client::SideOf(match, match.result().winner()).sunk_ships().size(), 5);

  Client& winner = match.result().winner() == match::v1::SEAT_FIRST ? *creator : *guest;
  Client& loser = match.result().winner() == match::v1::SEAT_FIRST ? *guest : *creator;
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto best, AwaitRating(winner, 1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto other, AwaitRating(loser, 1));
  EXPECT_EQ(best.wins(), 1);
  EXPECT_EQ(best.rank(), 1);
  EXPECT_EQ(other.losses(), 1);
  EXPECT_GT(best.rating(), 1500);
  EXPECT_LT(other.rating(), 1500);

  ranking::v1::ListLeaderboardRequest request;
  request.set_rule_set("tablu");
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const auto leaderboard,
      loser.Call(&ranking::v1::RankingService::Stub::ListLeaderboard, request));
  ASSERT_EQ(leaderboard.ratings().size(), 2);
  EXPECT_EQ(leaderboard.ratings(0).SerializeAsString(), best.SerializeAsString());
  EXPECT_EQ(leaderboard.ratings(1).SerializeAsString(), other.SerializeAsString());
}

// Every rule set with every option that it has, between two people.
constexpr const char* kPlayed[] = {
    "rule_set: 'tablu'",
    "rule_set: 'tablu' one_shot_per_turn: true",
    "rule_set: 'clasica'",
    "rule_set: 'clasica' pace: PACE_CORRESPONDENCE",
    "rule_set: 'salvo' pace: PACE_SLOW",
    "rule_set: 'salvo' fleet_b: true",
    "rule_set: 'salvo' volley: true",
    "rule_set: 'salvo' volley: true fleet_b: true pace: PACE_CORRESPONDENCE",
    "rule_set: 'selminha'",
    "rule_set: 'selminha' pace: PACE_LIVE",
};

TEST_F(WholeMatch, ToldByEventsIsTheOneThatGetMatchShows) {
  const auto creator = people_.NewAccount("events-ana");
  const auto guest = people_.NewAccount("events-bruno");
  for (const char* const played : kPlayed) {
    SCOPED_TRACE(played);
    NAVAL_ASSERT_OK_AND_ASSIGN(
        const std::string match_id,
        client::MeetAtPrivateTable(*creator, *guest, /*rated=*/true, Rules(played)));
    const auto first = people_.NewPlayer(*creator, match_id);
    const auto second = people_.NewPlayer(*guest, match_id);
    ASSERT_THAT(first->LayFleet(), IsOk());
    EXPECT_THAT(first->CompareWithServer(), IsOk());
    ASSERT_THAT(second->LayFleet(), IsOk());
    ASSERT_THAT(
        Together([&] { return PlayComparing(*first); }, [&] { return PlayComparing(*second); }),
        IsOk());
    // What was revealed at the end is what each had laid.
    NAVAL_ASSERT_OK_AND_ASSIGN(const match::v1::Match seen_by_first, first->State());
    NAVAL_ASSERT_OK_AND_ASSIGN(const match::v1::Match seen_by_second, second->State());
    EXPECT_EQ(seen_by_first.result().reason(), match::v1::END_REASON_FLEET_DESTROYED);
    for (const int side : {0, 1}) {
      EXPECT_EQ(seen_by_first.sides(side).fleet().size(), seen_by_first.rule_set().ships().size());
      EXPECT_EQ(seen_by_first.sides(side).SerializeAsString(),
                seen_by_second.sides(side).SerializeAsString());
    }
    AwaitEndOfTable(match_id);
  }
  // Each rule set has ratings of its own.
  for (const char* const rule_set : {"tablu", "clasica", "salvo", "selminha"}) {
    ranking::v1::GetRatingRequest request;
    request.set_rule_set(rule_set);
    request.set_account_id(creator->account().account_id());
    EXPECT_TRUE(WaitFor([&] {
      return creator->Call(&ranking::v1::RankingService::Stub::GetRating, request).ok();
    })) << rule_set;
  }
}

// rule: T-21
TEST_F(WholeMatch, AgainstABotChangesNoRating) {
  const auto creator = people_.NewAccount("bot-ana");
  const auto guest = people_.NewAccount("bot-bruno");
  PlayRatedMatch(*creator, *guest);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto before, AwaitRating(*creator, 1));

  const auto newcomer = people_.NewAccount("bot-carla");
  for (Client* const client : {creator.get(), newcomer.get()}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto table, client::OpenBotTable(*client, "jota"));
    EXPECT_FALSE(table.rated());
    const auto player = people_.NewPlayer(*client, table.match_id());
    ASSERT_THAT(player->LayFleet(), IsOk());
    ASSERT_THAT(player->PlayToTheEnd(), IsOk());
    ASSERT_TRUE(WaitFor(
        [&] { return UndeliveredMessages(cluster_, table.match_id(), Service::kRanking) == 0; }));
  }
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto after, RatingOf(*creator));
  EXPECT_EQ(after.SerializeAsString(), before.SerializeAsString());
  EXPECT_THAT(RatingOf(*newcomer), HasReason("NOT_RATED"));
}

// rule: M-10
TEST_F(WholeMatch, AgainstEveryBotIsPlayedByEveryRuleSet) {
  const auto guest = people_.NewGuest();
  std::size_t match = 0;
  for (const char* const played : kPlayed) {
    const char* const bots[] = {"jota", "as", "rey"};
    const char* const bot = bots[match++ % std::size(bots)];
    SCOPED_TRACE(absl::StrCat(played, " against ", bot));
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto table, client::OpenBotTable(*guest, bot, Rules(played)));
    const auto player = people_.NewPlayer(*guest, table.match_id());
    ASSERT_THAT(player->LayFleet(), IsOk());
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto result, player->PlayToTheEnd());
    EXPECT_EQ(result.reason(), match::v1::END_REASON_FLEET_DESTROYED);
    EXPECT_THAT(player->CompareWithServer(), IsOk());
    AwaitEndOfTable(table.match_id());
  }
}

// rule: T-22
TEST_F(WholeMatch, OfAGuestIsPracticeAndNothingElse) {
  const auto host = people_.NewAccount("host-ana");
  const auto guest = people_.NewGuest();
  EXPECT_THAT(client::OpenPrivateTable(*guest, /*rated=*/false), HasReason("GUEST_NOT_ALLOWED"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto opened, client::OpenPrivateTable(*host, /*rated=*/false));
  EXPECT_THAT(client::JoinByCode(*guest, opened.join_code()), HasReason("GUEST_NOT_ALLOWED"));

  NAVAL_ASSERT_OK_AND_ASSIGN(const auto table, client::OpenBotTable(*guest, "jota"));
  const auto player = people_.NewPlayer(*guest, table.match_id());
  ASSERT_THAT(player->LayFleet(), IsOk());
  EXPECT_THAT(player->PlayToTheEnd(), IsOk());
  EXPECT_THAT(client::WaitForTable(*guest, table.table_id(), lobby::v1::TABLE_STATE_ENDED,
                                   absl::Seconds(30)),
              IsOk());
}

// rule: T-20
TEST_F(WholeMatch, AtAPrivateTableIsReachedByItsCodeOnly) {
  const auto host = people_.NewAccount("code-ana");
  const auto stranger = people_.NewAccount("code-bruno");
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto opened, client::OpenPrivateTable(*host, /*rated=*/true));

  lobby::v1::GetTableRequest get;
  get.set_table_id(opened.table().table_id());
  EXPECT_THAT(stranger->Call(&LobbyService::Stub::GetTable, get), HasReason("TABLE_NOT_FOUND"));
  lobby::v1::JoinTableRequest join;
  join.set_table_id(opened.table().table_id());
  EXPECT_THAT(stranger->Call(&LobbyService::Stub::JoinTable, join), HasReason("TABLE_NOT_FOUND"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto listed,
                             stranger->Call(&LobbyService::Stub::ListTables, {}));
  EXPECT_TRUE(listed.tables().empty());
  std::string wrong_code = opened.join_code();
  wrong_code.front() = wrong_code.front() == 'A' ? 'B' : 'A';
  EXPECT_THAT(client::JoinByCode(*stranger, wrong_code), HasReason("TABLE_NOT_FOUND"));

  NAVAL_ASSERT_OK_AND_ASSIGN(const auto joined, client::JoinByCode(*stranger, opened.join_code()));
  EXPECT_EQ(joined.table_id(), opened.table().table_id());
  const auto third = people_.NewAccount("code-carla");
  EXPECT_THAT(MatchOf(*third, joined.match_id()), HasReason("MATCH_NOT_FOUND"));
}

}  // namespace
}  // namespace naval::testing
