// SIGKILL at bad moments: nothing that a client was told is lost, nothing happens twice, and
// everything goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/pool.h"
#include "naval/lobby/v1/lobby_service.grpc.pb.h"
#include "tests/e2e/people.h"
#include "tests/support/cluster.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_feed.h"
#include "tools/client/match_state.h"
#include "tools/client/ratings.h"
#include "tools/client/tables.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using client::Client;
using client::Player;
using client::SideOf;
using MatchStub = v1::MatchService::Stub;

// What was asked and what was answered.
template <typename Request, typename Response>
struct Exchange {
  Request request;
  Response response;
};

// Grows in one thread while another waits for its length.
template <typename Request, typename Response>
class Record {
 public:
  void Add(const Request& request, const Response& response) {
    base::MutexLock lock(mutex_);
    exchanges_.push_back({request, response});
  }
  size_t size() const {
    base::MutexLock lock(mutex_);
    return exchanges_.size();
  }
  std::vector<Exchange<Request, Response>> exchanges() const {
    base::MutexLock lock(mutex_);
    return exchanges_;
  }

 private:
  mutable base::Mutex mutex_;
  std::vector<Exchange<Request, Response>> exchanges_ NAVAL_GUARDED_BY(mutex_);
};

using Drafts = Record<v1::PlaceFleetRequest, v1::PlaceFleetResponse>;
using Shots = Record<v1::FireShotsRequest, v1::FireShotsResponse>;

// Sends one draft after another, two ships that change their places, until there are `count`.
absl::Status SendDrafts(Player& player, size_t count, Drafts& drafts) {
  NAVAL_RETURN_IF_ERROR(player.State().status());
  while (drafts.size() < count) {
    v1::PlaceFleetRequest draft;
    draft.set_match_id(player.match_id());
    draft.set_request_id(player.client().NewRequestId());
    for (const char* const ship_id : {"lancha", "fragata"}) {
      v1::ShipPlacement& ship = *draft.add_fleet();
      ship.set_ship_id(ship_id);
      ship.set_bow(absl::StrCat(ship_id[0] == 'l' ? "A" : "F", 1 + drafts.size() % 10));
      ship.set_orientation(v1::ORIENTATION_HORIZONTAL);
    }
    NAVAL_ASSIGN_OR_RETURN(const auto placed, player.client().Call(&MatchStub::PlaceFleet, draft));
    NAVAL_RETURN_IF_ERROR(player.feed().Confirm(placed.events()));
    drafts.Add(draft, placed);
  }
  return absl::OkStatus();
}

absl::Status PlayToTheEnd(Player& player, Shots& shots) {
  while (true) {
    NAVAL_ASSIGN_OR_RETURN(const bool my_turn, player.AwaitTurn());
    if (!my_turn) return absl::OkStatus();
    NAVAL_ASSIGN_OR_RETURN(const auto shot, player.NextShot());
    NAVAL_ASSIGN_OR_RETURN(const auto response, player.Fire(shot));
    shots.Add(shot, response);
  }
}

// The same request again gets the same answer, byte for byte.
template <typename Method, typename Request, typename Response>
void ExpectSameAnswers(Client& client, Method method, const Record<Request, Response>& record) {
  for (const auto& exchange : record.exchanges()) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const Response again, client.Call(method, exchange.request));
    EXPECT_EQ(again.SerializeAsString(), exchange.response.SerializeAsString());
  }
}

// Everything the client was told by answers and streams, while services died, stands in the log:
// the same events under the same numbers, no number left out and none twice. Player compares
// answers with the stream.
void ExpectNothingLost(Player& player) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto story, WholeStory(player.client(), player.match_id()));
  for (size_t i = 0; i < story.size(); ++i) {
    ASSERT_EQ(story[i].seq(), static_cast<int64_t>(i) + 1);
  }
  const auto told = player.feed().events();
  ASSERT_FALSE(told.empty());
  ASSERT_EQ(told.back().seq(), static_cast<int64_t>(story.size()));
  for (const v1::MatchEvent& event : told) {
    EXPECT_EQ(event.SerializeAsString(),
              story[static_cast<size_t>(event.seq()) - 1].SerializeAsString())
        << event.seq();
  }
}

// Every acknowledged shot of this player was fired once, and no other that the player did not send.
void ExpectEachShotOnce(Player& player, const Shots& shots) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, player.State());
  std::vector<std::string> sent;
  for (const auto& exchange : shots.exchanges()) sent.push_back(exchange.request.squares(0));
  std::vector<std::string> fired;
  for (const v1::MatchEvent& event : player.feed().events()) {
    const v1::ShotFired& shot = event.shot_fired();
    if (event.has_shot_fired() && shot.seat() == match.viewer_seat() && !shot.by_clock()) {
      fired.push_back(shot.square());
    }
  }
  EXPECT_EQ(fired, sent);
}

int64_t SecondsLeft(const v1::Match& match) {
  return match.deadline().seconds() - match.server_time().seconds();
}

// The clock runs on, was not shortened, and gives no more than a whole term.
void ExpectSaneClock(const v1::Match& before, const v1::Match& after, int64_t term_seconds) {
  ASSERT_TRUE(before.has_deadline());
  ASSERT_TRUE(after.has_deadline());
  if (before.seq() == after.seq() || before.turn() == after.turn()) {
    EXPECT_GE(after.deadline().seconds(), before.deadline().seconds());
  }
  EXPECT_GT(SecondsLeft(after), 0);
  EXPECT_LE(SecondsLeft(after), term_seconds + 1);
}

class Kill : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  void Restart(Service service) {
    cluster_.Kill(service);
    cluster_.Start(service);
  }

  Cluster cluster_;
  People people_{cluster_};
};

class TwoPlayers {
 public:
  TwoPlayers(People& people, const std::string& name, Service match = Service::kMatch)
      : first_client(people.NewAccount(name + "-ana", match)),
        second_client(people.NewAccount(name + "-bruno", match)) {}

  void Meet(People& people) {
    NAVAL_ASSERT_OK_AND_ASSIGN(
        match_id, client::MeetAtPrivateTable(*first_client, *second_client, /*rated=*/true));
    first = people.NewPlayer(*first_client, match_id);
    second = people.NewPlayer(*second_client, match_id);
  }

  absl::Status LayFleets() {
    return Together([this] { return first->LayFleet(); }, [this] { return second->LayFleet(); });
  }

  std::unique_ptr<Client> first_client;
  std::unique_ptr<Client> second_client;
  std::string match_id;
  std::unique_ptr<Player> first;
  std::unique_ptr<Player> second;
};

// Kills the match service each time `progress` has come to the next mark, while clients go on
// sending. Each time it is in the middle of something else, and both feeds follow it: one that was
// still waiting for it would not notice.
template <typename Progress>
void KillAt(Cluster& cluster, TwoPlayers& two, const std::vector<size_t>& marks,
            Progress progress) {
  std::array<int, 2> opened = {0, 0};
  const auto both_follow = [&] {
    size_t i = 0;
    for (client::MatchFeed* const feed : {&two.first->feed(), &two.second->feed()}) {
      if (feed->streams_opened() <= opened[i++] || !feed->connection().ok()) return false;
    }
    return true;
  };
  for (const size_t mark : marks) {
    ASSERT_TRUE(WaitFor([&] { return progress() >= mark && both_follow(); }));
    opened = {two.first->feed().streams_opened(), two.second->feed().streams_opened()};
    cluster.Kill(Service::kMatch);
    cluster.Start(Service::kMatch);
  }
}

// rule: A-06
TEST_F(Kill, OfTheMatchServiceDuringPlacementAndDuringBattleLosesNothing) {
  TwoPlayers two(people_, "twice");
  ASSERT_NO_FATAL_FAILURE(two.Meet(people_));

  Drafts drafts;
  Drafts drafts_of_second;
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match placing, MatchOf(*two.first_client, two.match_id));
  std::thread placement([&] {
    EXPECT_THAT(Together([&] { return SendDrafts(*two.first, 80, drafts); },
                         [&] { return SendDrafts(*two.second, 80, drafts_of_second); }),
                IsOk());
  });
  KillAt(cluster_, two, {20, 40, 60},
         [&] { return std::min(drafts.size(), drafts_of_second.size()); });
  placement.join();
  ASSERT_EQ(drafts.size(), 80u);
  ASSERT_EQ(drafts_of_second.size(), 80u);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match placing_still,
                             MatchOf(*two.first_client, two.match_id));
  EXPECT_EQ(placing_still.phase(), v1::PHASE_PLACEMENT);
  ExpectSaneClock(placing, placing_still, 90);
  ExpectSameAnswers(*two.first_client, &MatchStub::PlaceFleet, drafts);
  ExpectSameAnswers(*two.second_client, &MatchStub::PlaceFleet, drafts_of_second);
  // The draft is the last one acknowledged.
  const auto last = drafts.exchanges().back().request;
  ASSERT_EQ(placing_still.sides(0).fleet().size(), last.fleet().size());
  EXPECT_EQ(placing_still.sides(0).fleet(0).bow(), last.fleet(0).bow());

  ASSERT_THAT(two.LayFleets(), IsOk());
  Shots shots_of_first;
  Shots shots_of_second;
  std::thread battle([&] {
    EXPECT_THAT(Together([&] { return PlayToTheEnd(*two.first, shots_of_first); },
                         [&] { return PlayToTheEnd(*two.second, shots_of_second); }),
                IsOk());
  });
  // No match ends with fewer than 17 shots.
  KillAt(cluster_, two, {5, 10, 16},
         [&] { return shots_of_first.size() + shots_of_second.size(); });
  battle.join();

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match end, two.first->State());
  ASSERT_EQ(end.phase(), v1::PHASE_OVER);
  EXPECT_EQ(end.result().reason(), v1::END_REASON_FLEET_DESTROYED);
  EXPECT_EQ(SideOf(end, client::RivalOf(end.result().winner())).sunk_ships().size(), 5);
  EXPECT_LT(SideOf(end, end.result().winner()).sunk_ships().size(), 5);
  ExpectNothingLost(*two.first);
  ExpectNothingLost(*two.second);
  ExpectEachShotOnce(*two.first, shots_of_first);
  ExpectEachShotOnce(*two.second, shots_of_second);
  // Six services died under each feed.
  EXPECT_GE(two.first->feed().streams_opened(), 7);
  EXPECT_GE(two.second->feed().streams_opened(), 7);
  ExpectSameAnswers(*two.first_client, &MatchStub::FireShots, shots_of_first);
  ExpectSameAnswers(*two.second_client, &MatchStub::FireShots, shots_of_second);

  Client& winner = end.result().winner() == v1::SEAT_FIRST ? *two.first_client : *two.second_client;
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto rating, AwaitRating(winner, 1));
  EXPECT_EQ(rating.wins(), 1);
  EXPECT_EQ(rating.rank(), 1);
}

// The partition of a match, or all of them, that this process of the match service owns.
size_t OwnedBy(Cluster& cluster, const std::string& owner,
               const std::optional<std::string>& match_id = std::nullopt) {
  postgres::Pool pool(cluster.database().PoolOptions());
  const auto owned = pool.Transact([&](postgres::Transaction& transaction) {
    return transaction.Execute(
        "SELECT FROM match.partition_lease WHERE owner = $1"
        " AND ($2::uuid IS NULL OR partition = get_byte(uuid_send($2::uuid), 15) & 63)",
        {owner, match_id});
  });
  EXPECT_THAT(owned, IsOk());
  return owned->size();
}

TEST_F(Kill, OfTheProcessThatPlaysAMatchLetsItGoOnAtTheOneThatItsPlayersAreAt) {
  cluster_.Start(Service::kOtherMatch);
  // Nothing moves any more, until one is killed.
  ASSERT_TRUE(WaitFor([&] { return OwnedBy(cluster_, "match-1") == 32; }, absl::Minutes(1)));
  std::optional<TwoPlayers> two;
  int met = 0;
  do {
    two.emplace(people_, absl::StrCat("elsewhere", ++met), Service::kOtherMatch);
    ASSERT_NO_FATAL_FAILURE(two->Meet(people_));
  } while (OwnedBy(cluster_, "match-0", two->match_id) == 0);
  ASSERT_THAT(two->LayFleets(), IsOk());
  Shots shots_of_first;
  Shots shots_of_second;
  std::thread battle([&] {
    EXPECT_THAT(Together([&] { return PlayToTheEnd(*two->first, shots_of_first); },
                         [&] { return PlayToTheEnd(*two->second, shots_of_second); }),
                IsOk());
  });
  const auto fired = [&] { return shots_of_first.size() + shots_of_second.size(); };
  ASSERT_TRUE(WaitFor([&] { return fired() >= 5; }));
  cluster_.Kill(Service::kMatch);
  battle.join();

  EXPECT_EQ(OwnedBy(cluster_, "match-1"), 64u);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match end, two->first->State());
  EXPECT_EQ(end.result().reason(), v1::END_REASON_FLEET_DESTROYED);
  ExpectNothingLost(*two->first);
  ExpectNothingLost(*two->second);
  ExpectEachShotOnce(*two->first, shots_of_first);
  ExpectEachShotOnce(*two->second, shots_of_second);
  ExpectSameAnswers(*two->first_client, &MatchStub::FireShots, shots_of_first);
  ExpectSameAnswers(*two->second_client, &MatchStub::FireShots, shots_of_second);
}

TEST_F(Kill, OfTheMatchServiceShortensNoShotClock) {
  TwoPlayers two(people_, "clock");
  ASSERT_NO_FATAL_FAILURE(two.Meet(people_));
  ASSERT_THAT(two.LayFleets(), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match before, MatchOf(*two.first_client, two.match_id));
  Restart(Service::kMatch);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match after, MatchOf(*two.first_client, two.match_id));
  EXPECT_EQ(after.phase(), v1::PHASE_BATTLE);
  EXPECT_EQ(after.turn(), before.turn());
  EXPECT_EQ(after.sides(0).strikes() + after.sides(1).strikes(), 0);
  ExpectSaneClock(before, after, 25);
}

TEST_F(Kill, OfEverythingLeavesATableInStartingThatHeals) {
  TwoPlayers two(people_, "starting");
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto opened,
                             client::OpenPrivateTable(*two.first_client, /*rated=*/true));
  cluster_.Kill(Service::kMatch);
  lobby::v1::JoinTableRequest join;
  join.set_join_code(opened.join_code());
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const auto joined, two.second_client->Call(&lobby::v1::LobbyService::Stub::JoinTable, join));
  EXPECT_EQ(joined.table().state(), lobby::v1::TABLE_STATE_STARTING);

  Restart(Service::kLobby);
  cluster_.Start(Service::kMatch);
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const auto table, client::WaitForTable(*two.first_client, opened.table().table_id(),
                                             lobby::v1::TABLE_STATE_PLAYING, absl::Seconds(30)));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, MatchOf(*two.second_client, table.match_id()));
  EXPECT_EQ(match.phase(), v1::PHASE_PLACEMENT);
  EXPECT_EQ(match.viewer_seat(), v1::SEAT_SECOND);
  // Joining again answers the same.
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const auto again, two.second_client->Call(&lobby::v1::LobbyService::Stub::JoinTable, join));
  EXPECT_EQ(again.table().match_id(), table.match_id());
}

TEST_F(Kill, OfTheLobbyDoesNotStopAMatchWhoseEndItLearnsLater) {
  TwoPlayers two(people_, "lobby");
  ASSERT_NO_FATAL_FAILURE(two.Meet(people_));
  cluster_.Kill(Service::kLobby);
  ASSERT_THAT(two.LayFleets(), IsOk());
  ASSERT_THAT(Together([&] { return two.first->PlayToTheEnd().status(); },
                       [&] { return two.second->PlayToTheEnd().status(); }),
              IsOk());
  EXPECT_GT(UndeliveredMessages(cluster_, two.match_id, Service::kLobby), 0);
  cluster_.Start(Service::kLobby);
  EXPECT_TRUE(
      WaitFor([&] { return UndeliveredMessages(cluster_, two.match_id, Service::kLobby) == 0; },
              absl::Minutes(1)));
  // The account may sit down again: its table has ended.
  for (int table = 0; table < 5; ++table) {
    EXPECT_THAT(client::OpenPrivateTable(*two.first_client, /*rated=*/false), IsOk());
  }
}

// Has every result of this match sent to the ranking once more.
void SendAgain(Cluster& cluster, const std::string& match_id) {
  postgres::Pool pool(cluster.database().PoolOptions());
  EXPECT_THAT(pool.Transact([&](postgres::Transaction& transaction) {
    return transaction
        .Execute(
            "UPDATE match.match_outbox SET delivered_time = NULL, next_attempt_time = now()"
            " WHERE match_id = $1 AND destination = 'ranking'",
            {match_id})
        .status();
  }),
              IsOk());
}

TEST_F(Kill, OfTheRankingAndTheMatchServiceDelaysAResultAndCountsItOnce) {
  TwoPlayers two(people_, "ranking");
  ASSERT_NO_FATAL_FAILURE(two.Meet(people_));
  ASSERT_THAT(two.LayFleets(), IsOk());
  cluster_.Kill(Service::kRanking);
  v1::ResignRequest resignation;
  resignation.set_match_id(two.match_id);
  ASSERT_THAT(two.first_client->Call(&MatchStub::Resign, resignation), IsOk());
  Restart(Service::kMatch);
  EXPECT_EQ(UndeliveredMessages(cluster_, two.match_id, Service::kRanking), 1);

  cluster_.Start(Service::kRanking);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto best, AwaitRating(*two.second_client, 1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto other, AwaitRating(*two.first_client, 1));
  EXPECT_EQ(best.wins(), 1);
  EXPECT_EQ(other.losses(), 1);

  ASSERT_TRUE(
      WaitFor([&] { return UndeliveredMessages(cluster_, two.match_id, Service::kRanking) == 0; }));
  SendAgain(cluster_, two.match_id);
  ASSERT_TRUE(
      WaitFor([&] { return UndeliveredMessages(cluster_, two.match_id, Service::kRanking) == 0; }));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto best_still, RatingOf(*two.second_client));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto other_still, RatingOf(*two.first_client));
  EXPECT_EQ(best_still.SerializeAsString(), best.SerializeAsString());
  EXPECT_EQ(other_still.SerializeAsString(), other.SerializeAsString());
}

}  // namespace
}  // namespace naval::testing
