// Two processes of the match service on one database: each answers for the matches of the other.

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/postgres/pool.h"
#include "tests/integration/match_server.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/local_address.h"
#include "tests/support/relay.h"
#include "tests/support/reserved_port.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using client::MatchStream;
using MatchStub = v1::MatchService::Stub;

// Says in the database that this process, which may not exist, owns everything for ever.
void GiveEverythingTo(MatchHouse& house, const std::string& owner, const std::string& address) {
  const absl::Status given = house.pool.Transact([&](postgres::Transaction& tx) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("UPDATE match.partition_lease SET owner = $1, epoch = epoch + 1,"
                   " renew_time = now()",
                   {owner})
            .status());
    return tx
        .Execute(
            "INSERT INTO match.member (owner, address, renew_time, lease_duration)"
            " VALUES ($1, $2, now(), interval '1 day')",
            {owner, address})
        .status();
  });
  ASSERT_THAT(given, IsOk());
}

// The next that the stream tells of the rival.
v1::Presence NextPresence(MatchStream& stream) {
  while (const auto message = stream.Next()) {
    if (message->has_presence_changed()) return message->presence_changed().presence();
  }
  ADD_FAILURE() << "the stream ended: " << stream.status();
  return v1::PRESENCE_UNSPECIFIED;
}

// The numbers of the events up to the end of the stream, and how that came.
std::pair<std::vector<int64_t>, absl::Status> Rest(MatchStream& stream) {
  std::vector<int64_t> seqs;
  while (const auto message = stream.Next()) {
    if (message->has_event()) seqs.push_back(message->event().seq());
  }
  return {seqs, stream.status()};
}

class Forwarding : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // One that stays with the first: those with higher numbers go to the other process.
  v1::CreateMatchRequest NewMatch() {
    v1::CreateMatchRequest request = other_.NewMatch();
    while (std::stoi(request.match_id().substr(34), nullptr, 16) % 64 >= 32) {
      request.set_match_id(other_.NewId());
    }
    return request;
  }

  std::string Create(const v1::CreateMatchRequest& request) {
    EXPECT_THAT(other_.Create(request), IsOk());
    return request.match_id();
  }

  // How many partitions this process owns, by the database.
  int64_t OwnedBy(const std::string& owner) {
    const auto owned = house_->pool.Transact([&](postgres::Transaction& tx) {
      return tx.Execute("SELECT FROM match.partition_lease WHERE owner = $1", {owner});
    });
    EXPECT_THAT(owned, IsOk());
    return static_cast<int64_t>(owned->size());
  }

  std::unique_ptr<MatchStream> Open(MatchServer& server, const std::string& account_id,
                                    const std::string& match_id) {
    auto stream = server.Watch(account_id, match_id, std::nullopt);
    const auto first = stream->Next();
    EXPECT_TRUE(first.has_value() && first->has_snapshot()) << stream->status();
    return stream;
  }

  // A battle; the account whose turn it is.
  std::string Battle(const std::string& match_id) {
    EXPECT_THAT(owner_.Confirm(kAna, match_id, RowsFleet()), IsOk());
    EXPECT_THAT(other_.Confirm(kBruno, match_id, RowsFleet()), IsOk());
    const auto match = other_.Get(kAna, match_id);
    EXPECT_THAT(match, IsOk());
    return match->turn() == v1::SEAT_FIRST ? kAna : kBruno;
  }

  const std::shared_ptr<MatchHouse> house_ = std::make_shared<MatchHouse>();
  // The first takes everything.
  MatchServer owner_{house_, "owner"};
  MatchServer other_{house_, "other"};
};

TEST_F(Forwarding, APlayerAtEachProcessPlaysTheSameMatch) {
  const std::string match_id = Create(NewMatch());
  const auto anas = Open(owner_, kAna, match_id);
  const auto brunos = Open(other_, kBruno, match_id);
  EXPECT_EQ(NextPresence(*anas), v1::PRESENCE_WATCHING);

  const std::string shooter = Battle(match_id);
  MatchServer& at = shooter == kAna ? owner_ : other_;
  MatchServer& elsewhere = shooter == kAna ? other_ : owner_;
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto shot, at.Fire(shooter, match_id, "J10"));
  ASSERT_GE(shot.events_size(), 1);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match here, at.Get(shooter, match_id));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match there, elsewhere.Get(shooter, match_id));
  EXPECT_EQ(there.DebugString(), here.DebugString());

  v1::ResignRequest resignation;
  resignation.set_match_id(match_id);
  ASSERT_THAT(other_.Call(kBruno, &MatchStub::Resign, resignation), IsOk());
  for (const auto& stream : {anas.get(), brunos.get()}) {
    const auto [seqs, end] = Rest(*stream);
    EXPECT_THAT(end, IsOk());
    ASSERT_FALSE(seqs.empty());
    for (size_t i = 1; i < seqs.size(); ++i) EXPECT_EQ(seqs[i], seqs[i - 1] + 1);
  }
}

TEST_F(Forwarding, AStreamThatIsLeftIsLeftAtTheOwner) {
  const std::string match_id = Create(NewMatch());
  const auto anas = Open(owner_, kAna, match_id);
  std::vector<std::unique_ptr<MatchStream>> brunos;
  for (int i = 0; i < 3; ++i) brunos.push_back(Open(other_, kBruno, match_id));
  EXPECT_EQ(NextPresence(*anas), v1::PRESENCE_WATCHING);
  const auto one_more = other_.Watch(kBruno, match_id, std::nullopt);
  EXPECT_FALSE(one_more->Next().has_value());
  EXPECT_THAT(one_more->status(), HasReason("TOO_MANY_STREAMS"));
  brunos.clear();
  EXPECT_TRUE(WaitFor([&] {
    const auto match = owner_.Get(kAna, match_id);
    house_->clock.Advance(absl::Seconds(1));
    return match.ok() && match->sides(1).presence() == v1::PRESENCE_AWAY;
  }));
  Open(other_, kBruno, match_id);
}

TEST_F(Forwarding, WhatTheOwnerRefusesComesBackAsItWas) {
  const v1::CreateMatchRequest created = NewMatch();
  const std::string match_id = Create(created);
  const std::string shooter = Battle(match_id);
  const auto refused_at = [&](MatchServer& server) {
    std::vector<absl::Status> refusals;
    refusals.push_back(server.Fire(shooter == kAna ? kBruno : kAna, match_id, "A1").status());
    refusals.push_back(server.Fire(shooter, match_id, "K11").status());
    refusals.push_back(server.Get(kCarla, match_id).status());
    refusals.push_back(server.Confirm(kAna, match_id, ParseFleet("lancha A1 right")).status());
    v1::FireShotsRequest stale;
    stale.set_match_id(match_id);
    stale.add_squares("A1");
    stale.set_expected_seq(1);
    refusals.push_back(server.Call(shooter, &MatchStub::FireShots, stale).status());
    const auto stream = server.Watch(kAna, match_id, 99);
    EXPECT_FALSE(stream->Next().has_value());
    refusals.push_back(stream->status());
    v1::CreateMatchRequest another = created;
    another.set_spectators_allowed(true);
    refusals.push_back(server.Create(another));
    std::string unknown = created.match_id();
    unknown[0] = 'f';
    refusals.push_back(server.Abort(unknown).status());
    return refusals;
  };
  const auto refusals = refused_at(owner_);
  EXPECT_THAT(refusals, ::testing::Each(::testing::Not(IsOk())));
  EXPECT_THAT(refused_at(other_), ::testing::ElementsAreArray(refusals));
  // Created again as it was, it is there already.
  EXPECT_THAT(other_.Create(created), IsOk());
  EXPECT_THAT(other_.Abort(match_id), IsOk());
}

TEST_F(Forwarding, ACallIsHandedOnOnce) {
  const std::string match_id = Create(NewMatch());
  auto context = other_.NewContext(kAna);
  context->AddMetadata("x-naval-forwarded", "true");
  v1::GetMatchRequest request;
  request.set_match_id(match_id);
  v1::GetMatchResponse response;
  const absl::Status refusal =
      server::FromGrpcStatus(other_.NextStub().GetMatch(context.get(), request, &response));
  EXPECT_THAT(refusal, HasReason("NOT_OWNER"));
  EXPECT_TRUE(base::RetryDelayOf(refusal).has_value());

  auto stream_context = other_.NewContext(kAna);
  stream_context->AddMetadata("x-naval-forwarded", "true");
  v1::WatchMatchRequest watch;
  watch.set_match_id(match_id);
  MatchStream stream(other_.NextStub(), std::move(stream_context), watch);
  EXPECT_FALSE(stream.Next().has_value());
  EXPECT_THAT(stream.status(), HasReason("NOT_OWNER"));
}

TEST_F(Forwarding, AProcessThatStopsTellsTheStreamsThatItHandsOnToReconnect) {
  const std::string match_id = Create(NewMatch());
  const auto stream = Open(other_, kAna, match_id);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, owner_.Get(kAna, match_id));
  other_.Stop();
  const auto last = stream->Next();
  ASSERT_TRUE(last.has_value()) << stream->status();
  EXPECT_EQ(last->reconnect().seq(), match.seq());
  EXPECT_FALSE(stream->Next().has_value());
  EXPECT_THAT(stream->status(), IsOk());
}

TEST_F(Forwarding, AnOwnerThatStopsTellsAllStreamsToReconnectAndTheOtherGoesOn) {
  const std::string match_id = Create(NewMatch());
  const std::string shooter = Battle(match_id);
  const auto stream = Open(other_, kAna, match_id);
  owner_.Stop();
  EXPECT_EQ(OwnedBy("owner"), 0);
  const auto last = stream->Next();
  ASSERT_TRUE(last.has_value()) << stream->status();
  EXPECT_TRUE(last->has_reconnect());
  EXPECT_FALSE(stream->Next().has_value());
  EXPECT_THAT(stream->status(), IsOk());
  absl::Status refusal;
  ASSERT_TRUE(WaitFor([&] {
    refusal = other_.Fire(shooter, match_id, "J10").status();
    return !absl::IsUnavailable(refusal);
  }));
  EXPECT_THAT(refusal, IsOk());
  const auto resumed = other_.Watch(kAna, match_id, last->reconnect().seq());
  const auto next = resumed->Next();
  ASSERT_TRUE(next.has_value()) << resumed->status();
  EXPECT_EQ(next->event().seq(), last->reconnect().seq() + 1);
}

TEST_F(Forwarding, ACommandThatIsUnderWayWhenTheOwnerStopsHasOneEffect) {
  const std::string match_id = Create(NewMatch());
  v1::FireShotsRequest shot;
  const std::string shooter = Battle(match_id);
  shot.set_match_id(match_id);
  shot.set_request_id(other_.NewId());
  shot.add_squares("J10");
  std::optional<HeldMatch> held(std::in_place, house_->pool, match_id);
  absl::StatusOr<v1::FireShotsResponse> answer;
  std::thread caller([&] { answer = other_.Call(shooter, &MatchStub::FireShots, shot); });
  EXPECT_TRUE(WaitFor([&] { return held->HasWaiting(); }));
  owner_.Stop();
  caller.join();
  EXPECT_THAT(answer, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(base::RetryDelayOf(answer.status()).has_value());
  held.reset();
  EXPECT_TRUE(WaitFor([&] {
    answer = other_.Call(shooter, &MatchStub::FireShots, shot);
    return !absl::IsUnavailable(answer.status());
  }));
  ASSERT_THAT(answer, IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, other_.Get(kAna, match_id));
  EXPECT_EQ(match.sides(0).shots_size() + match.sides(1).shots_size(), 1);
}

TEST_F(Forwarding, AMatchThatGoesToAProcessThatJoinedIsPlayedOnAtBoth) {
  v1::CreateMatchRequest created = NewMatch();
  // Of partition 63, the first to go.
  std::string match_id = created.match_id();
  match_id.replace(34, 2, "3f");
  created.set_match_id(match_id);
  ASSERT_TRUE(WaitFor([&] { return owner_.Create(created).ok(); }));
  ASSERT_TRUE(WaitFor([&] { return OwnedBy("owner") == 32 && OwnedBy("other") == 32; }));
  absl::StatusOr<v1::Match> here;
  ASSERT_TRUE(WaitFor([&] {
    here = owner_.Get(kAna, match_id);
    return here.ok();
  }));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match there, other_.Get(kAna, match_id));
  EXPECT_EQ(there.DebugString(), here->DebugString());
}

// The owner of the tests below does not answer.
class Unanswered : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  void ExpectUnavailable(MatchServer& server) {
    const std::string match_id = server.NewId();
    const absl::Status refusal = server.Fire(kAna, match_id, "A1").status();
    EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(refusal, HasReason("MATCH_UNAVAILABLE"));
    EXPECT_TRUE(base::RetryDelayOf(refusal).has_value());
    EXPECT_THAT(server.Create(server.NewMatch()), HasReason("MATCH_UNAVAILABLE"));
  }

  const std::shared_ptr<MatchHouse> house_ = std::make_shared<MatchHouse>();
};

TEST_F(Unanswered, BecauseNobodyIsThereIsUnavailable) {
  const ReservedPort nobody;
  GiveEverythingTo(*house_, "gone", LocalAddress(nobody.port()));
  MatchServer server(house_, "here");
  ExpectUnavailable(server);
  const auto stream = server.Watch(kAna, server.NewId(), std::nullopt);
  EXPECT_FALSE(stream->Next().has_value());
  EXPECT_THAT(stream->status(), HasReason("MATCH_UNAVAILABLE"));
}

TEST_F(Unanswered, BecauseItsNetworkIsSilentIsUnavailableBeforeTheCallersTimeIsUp) {
  const ReservedPort nobody;
  Relay relay(nobody.port());
  relay.Freeze();
  GiveEverythingTo(*house_, "frozen", LocalAddress(relay.port()));
  MatchServer server(house_, "here");
  ExpectUnavailable(server);
}

TEST_F(Unanswered, BecauseItIsNotKnownWhereItIsIsNotOwner) {
  GiveEverythingTo(*house_, "of the release before", "");
  MatchServer server(house_, "here");
  EXPECT_THAT(server.Get(kAna, server.NewId()), HasReason("NOT_OWNER"));
}

}  // namespace
}  // namespace naval::testing
