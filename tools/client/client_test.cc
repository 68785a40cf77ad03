#include "tools/client/client.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/server/grpc_status.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_feed.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;
using naval::testing::HasReason;
using naval::testing::IsOk;
using naval::testing::PinGrpc;
using naval::testing::StatusIs;
using naval::testing::WaitFor;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

absl::Status Error(absl::StatusCode code, absl::string_view reason) {
  return base::Error(code, reason, "as the test wants it");
}

std::string TokenOf(const grpc::ServerContext& context) {
  const auto found = context.client_metadata().find("authorization");
  if (found == context.client_metadata().end()) return "";
  return std::string(found->second.data(), found->second.size());
}

// Gives tokens: "access-1", and by Refresh "access-2", ...
class FakeAccounts final : public lobby::v1::AccountService::Service {
 public:
  // The next Refresh finds the service away.
  std::atomic<bool> away = false;

  grpc::Status CreateGuest(grpc::ServerContext*, const lobby::v1::CreateGuestRequest*,
                           lobby::v1::CreateGuestResponse* response) override {
    FillSession(*response->mutable_session());
    return grpc::Status::OK;
  }
  grpc::Status Refresh(grpc::ServerContext*, const lobby::v1::RefreshRequest* request,
                       lobby::v1::RefreshResponse* response) override {
    if (away.exchange(false)) {
      return server::ToGrpcStatus(Error(absl::StatusCode::kUnavailable, "AWAY"));
    }
    if (request->refresh_token() != absl::StrCat("refresh-", given_)) {
      return server::ToGrpcStatus(
          Error(absl::StatusCode::kUnauthenticated, "REFRESH_TOKEN_INVALID"));
    }
    FillSession(*response->mutable_session());
    return grpc::Status::OK;
  }
  grpc::Status LogOut(grpc::ServerContext*, const lobby::v1::LogOutRequest* request,
                      lobby::v1::LogOutResponse*) override {
    if (request->refresh_token() == absl::StrCat("refresh-", given_)) return grpc::Status::OK;
    return server::ToGrpcStatus(Error(absl::StatusCode::kInvalidArgument, "REFRESH_TOKEN_INVALID"));
  }

 private:
  void FillSession(lobby::v1::Session& session) {
    ++given_;
    session.set_access_token(absl::StrCat("access-", given_));
    session.set_refresh_token(absl::StrCat("refresh-", given_));
  }

  int given_ = 0;
};

// Answers GetMatch and FireShots with a list of statuses, the last of them for good, and each
// WatchMatch with the next of a list of streams.
class FakeMatches final : public v1::MatchService::Service {
 public:
  struct Stream {
    std::vector<v1::WatchMatchResponse> messages;
    absl::Status end;
  };

  std::deque<absl::Status> outcomes = {absl::OkStatus()};
  std::deque<Stream> streams;

  std::vector<std::string> request_ids() const {
    base::MutexLock lock(mutex_);
    return request_ids_;
  }
  std::vector<std::string> tokens() const {
    base::MutexLock lock(mutex_);
    return tokens_;
  }
  std::vector<int64_t> after_seqs() const {
    base::MutexLock lock(mutex_);
    return after_seqs_;
  }

 private:
  grpc::Status FireShots(grpc::ServerContext* context, const v1::FireShotsRequest* request,
                         v1::FireShotsResponse*) override {
    base::MutexLock lock(mutex_);
    request_ids_.push_back(request->request_id());
    tokens_.push_back(TokenOf(*context));
    const absl::Status outcome = outcomes.front();
    if (outcomes.size() > 1) outcomes.pop_front();
    return server::ToGrpcStatus(outcome);
  }
  grpc::Status WatchMatch(grpc::ServerContext*, const v1::WatchMatchRequest* request,
                          grpc::ServerWriter<v1::WatchMatchResponse>* writer) override {
    base::MutexLock lock(mutex_);
    after_seqs_.push_back(request->has_after_seq() ? request->after_seq() : -1);
    if (streams.empty()) return server::ToGrpcStatus(Error(absl::StatusCode::kInternal, "NO_MORE"));
    const Stream stream = streams.front();
    streams.pop_front();
    for (const auto& message : stream.messages) writer->Write(message);
    return server::ToGrpcStatus(stream.end);
  }

  mutable base::Mutex mutex_;
  std::vector<std::string> request_ids_ NAVAL_GUARDED_BY(mutex_);
  std::vector<std::string> tokens_ NAVAL_GUARDED_BY(mutex_);
  std::vector<int64_t> after_seqs_ NAVAL_GUARDED_BY(mutex_);
};

class FakeStore final : public SessionStore {
 public:
  absl::StatusOr<lobby::v1::Session> ChangeSession(Change change) override {
    auto changed = change(kept);
    if (changed.ok()) kept = *changed;
    return changed;
  }

  lobby::v1::Session kept;
};

class ClientTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  ClientTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&accounts_);
    builder.RegisterService(&matches_);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
    client_ = NewClient(absl::Seconds(20));
  }

  std::unique_ptr<Client> NewClient(absl::Duration call_timeout) {
    return std::make_unique<Client>(
        Client::Options{.addresses = {.lobby = address_, .match = address_, .ranking = address_},
                        .call_timeout = call_timeout},
        clock_, random_);
  }

  // One more client of the session that the store keeps.
  std::unique_ptr<Client> NewClientOfStore() {
    return std::make_unique<Client>(
        Client::Options{.addresses = {.lobby = address_, .match = address_, .ranking = address_},
                        .session = store_.kept,
                        .store = &store_},
        clock_, random_);
  }

  base::SystemClock clock_;
  base::SecureRandom random_;
  FakeStore store_;
  FakeAccounts accounts_;
  FakeMatches matches_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(ClientTest, RepeatsACallWithTheSameRequestIdUntilItIsAnswered) {
  matches_.outcomes = {
      Error(absl::StatusCode::kUnavailable, "AWAY"),
      base::WithRetryDelay(Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY"),
                           absl::Milliseconds(30)),
      absl::OkStatus()};
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), IsOk());
  const auto ids = matches_.request_ids();
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_FALSE(ids[0].empty());
  EXPECT_THAT(ids, ElementsAre(ids[0], ids[0], ids[0]));
}

TEST_F(ClientTest, GivesEveryNewCallAnIdOfItsOwnAndKeepsOneThatIsThere) {
  v1::FireShotsRequest request;
  request.set_request_id("mine");
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, request), IsOk());
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), IsOk());
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), IsOk());
  const auto ids = matches_.request_ids();
  EXPECT_EQ(ids[0], "mine");
  EXPECT_NE(ids[1], ids[2]);
}

TEST_F(ClientTest, DoesNotRepeatARefusal) {
  matches_.outcomes = {Error(absl::StatusCode::kFailedPrecondition, "NOT_YOUR_TURN")};
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), HasReason("NOT_YOUR_TURN"));
  matches_.outcomes = {Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_TABLES")};
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), HasReason("TOO_MANY_TABLES"));
  // It may succeed later, but that is for the caller to decide.
  matches_.outcomes = {base::WithRetryDelay(
      Error(absl::StatusCode::kAborted, "CREDENTIALS_CHANGED"), absl::Milliseconds(1))};
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), HasReason("CREDENTIALS_CHANGED"));
  EXPECT_EQ(matches_.request_ids().size(), 3u);
}

TEST_F(ClientTest, GivesUpWhenTheTimeForACallIsUp) {
  matches_.outcomes = {Error(absl::StatusCode::kUnavailable, "AWAY")};
  EXPECT_THAT(NewClient(absl::Milliseconds(200))->Call(&MatchStub::FireShots, {}),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_GT(matches_.request_ids().size(), 1u);
}

TEST_F(ClientTest, ExchangesATokenThatRanOutOnce) {
  ASSERT_THAT(client_->CreateGuest(), IsOk());
  matches_.outcomes = {Error(absl::StatusCode::kUnauthenticated, "TOKEN_EXPIRED"),
                       absl::OkStatus()};
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), IsOk());
  EXPECT_THAT(matches_.tokens(), ElementsAre("Bearer access-1", "Bearer access-2"));

  matches_.outcomes = {Error(absl::StatusCode::kUnauthenticated, "TOKEN_EXPIRED")};
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), HasReason("TOKEN_EXPIRED"));
  EXPECT_THAT(matches_.tokens(), ElementsAre("Bearer access-1", "Bearer access-2",
                                             "Bearer access-2", "Bearer access-3"));
}

TEST_F(ClientTest, SharesASessionWithTheOtherClientsOfItsStore) {
  const auto one = NewClientOfStore();
  ASSERT_THAT(one->CreateGuest(), IsOk());
  const auto other = NewClientOfStore();
  ASSERT_THAT(one->Refresh(), IsOk());
  EXPECT_EQ(store_.kept.access_token(), "access-2");

  // The refresh token that this one knows is used up; the store has what came for it.
  matches_.outcomes = {Error(absl::StatusCode::kUnauthenticated, "TOKEN_EXPIRED"),
                       absl::OkStatus()};
  EXPECT_THAT(other->Call(&MatchStub::FireShots, {}), IsOk());
  EXPECT_THAT(matches_.tokens(), ElementsAre("Bearer access-1", "Bearer access-2"));

  ASSERT_THAT(one->LogOut(), IsOk());
  EXPECT_EQ(store_.kept.access_token(), "");
  EXPECT_EQ(one->session().access_token(), "");
}

TEST_F(ClientTest, DoesNotTakeOverTheSessionOfAnotherAccount) {
  const auto client = NewClientOfStore();
  ASSERT_THAT(client->CreateGuest(), IsOk());
  store_.kept.mutable_account()->set_account_id("another");
  store_.kept.set_access_token("of another");
  EXPECT_THAT(client->Refresh(), HasReason("SESSION_REPLACED"));
  EXPECT_EQ(store_.kept.access_token(), "of another");
  EXPECT_EQ(client->session().access_token(), "access-1");
}

TEST_F(ClientTest, EndsACallUnderWayWhenItIsStopped) {
  matches_.outcomes = {Error(absl::StatusCode::kUnavailable, "AWAY")};
  std::thread call([&] {
    EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), StatusIs(absl::StatusCode::kCancelled));
  });
  EXPECT_TRUE(WaitFor([&] { return !matches_.request_ids().empty(); }));
  client_->Stop();
  call.join();
  EXPECT_THAT(client_->Call(&MatchStub::FireShots, {}), StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(ClientTest, NamesTheServiceThatDoesNotAnswer) {
  server_->Shutdown();
  const auto answer = NewClient(absl::Milliseconds(50))->Call(&MatchStub::FireShots, {});
  EXPECT_THAT(answer, HasReason("NO_ANSWER"));
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr(address_));
}

v1::WatchMatchResponse Message(const std::string& text) {
  v1::WatchMatchResponse message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// The whole state at the number 3.
v1::WatchMatchResponse Snapshot() {
  return Message(R"pb(snapshot {
                        viewer_seat: SEAT_FIRST
                        seq: 3
                        phase: PHASE_PLACEMENT
                        rule_set { board_size: 10 }
                        sides { seat: SEAT_FIRST }
                        sides { seat: SEAT_SECOND }
                      })pb");
}

v1::WatchMatchResponse Confirmed(int64_t seq) {
  return Message(absl::StrCat("event { seq: ", seq, " fleet_confirmed { seat: SEAT_SECOND } }"));
}

v1::WatchMatchResponse Ended(int64_t seq) {
  return Message(absl::StrCat("event { seq: ", seq, " match_ended { } }"));
}

bool IsOver(const v1::Match& match) { return match.phase() == v1::PHASE_OVER; }

TEST_F(ClientTest, FollowsAMatchOverBrokenStreamsFromTheLastEventOn) {
  matches_.streams = {{{Snapshot(), Confirmed(4)}, Error(absl::StatusCode::kUnavailable, "AWAY")},
                      {{Message("reconnect { seq: 4 }")}, absl::OkStatus()},
                      {{Message("heartbeat { seq: 4 }"), Ended(5)}, absl::OkStatus()}};
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), IsOk());
  EXPECT_THAT(matches_.after_seqs(), ElementsAre(-1, 4, 4));
  ASSERT_EQ(feed.events().size(), 2u);
  EXPECT_EQ(feed.events()[0].seq(), 4);
  EXPECT_EQ(feed.events()[1].seq(), 5);
}

TEST_F(ClientTest, FollowsAMatchOnWhileNoTokenIsToBeHad) {
  matches_.streams = {{{Snapshot()}, Error(absl::StatusCode::kUnauthenticated, "TOKEN_EXPIRED")},
                      {{Ended(4)}, absl::OkStatus()}};
  accounts_.away = true;
  client_ = NewClient(absl::Milliseconds(1));
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), IsOk());
}

TEST_F(ClientTest, TellsHowTheConnectionIsAndWhatTimeTheServerHas) {
  v1::WatchMatchResponse snapshot = Snapshot();
  snapshot.mutable_snapshot()->mutable_server_time()->set_seconds(1000);
  v1::WatchMatchResponse heartbeat = Message("heartbeat { seq: 3 server_time { seconds: 5000 } }");
  matches_.streams = {{{snapshot, heartbeat}, absl::OkStatus()},
                      {{}, Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_STREAMS")}};
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_TRUE(WaitFor([&] { return !feed.connection().ok(); }));
  // Its last words: no stream is left for it.
  EXPECT_TRUE(WaitFor([&] { return base::ReasonOf(feed.connection()) == "INTERNAL"; }));
  EXPECT_THAT(feed.status(), HasReason("INTERNAL"));
  EXPECT_GE(feed.ServerNow(), absl::FromUnixSeconds(5000));
  EXPECT_LT(feed.ServerNow(), absl::FromUnixSeconds(5000) + absl::Minutes(1));
}

TEST_F(ClientTest, FollowsWhoIsThereWhichIsNoEvent) {
  // Nothing follows for an hour.
  matches_.streams = {
      {{Snapshot(), Message("presence_changed { seat: SEAT_SECOND presence: PRESENCE_WATCHING }"),
        Message("presence_changed { seat: SEAT_SECOND presence: PRESENCE_AWAY }")},
       base::WithRetryDelay(Error(absl::StatusCode::kUnavailable, "AWAY"), absl::Hours(1))}};
  MatchFeed feed(*client_, clock_, "match");
  const auto match = feed.WaitFor(
      [](const v1::Match& state) { return state.sides(1).presence() == v1::PRESENCE_AWAY; });
  ASSERT_THAT(match, IsOk());
  EXPECT_EQ(match->seq(), 3);
  EXPECT_TRUE(feed.events().empty());
}

TEST_F(ClientTest, TellsWhyThereIsNoStateWhileItWaitsForTheService) {
  server_->Shutdown();
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_TRUE(WaitFor([&] { return !feed.connection().ok(); }));
  EXPECT_THAT(feed.connection(), HasReason("NOT_CONNECTED"));
  EXPECT_THAT(feed.WaitForState(absl::ZeroDuration()), HasReason("NOT_CONNECTED"));
  EXPECT_THAT(feed.status(), IsOk());
}

TEST_F(ClientTest, StopsFollowingWhenTheServerBreaksItsPromises) {
  const std::vector<v1::WatchMatchResponse> broken = {
      Confirmed(5), Confirmed(3), Message("heartbeat { seq: 4 }"), Message("reconnect { seq: 2 }")};
  for (const v1::WatchMatchResponse& message : broken) {
    matches_.streams = {{{Snapshot(), message, Ended(4)}, absl::OkStatus()}};
    MatchFeed feed(*client_, clock_, "match");
    EXPECT_THAT(feed.WaitFor(IsOver), HasReason("EVENT_MISSED")) << message.DebugString();
  }
  matches_.streams = {{{Confirmed(1)}, absl::OkStatus()}};
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), HasReason("NO_SNAPSHOT"));
}

TEST_F(ClientTest, StopsFollowingWhenAResumedStreamJumpsOverEventsByASnapshot) {
  matches_.streams = {{{Snapshot()}, absl::OkStatus()}, {{Snapshot(), Ended(4)}, absl::OkStatus()}};
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), HasReason("UNEXPECTED_SNAPSHOT"));
  EXPECT_THAT(matches_.after_seqs(), ElementsAre(-1, 3));
}

// Of a kind that a later version adds: this one knows no field of that number.
v1::WatchMatchResponse UnknownEvent(int64_t seq) {
  v1::WatchMatchResponse message = Message(absl::StrCat("event { seq: ", seq, " }"));
  v1::MatchEvent& event = *message.mutable_event();
  event.GetReflection()->MutableUnknownFields(&event)->AddLengthDelimited(1000)->assign("new");
  return message;
}

v1::WatchMatchResponse SnapshotAt(int64_t seq) {
  v1::WatchMatchResponse message = Snapshot();
  message.mutable_snapshot()->set_seq(seq);
  return message;
}

TEST_F(ClientTest, GoesOnFromTheWholeStateAfterAnEventThatItDoesNotKnow) {
  matches_.streams = {
      {{Snapshot(), Confirmed(4), UnknownEvent(5), Confirmed(6)}, absl::OkStatus()},
      {{SnapshotAt(7), Confirmed(8)}, Error(absl::StatusCode::kUnavailable, "AWAY")},
      {{Ended(9)}, absl::OkStatus()}};
  MatchFeed feed(*client_, clock_, "match");
  const auto match = feed.WaitFor(IsOver);
  ASSERT_THAT(match, IsOk());
  EXPECT_EQ(match->seq(), 9);
  EXPECT_THAT(matches_.after_seqs(), ElementsAre(-1, -1, 8));
  std::vector<int64_t> seqs;
  for (const v1::MatchEvent& event : feed.events()) seqs.push_back(event.seq());
  EXPECT_THAT(seqs, ElementsAre(4, 8, 9));

  MatchEvents answered;
  for (const auto& message : {Confirmed(4), UnknownEvent(5), Confirmed(6), Confirmed(8)}) {
    *answered.Add() = message.event();
  }
  EXPECT_THAT(feed.Confirm(answered), IsOk());
  answered.Mutable(3)->mutable_fleet_confirmed()->set_by_clock(true);
  EXPECT_THAT(feed.Confirm(answered), HasReason("EVENTS_DIFFER"));
}

TEST_F(ClientTest, PausesLongerAfterEachStreamThatBringsNoNews) {
  matches_.streams = {{{SnapshotAt(3), UnknownEvent(4)}, absl::OkStatus()},
                      {{SnapshotAt(5), UnknownEvent(6)}, absl::OkStatus()},
                      {{v1::WatchMatchResponse()}, absl::OkStatus()},
                      {{}, absl::OkStatus()},
                      {{SnapshotAt(7), Ended(8)}, absl::OkStatus()}};
  const absl::Time begin = clock_.Now();
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), IsOk());
  EXPECT_GE(clock_.Now() - begin, absl::Milliseconds(50 + 100 + 200 + 400));
}

TEST_F(ClientTest, StopsFollowingWhenTheWholeStateLacksAnEventThatCameBefore) {
  matches_.streams = {{{Snapshot(), UnknownEvent(4)}, absl::OkStatus()},
                      {{Snapshot(), UnknownEvent(4)}, absl::OkStatus()}};
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), HasReason("EVENT_MISSED"));
}

TEST_F(ClientTest, StopsFollowingWhenTheMatchIsNotToBeHad) {
  matches_.streams = {{{}, Error(absl::StatusCode::kNotFound, "MATCH_NOT_FOUND")}};
  MatchFeed feed(*client_, clock_, "match");
  EXPECT_THAT(feed.WaitFor(IsOver), HasReason("MATCH_NOT_FOUND"));
}

TEST_F(ClientTest, FindsAnAnswerThatTellsOtherEventsThanTheStream) {
  matches_.streams = {{{Snapshot(), Confirmed(4), Ended(5)}, absl::OkStatus()}};
  MatchFeed feed(*client_, clock_, "match");
  MatchEvents answered;
  *answered.Add() = Confirmed(4).event();
  EXPECT_THAT(feed.Confirm(answered), IsOk());
  answered.Mutable(0)->mutable_fleet_confirmed()->set_by_clock(true);
  EXPECT_THAT(feed.Confirm(answered), HasReason("EVENTS_DIFFER"));
}

}  // namespace
}  // namespace naval::client
