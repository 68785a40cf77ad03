// Two matches that differ in hidden things only, played side by side: whatever the rival and a
// spectator get must be equal byte for byte, and so must what stands in the database, but for what
// is sealed. Each match runs in a service with a database and a clock of its own, so that ids and
// times can be equal as well and nothing has to be masked.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/opaque_token.h"
#include "lib/base/status_macros.h"
#include "lib/postgres/transaction.h"
#include "naval/match/v1/match_service.pb.h"
#include "tests/integration/match_server.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/or_die.h"
#include "tests/support/raw_call.h"
#include "tests/support/status_matchers.h"
#include "tests/support/test_keys.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

// What only Ana knows.
struct Hidden {
  Fleet fleet;
  int draft_edits = 0;
  int proposals = 0;
  // The volley that she marks while Bruno's of the same round is not in.
  std::string volley = {};
};

// Ana's fleet in both worlds: the lancha at A9 and a ship of three at A5 and at A7, but which of
// the two it is differs, and the two long ships lie elsewhere.
Hidden OneWorld() {
  return {.fleet = ParseFleet("portaaviones A1 right, acorazado A3 right, fragata A5 right,"
                              " submarino A7 right, lancha A9 right"),
          .draft_edits = 0,
          .proposals = 0};
}
Hidden OtherWorld() {
  return {.fleet = ParseFleet("lancha A9 right, submarino A5 right, fragata A7 right,"
                              " acorazado F9 right, portaaviones J1 down"),
          .draft_edits = 7,
          .proposals = 4};
}

// Ana's fleets of Salvo. What Bruno fires in the first round meets the bow of the acorazado in
// both, and water; what Ana marks in the second meets Bruno's fleet in one of them only.
Hidden OneSalvoWorld() {
  return {.fleet = ParseFleet("acorazado A1 right, crucero A2 right, submarino A3 right,"
                              " destructor A4 right"),
          .draft_edits = 0,
          .proposals = 0,
          .volley = "B1 C1 D1 A3 B3 A5 J1"};
}
Hidden OtherSalvoWorld() {
  return {.fleet = ParseFleet("submarino J1 down, acorazado A1 down, destructor F5 right,"
                              " crucero C4 down"),
          .draft_edits = 6,
          .proposals = 3,
          .volley = "C9 D9 E9 F9 G9 H9 I9"};
}

// Both fire this in the first round.
constexpr char kFirstVolley[] = "A1 J10 I10 H10 G10 F10 E10";

// What Bruno fires in turn: the results are the same in both worlds. Water, a hit on the ship of
// three, the lancha in two shots, water; then again.
constexpr const char* kBrunosShots[] = {"F5", "A5", "A9", "B9", "E3", "H7", "A7", "G2"};
constexpr const char* kAnasShots[] = {"J10", "A1", "J8", "J6", "J4"};

// All that one viewer got, call by call.
using Received = std::vector<std::pair<std::string, RawAnswer>>;

// A service with one match, and all that anybody got from it.
class World {
 public:
  explicit World(Hidden hidden) : hidden_(std::move(hidden)) {}

  MatchServer& server() { return server_; }

  void Begin(const v1::CreateMatchRequest& request) {
    received_.clear();
    streams_.clear();
    channel_ = grpc::CreateChannel(server_.address(), grpc::InsecureChannelCredentials());
    match_id_ = request.match_id();
    ASSERT_THAT(server_.Create(request), IsOk());
    for (const char* const viewer : {kAna, kBruno, kCarla}) Watch(viewer, std::nullopt);
  }

  // Ana lays her fleet, with all the edits and proposals of this world.
  void LayHiddenFleet(bool confirm) {
    for (int edit = 0; edit < hidden_.draft_edits; ++edit) {
      v1::PlaceFleetRequest draft;
      draft.set_match_id(match_id_);
      for (int ship = 0; ship < edit % 5; ++ship) *draft.add_fleet() = hidden_.fleet.at(ship);
      ASSERT_THAT(server_.Call(kAna, &MatchStub::PlaceFleet, draft), IsOk());
    }
    for (int proposal = 0; proposal < hidden_.proposals; ++proposal) {
      v1::ProposeFleetRequest request;
      request.set_match_id(match_id_);
      ASSERT_THAT(server_.Call(kAna, &MatchStub::ProposeFleet, request), IsOk());
    }
    v1::PlaceFleetRequest last;
    last.set_match_id(match_id_);
    *last.mutable_fleet() = hidden_.fleet;
    ASSERT_THAT(server_.Call(kAna, &MatchStub::PlaceFleet, last), IsOk());
    if (!confirm) return;
    ASSERT_THAT(server_.Confirm(kAna, match_id_, hidden_.fleet), IsOk());
  }

  // One call of a viewer, whatever comes of it.
  template <typename Request>
  void Send(const std::string& viewer, const std::string& method, Request request) {
    request.set_match_id(match_id_);
    if constexpr (requires { request.set_request_id(""); }) {
      if (request.request_id().empty()) request.set_request_id(server_.NewId());
    }
    RawCall call(channel_, absl::StrCat("/naval.match.v1.MatchService/", method),
                 server_.TokenFor(viewer), request.SerializeAsString());
    received_[viewer].emplace_back(method, call.Finish());
  }

  // Opens a stream that stays open to the end, and waits for its first message.
  void Watch(const std::string& viewer, std::optional<int64_t> after_seq) {
    v1::WatchMatchRequest request;
    request.set_match_id(match_id_);
    if (after_seq.has_value()) request.set_after_seq(*after_seq);
    auto& stream = streams_.emplace_back(
        viewer, std::make_unique<RawCall>(channel_, "/naval.match.v1.MatchService/WatchMatch",
                                          server_.TokenFor(viewer), request.SerializeAsString()));
    ASSERT_TRUE(WaitFor([&] { return !stream.second->messages().empty(); }));
  }

  // What every viewer but Ana can ask at any moment, right and wrong.
  void LookAround() {
    for (const char* const viewer : {kBruno, kCarla}) {
      Send(viewer, "GetMatch", v1::GetMatchRequest());
      v1::WatchMatchRequest beyond;
      beyond.set_after_seq(1000);
      Send(viewer, "WatchMatch", beyond);
      v1::PlaceFleetRequest nowhere;
      *nowhere.mutable_fleet() = ParseFleet("lancha K1 right");
      Send(viewer, "PlaceFleet", nowhere);
      v1::ProposeFleetRequest proposal;
      *proposal.mutable_kept() = ParseFleet("bote A1 right");
      Send(viewer, "ProposeFleet", proposal);
    }
    v1::FireShotsRequest shot;
    shot.add_squares("A1");
    Send(kCarla, "FireShots", shot);
    Send(kCarla, "Resign", v1::ResignRequest());
  }

  // One square, or those of a volley, with blanks in between.
  void Fire(const std::string& viewer, const std::string& squares) {
    v1::FireShotsRequest shots;
    shots.set_round(MatchFor(viewer).round());
    for (const absl::string_view square : absl::StrSplit(squares, ' ')) {
      shots.add_squares(std::string(square));
    }
    Send(viewer, "FireShots", shots);
  }

  // Ana marks the volley of this world.
  void MarkHiddenVolley() {
    Fire(kAna, hidden_.volley);
    ASSERT_EQ(received_[kAna].back().second.code, grpc::StatusCode::OK);
  }

  // Lets ten seconds pass and waits until every open stream has been told of it.
  void AwaitHeartbeats() {
    server_.clock().Advance(absl::Seconds(10));
    for (const auto& [viewer, stream] : streams_) {
      ASSERT_TRUE(WaitFor([&, &stream = stream] { return HasHeartbeat(stream->messages()); }));
    }
  }

  v1::Match MatchFor(const std::string& viewer) {
    const auto match = server_.Get(viewer, match_id_);
    EXPECT_THAT(match, IsOk());
    return match.value_or(v1::Match());
  }

  // Ana gives up; every stream comes to its end and joins what was received.
  void End() {
    v1::ResignRequest resignation;
    resignation.set_match_id(match_id_);
    ASSERT_THAT(server_.Call(kAna, &MatchStub::Resign, resignation), IsOk());
    for (auto& [viewer, stream] : streams_) {
      received_[viewer].emplace_back("WatchMatch", stream->Finish());
    }
    streams_.clear();
  }

  const Received& received(const std::string& viewer) { return received_[viewer]; }

 private:
  static bool HasHeartbeat(const std::vector<std::string>& messages) {
    for (const std::string& bytes : messages) {
      v1::WatchMatchResponse message;
      if (message.ParseFromString(bytes) && message.has_heartbeat()) return true;
    }
    return false;
  }

  const Hidden hidden_;
  MatchServer server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::string match_id_;
  std::vector<std::pair<std::string, std::unique_ptr<RawCall>>> streams_;
  std::map<std::string, Received> received_;
};

// Takes away, and returns, what came with the end of the match: from there on both fleets are
// known.
std::vector<std::string> CutEnd(Received& received) {
  std::vector<std::string> ends;
  for (auto& [method, answer] : received) {
    if (method != "WatchMatch" || answer.messages.empty()) continue;
    v1::WatchMatchResponse last;
    EXPECT_TRUE(last.ParseFromString(answer.messages.back()));
    if (!last.event().has_match_ended()) continue;
    ends.push_back(answer.messages.back());
    answer.messages.pop_back();
  }
  return ends;
}

size_t CountMessages(const Received& received) {
  size_t count = 0;
  for (const auto& [method, answer] : received) count += answer.messages.size();
  return count;
}

class Secrecy : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  explicit Secrecy(Hidden one = OneWorld(), Hidden other = OtherWorld())
      : one_(std::move(one)), other_(std::move(other)) {}

  template <typename Step>
  void InBoth(Step step) {
    for (World* const world : {&one_, &other_}) {
      step(*world);
      ASSERT_FALSE(HasFatalFailure());
    }
  }

  // Who begins is drawn for all to see, so it may differ: the same is played again until it does
  // not. Each try is a coin, so 60 of them fail once in 10^18.
  template <typename Placement>
  void PlaceUntilTheSameBegins(Placement placement, const game::v1::GameRules& rules = Tablu()) {
    for (int attempt = 0; attempt < 60; ++attempt) {
      v1::CreateMatchRequest request = one_.server().NewMatch(/*spectators_allowed=*/true);
      *request.mutable_rules() = rules;
      InBoth([&](World& world) {
        world.Begin(request);
        placement(world);
      });
      ASSERT_FALSE(HasFatalFailure());
      if (one_.MatchFor(kCarla).starter() == other_.MatchFor(kCarla).starter()) return;
      // Also what is thrown away is brought to its end.
      InBoth([](World& world) { world.End(); });
    }
    FAIL() << "60 draws of who begins came out differently";
  }

  // Bruno and Ana fire in turns as the results bid, with all that can be refused in between.
  static void PlayBattle(World& world) {
    size_t brunos = 0;
    size_t anas = 0;
    while (brunos < std::size(kBrunosShots) && anas < std::size(kAnasShots)) {
      world.LookAround();
      const bool brunos_turn = world.MatchFor(kBruno).turn() == v1::SEAT_SECOND;
      if (brunos_turn) {
        if (brunos > 0) world.Fire(kBruno, kBrunosShots[brunos - 1]);
        world.Fire(kBruno, kBrunosShots[brunos++]);
      } else {
        world.Fire(kBruno, "D1");
        world.Fire(kAna, kAnasShots[anas++]);
      }
    }
  }

  // Nobody but Ana can tell the worlds apart before the end, and everybody then if she is revealed.
  void ExpectSecret(bool revealed) {
    ExpectEqualUpToTheEnd(kBruno, revealed);
    ExpectEqualUpToTheEnd(kCarla, revealed);
    ExpectOwnerCanTell();
  }

 private:
  void ExpectEqualUpToTheEnd(const std::string& viewer, bool revealed) {
    Received one = one_.received(viewer);
    Received other = other_.received(viewer);
    const auto one_end = CutEnd(one);
    const auto other_end = CutEnd(other);
    ASSERT_EQ(one.size(), other.size());
    EXPECT_GT(CountMessages(one), 0u);
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].first, other[i].first);
      EXPECT_TRUE(one[i].second == other[i].second)
          << viewer << " can tell the worlds apart by answer " << i << ", to " << one[i].first;
    }
    // The reveal at the end is the one thing that differs: a comparison that finds no difference
    // there is blind.
    ASSERT_FALSE(one_end.empty());
    EXPECT_EQ(one_end == other_end, !revealed);
  }

  // The same comparison on what Ana got must find a difference, or it would find none anywhere.
  void ExpectOwnerCanTell() {
    Received one = one_.received(kAna);
    Received other = other_.received(kAna);
    CutEnd(one);
    CutEnd(other);
    EXPECT_NE(CountMessages(one), CountMessages(other));
    EXPECT_FALSE(one == other);
  }

  static game::v1::GameRules Tablu() {
    game::v1::GameRules rules;
    rules.set_rule_set("tablu");
    return rules;
  }

 protected:
  World one_;
  World other_;
};

class SecrecyOfVolleys : public Secrecy {
 protected:
  SecrecyOfVolleys() : Secrecy(OneSalvoWorld(), OtherSalvoWorld()) {}

  static game::v1::GameRules Volleys() {
    game::v1::GameRules rules;
    rules.set_rule_set("salvo");
    rules.set_volley(true);
    return rules;
  }
};

// rule: T-03, T-23
TEST_F(Secrecy, OfAFleetHoldsInEveryByteOfAWholeBattle) {
  PlaceUntilTheSameBegins([](World& world) {
    world.LookAround();
    world.LayHiddenFleet(/*confirm=*/true);
    world.LookAround();
    ASSERT_THAT(world.server().Confirm(kBruno, world.MatchFor(kBruno).match_id(), RowsFleet()),
                IsOk());
  });
  ASSERT_FALSE(HasFatalFailure());
  InBoth([](World& world) {
    PlayBattle(world);
    // Streams that begin in the middle, with the whole state and with every event again.
    for (const char* const viewer : {kBruno, kCarla}) {
      world.Watch(viewer, std::nullopt);
      world.Watch(viewer, 0);
    }
    world.AwaitHeartbeats();
    world.LookAround();
    world.End();
  });
  ASSERT_FALSE(HasFatalFailure());
  ExpectSecret(/*revealed=*/true);
}

// rule: T-03, T-23
TEST_F(Secrecy, OfADraftOutlivesAMatchThatEndsBeforeBothAreReady) {
  const v1::CreateMatchRequest request = one_.server().NewMatch(/*spectators_allowed=*/true);
  InBoth([&](World& world) {
    world.Begin(request);
    world.LayHiddenFleet(/*confirm=*/false);
    world.LookAround();
    v1::ConfirmFleetRequest illegal;
    *illegal.mutable_fleet() = ParseFleet("lancha A1 right, fragata A2 right");
    world.Send(kBruno, "ConfirmFleet", illegal);
    world.AwaitHeartbeats();
    world.End();
    world.LookAround();
  });
  ASSERT_FALSE(HasFatalFailure());
  ExpectSecret(/*revealed=*/false);
}

// rule: T-03, T-23
TEST_F(Secrecy, OfAFleetThatTheClockConfirmedIsTheSame) {
  PlaceUntilTheSameBegins([](World& world) {
    world.LayHiddenFleet(/*confirm=*/false);
    ASSERT_THAT(world.server().Confirm(kBruno, world.MatchFor(kBruno).match_id(), RowsFleet()),
                IsOk());
    world.server().clock().Advance(absl::Seconds(90));
    ASSERT_TRUE(WaitFor([&] { return world.MatchFor(kBruno).phase() == v1::PHASE_BATTLE; }));
  });
  ASSERT_FALSE(HasFatalFailure());
  InBoth([](World& world) {
    PlayBattle(world);
    world.LookAround();
    world.End();
  });
  ASSERT_FALSE(HasFatalFailure());
  ExpectSecret(/*revealed=*/true);
}

// rule: S-07, S-09, T-23
TEST_F(SecrecyOfVolleys, HoldsInEveryByteUntilBothAreIn) {
  PlaceUntilTheSameBegins(
      [](World& world) {
        world.LayHiddenFleet(/*confirm=*/true);
        ASSERT_THAT(world.server().Confirm(kBruno, world.MatchFor(kBruno).match_id(),
                                           OneSalvoWorld().fleet),
                    IsOk());
      },
      Volleys());
  ASSERT_FALSE(HasFatalFailure());
  InBoth([](World& world) {
    world.LookAround();
    world.Fire(kAna, kFirstVolley);
    world.LookAround();
    world.Fire(kBruno, kFirstVolley);
    ASSERT_EQ(world.MatchFor(kBruno).round(), 2);
    world.LookAround();
    world.MarkHiddenVolley();
    // Ana's is in, Bruno's is not. He fires what is refused, and all look at everything anew.
    world.LookAround();
    world.Fire(kBruno, "A1 A2");
    world.Fire(kBruno, kFirstVolley);
    for (const char* const viewer : {kBruno, kCarla}) {
      world.Watch(viewer, std::nullopt);
      world.Watch(viewer, 0);
    }
    world.AwaitHeartbeats();
    world.LookAround();
    world.End();
  });
  ASSERT_FALSE(HasFatalFailure());
  ExpectSecret(/*revealed=*/true);
}

// What the two players hide in a match that lasts.
struct Secrets {
  std::vector<Fleet> drafts;
  Fleet anas;
  Fleet brunos;
  std::vector<std::string> volley = {};
};

// Every row of every table that the match service writes while it serves, in an order that bodies
// do not steer, without the time of leases, which is the database's own, and addresses. Bytes are
// in hexadecimal.
std::vector<std::string> Dump(MatchServer& server) {
  const auto dump = server.pool().Transact(
      [](postgres::Transaction& tx) -> absl::StatusOr<std::vector<std::string>> {
        NAVAL_ASSIGN_OR_RETURN(const postgres::Rows tables,
                               tx.Execute("SELECT relname::text AS name FROM pg_class WHERE relkind"
                                          " = 'r' AND relnamespace = 'match'::regnamespace"
                                          " AND relname <> 'schema_migration'"
                                          " ORDER BY relname"));
        std::vector<std::string> dumped;
        for (const postgres::Row& table : tables) {
          const auto name = table.Get<std::string>("name");
          NAVAL_ASSIGN_OR_RETURN(
              const postgres::Rows rows,
              tx.Execute(absl::StrCat(
                  "SELECT (to_jsonb(t) - 'renew_time' - 'address')::text AS row FROM match.", name,
                  " t ORDER BY (to_jsonb(t) - 'body')::text")));
          for (const postgres::Row& row : rows) {
            dumped.push_back(absl::StrCat(name, " ", row.Get<std::string>("row")));
          }
        }
        return dumped;
      });
  return ValueOrDie(dump);
}

// What is sealed tells no more than its length. The first byte of sealed bytes is 1.
std::string WithoutSealed(absl::string_view row) {
  constexpr absl::string_view kBegin = "\"\\\\x01";
  const size_t begin = row.find(kBegin);
  if (begin == absl::string_view::npos) return std::string(row);
  const size_t end = row.find('"', begin + 1);
  return absl::StrCat(row.substr(0, begin), "sealed ", end - begin,
                      WithoutSealed(row.substr(end + 1)));
}

class Dumps : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  template <typename Request, typename Method>
  void Send(MatchServer& server, const std::string& account, Method method, Request request) {
    request.set_match_id(match_id_);
    request.set_request_id(
        absl::StrCat("0190a000-0000-7000-8000-", absl::Dec(++requests_, absl::kZeroPad12)));
    digests_.push_back(
        auth::HashToken(request.GetDescriptor()->full_name() + request.SerializeAsString()));
    ASSERT_THAT(server.Call(account, method, request), IsOk());
  }

  void Confirm(MatchServer& server, const std::string& account, const Fleet& fleet) {
    v1::ConfirmFleetRequest request;
    *request.mutable_fleet() = fleet;
    Send(server, account, &MatchStub::ConfirmFleet, request);
  }

  // Plays up to where both have something to hide, and gives what the database holds then.
  std::vector<std::string> Play(MatchServer& server, const v1::CreateMatchRequest& match,
                                const Secrets& secrets) {
    requests_ = 0;
    match_id_ = match.match_id();
    EXPECT_THAT(server.Create(match), IsOk());
    for (const Fleet& draft : secrets.drafts) {
      v1::PlaceFleetRequest request;
      *request.mutable_fleet() = draft;
      Send(server, kBruno, &MatchStub::PlaceFleet, request);
    }
    Send(server, kAna, &MatchStub::ProposeFleet, v1::ProposeFleetRequest());
    Confirm(server, kAna, secrets.anas);
    if (!secrets.brunos.empty()) Confirm(server, kBruno, secrets.brunos);
    if (!secrets.volley.empty()) {
      v1::FireShotsRequest request;
      request.set_round(1);
      for (const std::string& square : secrets.volley) request.add_squares(square);
      Send(server, kAna, &MatchStub::FireShots, request);
    }
    EXPECT_TRUE(WaitFor([&] {
      return !absl::StrContains(absl::StrJoin(Dump(server), "\n"), "\"delivered_time\": null");
    }));
    return Dump(server);
  }

  void ExpectTellNothing(const v1::CreateMatchRequest& match, const Secrets& one,
                         const Secrets& other) {
    std::vector<std::string> dump = Play(one_, match, one);
    std::vector<std::string> other_dump = Play(other_, match, other);
    ASSERT_EQ(dump.size(), other_dump.size());
    for (size_t i = 0; i < dump.size(); ++i) {
      EXPECT_EQ(WithoutSealed(dump[i]), WithoutSealed(other_dump[i]));
    }
    dump.insert(dump.end(), other_dump.begin(), other_dump.end());
    const std::string all = absl::StrJoin(dump, "\n");
    // A search that does not find what stands there in the open would find nothing anywhere.
    EXPECT_TRUE(absl::StrContains(all, absl::BytesToHexString(match.rules().rule_set())));
    for (const Fleet& fleet : {one.anas, other.anas}) {
      for (const v1::ShipPlacement& ship : fleet) {
        EXPECT_FALSE(absl::StrContains(all, absl::BytesToHexString(ship.ship_id())));
        EXPECT_FALSE(absl::StrContains(all, absl::BytesToHexString(ship.SerializeAsString())));
      }
    }
    for (const std::string& digest : digests_) {
      EXPECT_FALSE(absl::StrContains(all, absl::BytesToHexString(digest)));
    }
  }

  MatchServer one_;
  MatchServer other_;
  std::string match_id_;
  int requests_ = 0;
  std::vector<std::string> digests_;
};

TEST_F(Dumps, OfThePlacementTellNothingOfFleetsAndDrafts) {
  ExpectTellNothing(
      one_.NewMatch(),
      {.drafts = {{}, ParseFleet("lancha A1 right")}, .anas = OneWorld().fleet, .brunos = {}},
      {.drafts = {RowsFleet(), ParseFleet("fragata J10 right, lancha J10 down")},
       .anas = OtherWorld().fleet,
       .brunos = {}});
}

TEST_F(Dumps, OfABattleTellNothingOfFleetsAndAVolleyThatWaits) {
  v1::CreateMatchRequest match = one_.NewMatch();
  match.mutable_rules()->set_rule_set("salvo");
  match.mutable_rules()->set_volley(true);
  const Fleet rows =
      ParseFleet("acorazado A1 right, crucero A3 right, submarino A5 right, destructor A7 right");
  const Fleet far =
      ParseFleet("acorazado F10 right, crucero J1 down, submarino A10 right, destructor A1 down");
  ExpectTellNothing(match,
                    {.drafts = {},
                     .anas = rows,
                     .brunos = far,
                     .volley = {"A1", "A2", "A3", "A4", "A5", "A6", "A7"}},
                    {.drafts = {},
                     .anas = far,
                     .brunos = rows,
                     .volley = {"A10", "B10", "C10", "D10", "E10", "F10", "J10"}});
}

TEST(SealingKeys, AreMissedBeforeAnyMatchIs) {
  const auto house = std::make_shared<MatchHouse>();
  const auto start = [&](const auth::Sealer& sealer) {
    const auto deliver = [](const std::string&) { return absl::OkStatus(); };
    return match::MatchApplication::Start(
               {.database = house->database.PoolOptions("match"),
                .core = {.send_to_lobby = deliver, .send_to_ranking = deliver, .owner = "other"}},
               house->keys.verifier, sealer, house->service_token, house->clock)
        .status();
  };
  MatchServer server(house);
  EXPECT_THAT(start(NewTestSealer()), IsOk()) << "there is no match yet";
  ASSERT_THAT(server.Create(server.NewMatch()), IsOk());
  const absl::Status refused = start(NewTestSealer());
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_TRUE(absl::StrContains(refused.message(), house->sealer.key_id())) << refused;
  EXPECT_THAT(start(house->sealer), IsOk());
}

}  // namespace
}  // namespace naval::testing
