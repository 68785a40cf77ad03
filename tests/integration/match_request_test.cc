// One request, one effect: requests sent twice, at once and after a restart.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "tests/integration/match_server.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_state.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

class MatchRequest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  // A battle in which `shooter_` is to fire.
  MatchRequest() {
    const v1::CreateMatchRequest request = server_.NewMatch();
    match_id_ = request.match_id();
    EXPECT_THAT(server_.Create(request), IsOk());
    EXPECT_THAT(server_.Confirm(kAna, match_id_, RowsFleet()), IsOk());
    EXPECT_THAT(server_.Confirm(kBruno, match_id_, RowsFleet()), IsOk());
    const auto match = server_.Get(kAna, match_id_);
    EXPECT_THAT(match, IsOk());
    shooter_ = match->turn() == v1::SEAT_FIRST ? kAna : kBruno;
    other_ = match->turn() == v1::SEAT_FIRST ? kBruno : kAna;
  }

  v1::FireShotsRequest Shot(const std::string& square) {
    v1::FireShotsRequest request;
    request.set_match_id(match_id_);
    request.set_request_id(server_.NewId());
    request.add_squares(square);
    return request;
  }

  int ShotsFired() {
    const auto match = server_.Get(kAna, match_id_);
    EXPECT_THAT(match, IsOk());
    return match->sides(0).shots().size() + match->sides(1).shots().size();
  }

  MatchServer server_;
  std::string match_id_;
  std::string shooter_;
  std::string other_;
};

// rule: A-06
TEST_F(MatchRequest, SentTwiceAtOnceHasOneEffectAndOneAnswer) {
  const v1::FireShotsRequest shot = Shot("A1");
  absl::StatusOr<v1::FireShotsResponse> answers[2];
  std::optional<HeldMatch> held(std::in_place, server_.pool(), match_id_);
  std::thread first([&] { answers[0] = server_.Call(shooter_, &MatchStub::FireShots, shot); });
  // The first is on its way into the log when the second comes.
  EXPECT_TRUE(WaitFor([&] { return held->HasWaiting(); }));
  std::thread second([&] { answers[1] = server_.Call(shooter_, &MatchStub::FireShots, shot); });
  held.reset();
  first.join();
  second.join();
  for (const auto& answer : answers) ASSERT_THAT(answer, IsOk());
  EXPECT_EQ(answers[0]->SerializeAsString(), answers[1]->SerializeAsString());
  EXPECT_EQ(ShotsFired(), 1);
}

// rule: A-06
TEST_F(MatchRequest, SentAgainGetsTheSameAnswerAlsoAfterARestart) {
  const v1::FireShotsRequest hit = Shot("A1");
  const v1::FireShotsRequest water = Shot("J10");
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto hit_answer,
                             server_.Call(shooter_, &MatchStub::FireShots, hit));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto water_answer,
                             server_.Call(shooter_, &MatchStub::FireShots, water));
  for (const bool restart : {false, true}) {
    if (restart) {
      server_.Stop();
      server_.Start();
    }
    // It is the other's turn now; the answers are those of then.
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto hit_again,
                               server_.Call(shooter_, &MatchStub::FireShots, hit));
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto water_again,
                               server_.Call(shooter_, &MatchStub::FireShots, water));
    EXPECT_EQ(hit_again.SerializeAsString(), hit_answer.SerializeAsString());
    EXPECT_EQ(water_again.SerializeAsString(), water_answer.SerializeAsString());
    EXPECT_EQ(ShotsFired(), 2);
  }
}

// rule: A-06
TEST_F(MatchRequest, WithTheIdOfAnotherIsRefused) {
  const v1::FireShotsRequest shot = Shot("A1");
  ASSERT_THAT(server_.Call(shooter_, &MatchStub::FireShots, shot), IsOk());
  v1::FireShotsRequest other = shot;
  other.set_squares(0, "B1");
  EXPECT_THAT(server_.Call(shooter_, &MatchStub::FireShots, other), HasReason("REQUEST_ID_REUSED"));
  v1::ResignRequest resignation;
  resignation.set_match_id(match_id_);
  resignation.set_request_id(shot.request_id());
  EXPECT_THAT(server_.Call(shooter_, &MatchStub::Resign, resignation),
              HasReason("REQUEST_ID_REUSED"));
  EXPECT_EQ(ShotsFired(), 1);
  // Ids are a player's own: the rival may use the same one.
  EXPECT_THAT(server_.Call(other_, &MatchStub::Resign, resignation), IsOk());
}

// rule: A-06
TEST_F(MatchRequest, DecidedAtAStateThatIsPastIsRefusedUnlessItHadItsEffectAlready) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match match, server_.Get(shooter_, match_id_));
  v1::FireShotsRequest shot = Shot("J10");
  shot.set_expected_seq(match.seq() - 1);
  const auto refused = server_.Call(shooter_, &MatchStub::FireShots, shot);
  EXPECT_THAT(refused, HasReason("STALE_SEQ"));
  EXPECT_EQ(base::MetadataOf(refused.status()).at("last_seq"), absl::StrCat(match.seq()));
  EXPECT_EQ(ShotsFired(), 0);
  shot.set_expected_seq(match.seq());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::FireShotsResponse answer,
                             server_.Call(shooter_, &MatchStub::FireShots, shot));
  for (const bool restart : {false, true}) {
    if (restart) {
      server_.Stop();
      server_.Start();
    }
    // As who lost the answer and has caught up since may repeat it, and as it was sent.
    for (const int64_t expected_seq : {answer.events().rbegin()->seq(), match.seq()}) {
      shot.set_expected_seq(expected_seq);
      NAVAL_ASSERT_OK_AND_ASSIGN(const v1::FireShotsResponse again,
                                 server_.Call(shooter_, &MatchStub::FireShots, shot));
      EXPECT_EQ(again.SerializeAsString(), answer.SerializeAsString());
    }
  }
  EXPECT_EQ(ShotsFired(), 1);
  // Another shot under that id stays another one.
  shot.set_squares(0, "J9");
  EXPECT_THAT(server_.Call(shooter_, &MatchStub::FireShots, shot), HasReason("REQUEST_ID_REUSED"));
}

TEST_F(MatchRequest, RefusedLeavesItsIdFree) {
  const v1::FireShotsRequest early = Shot("A1");
  EXPECT_THAT(server_.Call(other_, &MatchStub::FireShots, early), HasReason("NOT_YOUR_TURN"));
  ASSERT_THAT(server_.Call(shooter_, &MatchStub::FireShots, Shot("J10")), IsOk());
  EXPECT_THAT(server_.Call(other_, &MatchStub::FireShots, early), IsOk());
}

TEST_F(MatchRequest, WithoutAnIdOrOfAStrangerIsRefused) {
  v1::FireShotsRequest shot = Shot("A1");
  shot.set_request_id("not a UUID");
  EXPECT_THAT(server_.Call(shooter_, &MatchStub::FireShots, shot), HasReason("INVALID_REQUEST_ID"));
  EXPECT_THAT(server_.Call(kCarla, &MatchStub::FireShots, Shot("A1")),
              HasReason("MATCH_NOT_FOUND"));
  EXPECT_EQ(ShotsFired(), 0);
}

// rule: A-04
TEST_F(MatchRequest, OfTheOperatorToAbortMakesAMatchVoidOnce) {
  constexpr char kAborted[] = "reason: END_REASON_ABORTED";
  const auto stream = server_.Watch(other_, match_id_, std::nullopt);
  ASSERT_TRUE(stream->Next().has_value());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::AbortMatchResponse answer, server_.Abort(match_id_));
  EXPECT_THAT(answer.result(), EqualsProto(kAborted));
  // Whoever watched is told, with both fleets, and of nothing more.
  const auto told = stream->Next();
  ASSERT_TRUE(told.has_value());
  EXPECT_THAT(told->event().match_ended().result(), EqualsProto(kAborted));
  EXPECT_EQ(told->event().match_ended().fleets_size(), 2);
  EXPECT_FALSE(stream->Next().has_value());
  EXPECT_THAT(stream->status(), IsOk());
  ASSERT_TRUE(WaitFor([&] { return !server_.results().empty(); }));
  EXPECT_THAT(server_.results()[0].result(), EqualsProto(kAborted));
  for (const bool restart : {false, true}) {
    if (restart) {
      server_.Stop();
      server_.Start();
    }
    NAVAL_ASSERT_OK_AND_ASSIGN(const v1::AbortMatchResponse again, server_.Abort(match_id_));
    EXPECT_THAT(again.result(), EqualsProto(kAborted));
    EXPECT_THAT(server_.Call(shooter_, &MatchStub::FireShots, Shot("A1")), HasReason("MATCH_OVER"));
  }
}

TEST_F(MatchRequest, ToAbortWhatIsOverTellsHowItEnded) {
  v1::ResignRequest resignation;
  resignation.set_match_id(match_id_);
  ASSERT_THAT(server_.Call(other_, &MatchStub::Resign, resignation), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::AbortMatchResponse answer, server_.Abort(match_id_));
  EXPECT_EQ(answer.result().reason(), v1::END_REASON_RESIGNED);
  EXPECT_NE(answer.result().winner(), v1::SEAT_UNSPECIFIED);
  EXPECT_THAT(server_.Abort(server_.NewId()), HasReason("MATCH_NOT_FOUND"));
}

}  // namespace
}  // namespace naval::testing
