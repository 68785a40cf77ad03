// The clocks of a match through the whole service, in simulated time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "google/protobuf/text_format.h"
#include "lib/base/error.h"
#include "lib/wire/time_wire.h"
#include "tests/integration/match_server.h"
#include "tests/support/grpc_pin.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"
#include "tools/client/match_state.h"

namespace naval::testing {
namespace {

namespace v1 = match::v1;
using client::RivalOf;
using client::SideOf;
using MatchStub = v1::MatchService::Stub;

// Water in RowsFleet, far from its ships.
constexpr const char* kWater[] = {"J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9", "J10"};

std::string AccountAt(v1::Seat seat) { return seat == v1::SEAT_FIRST ? kAna : kBruno; }

absl::Time DeadlineOf(const v1::Match& match) {
  const auto deadline = wire::FromProto(match.deadline(), "deadline");
  EXPECT_TRUE(match.has_deadline() && deadline.ok()) << match.DebugString();
  return deadline.value_or(absl::InfinitePast());
}

class MatchClock : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { PinGrpc(); }

  MatchClock() {
    const v1::CreateMatchRequest request = server_.NewMatch();
    match_id_ = request.match_id();
    EXPECT_THAT(server_.Create(request), IsOk());
  }

  // Both lay RowsFleet; gives the match as the starter sees it.
  absl::StatusOr<v1::Match> BeginBattle() {
    NAVAL_RETURN_IF_ERROR(server_.Confirm(kAna, match_id_, RowsFleet()).status());
    NAVAL_RETURN_IF_ERROR(server_.Confirm(kBruno, match_id_, RowsFleet()).status());
    NAVAL_ASSIGN_OR_RETURN(const v1::Match match, server_.Get(kAna, match_id_));
    return server_.Get(AccountAt(match.turn()), match_id_);
  }

  // Lets the running clock end and waits for what comes of it.
  absl::StatusOr<v1::Match> LetClockEnd(const v1::Match& before) {
    server_.clock().AdvanceTo(DeadlineOf(before));
    return server_.WaitForMatch(AccountAt(before.viewer_seat()), match_id_,
                                [&](const v1::Match& match) { return match.seq() > before.seq(); });
  }

  // The events of an account's whole match.
  std::vector<v1::MatchEvent> StoryOf(const std::string& account_id) {
    const auto match = server_.Get(account_id, match_id_);
    EXPECT_THAT(match, IsOk());
    const auto stream = server_.Watch(account_id, match_id_, 0);
    std::vector<v1::MatchEvent> events;
    while (match.ok() && static_cast<int64_t>(events.size()) < match->seq()) {
      const auto message = stream->Next();
      if (!message.has_value()) break;
      events.push_back(message->event());
    }
    return events;
  }

  // A match by these rules in the place of the first.
  void CreateBy(const std::string& rules) {
    v1::CreateMatchRequest request = server_.NewMatch();
    match_id_ = request.match_id();
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(rules, request.mutable_rules()));
    ASSERT_THAT(server_.Create(request), IsOk());
    for (const char* const account_id : {kAna, kBruno}) {
      NAVAL_ASSERT_OK_AND_ASSIGN(first_views_[account_id], server_.Get(account_id, match_id_));
    }
  }

  // The same, and both confirm a fleet that is drawn; gives the match as the starter sees it.
  absl::StatusOr<v1::Match> BeginBattleBy(const std::string& rules) {
    CreateBy(rules);
    for (const char* const account_id : {kAna, kBruno}) {
      v1::ProposeFleetRequest proposal;
      proposal.set_match_id(match_id_);
      NAVAL_ASSIGN_OR_RETURN(const v1::ProposeFleetResponse proposed,
                             server_.Call(account_id, &MatchStub::ProposeFleet, proposal));
      NAVAL_RETURN_IF_ERROR(server_.Confirm(account_id, match_id_, proposed.fleet()).status());
    }
    NAVAL_ASSIGN_OR_RETURN(const v1::Match match, server_.Get(kAna, match_id_));
    return server_.Get(AccountAt(match.starter()), match_id_);
  }

  absl::StatusOr<v1::ClaimAbsenceResponse> Claim(v1::Seat seat) {
    v1::ClaimAbsenceRequest request;
    request.set_match_id(match_id_);
    request.set_request_id(claim_id_);
    return server_.Call(AccountAt(seat), &MatchStub::ClaimAbsence, request);
  }

  // Of a match of CreateBy: that to both players its events tell what GetMatch shows.
  void ExpectEventsAddUp() {
    for (const char* const account_id : {kAna, kBruno}) {
      v1::Match gathered = first_views_[account_id];
      for (const v1::MatchEvent& event : StoryOf(account_id)) {
        if (event.seq() <= gathered.seq()) continue;
        ASSERT_THAT(client::ApplyEvent(event, gathered), IsOk());
      }
      NAVAL_ASSERT_OK_AND_ASSIGN(v1::Match whole, server_.Get(account_id, match_id_));
      client::ClearMoment(whole);
      client::ClearMoment(gathered);
      EXPECT_THAT(gathered, EqualsProto(whole.ShortDebugString())) << account_id;
    }
  }

  MatchServer server_;
  std::string match_id_;
  std::map<std::string, v1::Match> first_views_;
  const std::string claim_id_ = server_.NewId();
};

// rule: T-03, T-07, T-19
TEST_F(MatchClock, CompletesAndConfirmsBothFleetsAfterNinetySeconds) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match placing, server_.Get(kAna, match_id_));
  EXPECT_EQ(DeadlineOf(placing), StartTime() + absl::Seconds(90));
  v1::PlaceFleetRequest draft;
  draft.set_match_id(match_id_);
  *draft.mutable_fleet() = ParseFleet("lancha J9 down");
  ASSERT_THAT(server_.Call(kAna, &MatchStub::PlaceFleet, draft), IsOk());

  server_.clock().Advance(absl::Seconds(90) - absl::Microseconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match placing_still, server_.Get(kAna, match_id_));
  EXPECT_EQ(placing_still.phase(), v1::PHASE_PLACEMENT);

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match battle, LetClockEnd(placing_still));
  EXPECT_EQ(battle.phase(), v1::PHASE_BATTLE);
  EXPECT_EQ(DeadlineOf(battle), StartTime() + absl::Seconds(90 + 25));
  const v1::Side& own = SideOf(battle, v1::SEAT_FIRST);
  ASSERT_EQ(own.fleet().size(), 5);
  EXPECT_EQ(own.fleet(0).SerializeAsString(), draft.fleet(0).SerializeAsString());
  EXPECT_TRUE(SideOf(battle, v1::SEAT_SECOND).fleet().empty());
  for (const v1::MatchEvent& event : StoryOf(kBruno)) {
    if (event.has_fleet_confirmed()) {
      EXPECT_TRUE(event.fleet_confirmed().by_clock());
    }
  }
  // The clock has ended what it ended.
  EXPECT_THAT(server_.Call(kAna, &MatchStub::PlaceFleet, draft), HasReason("PLACEMENT_IS_OVER"));
}

// rule: T-15, T-16
TEST_F(MatchClock, FiresForAPlayerAfterTwentyFiveSeconds) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattle());
  EXPECT_EQ(DeadlineOf(due), StartTime() + absl::Seconds(25));
  server_.clock().Advance(absl::Seconds(25) - absl::Microseconds(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due_still,
                             server_.Get(AccountAt(due.turn()), match_id_));
  EXPECT_EQ(due_still.seq(), due.seq());

  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match after, LetClockEnd(due_still));
  const v1::Side& sea = SideOf(after, RivalOf(due.turn()));
  ASSERT_EQ(sea.shots().size(), 1);
  const bool hit = sea.shots(0).result() != v1::SHOT_RESULT_WATER;
  EXPECT_EQ(after.turn(), hit ? due.turn() : RivalOf(due.turn()));
  EXPECT_EQ(DeadlineOf(after), StartTime() + absl::Seconds(50));
  EXPECT_EQ(SideOf(after, due.turn()).strikes(), 1);
  const std::vector<v1::MatchEvent> story = StoryOf(AccountAt(due.turn()));
  ASSERT_GE(story.size(), 3u);
  EXPECT_TRUE(story[story.size() - 3].has_clock_ran_out());
  EXPECT_TRUE(story[story.size() - 2].shot_fired().by_clock());
}

// rule: T-15
TEST_F(MatchClock, StartsAnewForTheExtraShotOfAHit) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattle());
  server_.clock().Advance(absl::Seconds(20));
  ASSERT_THAT(server_.Fire(AccountAt(due.turn()), match_id_, "A1"), IsOk());
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match again, server_.Get(kAna, match_id_));
  EXPECT_EQ(again.turn(), due.turn());
  EXPECT_EQ(DeadlineOf(again), StartTime() + absl::Seconds(45));
}

// rule: T-17
TEST_F(MatchClock, LosesTheMatchWithItsThirdEndInARow) {
  NAVAL_ASSERT_OK_AND_ASSIGN(v1::Match match, BeginBattle());
  const v1::Seat absent = match.turn();
  int water = 0;
  while (match.phase() == v1::PHASE_BATTLE) {
    if (match.turn() == absent) {
      NAVAL_ASSERT_OK_AND_ASSIGN(match, LetClockEnd(match));
      continue;
    }
    ASSERT_LT(water, 10);
    ASSERT_THAT(server_.Fire(AccountAt(RivalOf(absent)), match_id_, kWater[water++]), IsOk());
    NAVAL_ASSERT_OK_AND_ASSIGN(match, server_.Get(AccountAt(absent), match_id_));
  }
  EXPECT_EQ(match.result().winner(), RivalOf(absent));
  EXPECT_EQ(match.result().reason(), v1::END_REASON_TIMED_OUT);
  // The third end fires no shot.
  EXPECT_EQ(SideOf(match, RivalOf(absent)).shots().size(), 2);
  EXPECT_EQ(SideOf(match, absent).strikes(), 3);
  ASSERT_TRUE(WaitFor([&] { return !server_.results().empty(); }));
  EXPECT_EQ(server_.results()[0].match_id(), match_id_);
  EXPECT_EQ(server_.results()[0].result().winner(), RivalOf(absent));
}

// rule: A-05
TEST_F(MatchClock, NeverReplacesAShotThatArrivedBeforeItsEnd) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattle());
  server_.clock().Advance(absl::Seconds(20));
  std::optional<HeldMatch> held(std::in_place, server_.pool(), match_id_);
  std::thread shooter(
      [&] { EXPECT_THAT(server_.Fire(AccountAt(due.turn()), match_id_, "A1"), IsOk()); });
  EXPECT_TRUE(WaitFor([&] { return held->HasWaiting(); }));
  // The shot is stamped but not yet durable when the clock that it beat ends.
  server_.clock().Advance(absl::Seconds(10));
  held.reset();
  shooter.join();
  // A command after it: what the end of the clock led to would stand before this one's events.
  ASSERT_THAT(server_.Fire(AccountAt(due.turn()), match_id_, "B1"), IsOk());
  for (const v1::MatchEvent& event : StoryOf(AccountAt(due.turn()))) {
    EXPECT_FALSE(event.has_clock_ran_out()) << event.DebugString();
    EXPECT_FALSE(event.shot_fired().by_clock()) << event.DebugString();
  }
}

// rule: A-05
TEST_F(MatchClock, IsDecidedBeforeAShotThatArrivedAfterItsEnd) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattle());
  std::optional<HeldMatch> held(std::in_place, server_.pool(), match_id_);
  server_.clock().Advance(absl::Seconds(26));
  EXPECT_TRUE(WaitFor([&] { return held->HasWaiting(); }));
  absl::StatusOr<v1::FireShotsResponse> late;
  std::thread shooter([&] { late = server_.Fire(AccountAt(due.turn()), match_id_, "J10"); });
  held.reset();
  shooter.join();

  std::vector<v1::ShotFired> shots;
  for (const v1::MatchEvent& event : StoryOf(AccountAt(due.turn()))) {
    if (event.has_shot_fired()) shots.push_back(event.shot_fired());
  }
  ASSERT_FALSE(shots.empty());
  EXPECT_TRUE(shots[0].by_clock());
  if (shots[0].result() == v1::SHOT_RESULT_WATER) {
    EXPECT_THAT(late, HasReason("NOT_YOUR_TURN"));
    EXPECT_EQ(shots.size(), 1u);
  } else {
    // The clock's shot hit, so the late one is the extra shot.
    EXPECT_THAT(late, IsOk());
    EXPECT_EQ(shots.size(), 2u);
  }
}

TEST_F(MatchClock, GetsTimeBackAfterAnOutageInWhichNobodyLoses) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattle());
  server_.Stop();
  server_.clock().Advance(absl::Hours(3));
  server_.Start();
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const v1::Match after,
      server_.WaitForMatch(AccountAt(due.turn()), match_id_,
                           [&](const v1::Match& match) { return match.seq() > due.seq(); }));
  EXPECT_EQ(after.turn(), due.turn());
  EXPECT_EQ(SideOf(after, due.turn()).strikes(), 0);
  EXPECT_GE(DeadlineOf(after), server_.clock().Now() + absl::Seconds(10));
  EXPECT_TRUE(StoryOf(AccountAt(due.turn())).back().has_clock_adjusted());
  EXPECT_THAT(server_.Fire(AccountAt(due.turn()), match_id_, "A1"), IsOk());
}

// rule: C-10
TEST_F(MatchClock, LosesTheMatchOfATurnThatGoesByWhereThatIsAnInfraction) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattleBy("rule_set: 'clasica'"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match over, LetClockEnd(due));
  EXPECT_EQ(over.result().reason(), v1::END_REASON_TURN_SKIPPED);
  EXPECT_EQ(over.result().winner(), RivalOf(due.turn()));
  EXPECT_TRUE(SideOf(over, RivalOf(due.turn())).shots().empty()) << "nobody fired";
  ExpectEventsAddUp();
  ASSERT_TRUE(WaitFor([&] { return !server_.results().empty(); }));
  EXPECT_EQ(server_.results()[0].result().reason(), v1::END_REASON_TURN_SKIPPED);
}

// rule: C-06, C-11
TEST_F(MatchClock, IsNotWaitedForWhereAnIllegalFleetLosesAtOnce) {
  CreateBy("rule_set: 'clasica'");
  Fleet fleet;
  fleet.Add()->set_ship_id("acorazado");
  fleet[0].set_bow("H1");
  fleet[0].set_orientation(v1::ORIENTATION_HORIZONTAL);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto confirmed, server_.Confirm(kBruno, match_id_, fleet));
  ASSERT_EQ(confirmed.events_size(), 1);
  EXPECT_EQ(confirmed.events(0).match_ended().violations(0).kind(),
            v1::FLEET_VIOLATION_KIND_OUT_OF_BOARD);
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match over, server_.Get(kAna, match_id_));
  EXPECT_EQ(over.result().reason(), v1::END_REASON_ILLEGAL_FLEET);
  EXPECT_EQ(over.result().winner(), v1::SEAT_FIRST);
  EXPECT_EQ(SideOf(over, v1::SEAT_SECOND).fleet_size(), 1);
  EXPECT_TRUE(SideOf(over, v1::SEAT_FIRST).fleet().empty());
  ASSERT_FALSE(over.violations().empty()) << "for who was away when it ended";
  EXPECT_EQ(over.violations(0).kind(), v1::FLEET_VIOLATION_KIND_OUT_OF_BOARD);
  ExpectEventsAddUp();
}

// rule, S-07, S-12
TEST_F(MatchClock, DrawsTheVolleyOfAPlayerWhoIsLateAndVoidsAMatchThatBothLeft) {
  NAVAL_ASSERT_OK_AND_ASSIGN(v1::Match match,
                             BeginBattleBy("rule_set: 'salvo' volley: true fleet_b: true"));
  const v1::Seat present = match.viewer_seat();
  const int shots = SideOf(match, present).volley_size();
  EXPECT_EQ(shots, 7);
  v1::FireShotsRequest volley;
  volley.set_match_id(match_id_);
  volley.set_request_id(server_.NewId());
  volley.set_round(1);
  for (int row = 1; row <= shots; ++row) volley.add_squares(absl::StrCat("A", row));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::FireShotsResponse answer,
                             server_.Call(AccountAt(present), &MatchStub::FireShots, volley));
  ExpectEventsAddUp();
  NAVAL_ASSERT_OK_AND_ASSIGN(match, server_.Get(AccountAt(present), match_id_));
  NAVAL_ASSERT_OK_AND_ASSIGN(match, LetClockEnd(match));
  EXPECT_EQ(match.round(), 2);
  EXPECT_EQ(match.volleys_size(), 2);
  EXPECT_EQ(SideOf(match, present).strikes(), 0);
  EXPECT_EQ(SideOf(match, RivalOf(present)).strikes(), 1);
  EXPECT_EQ(SideOf(match, present).shots_size(), 7);
  ExpectEventsAddUp();

  // One that was on its way for that round does not become the next one's; a repetition of the one
  // that was taken still has its answer.
  v1::FireShotsRequest late = volley;
  late.set_request_id(server_.NewId());
  for (std::string& square : *late.mutable_squares()) square[0] = 'B';
  const auto refused = server_.Call(AccountAt(present), &MatchStub::FireShots, late);
  EXPECT_THAT(refused, HasReason("NOT_THIS_ROUND"));
  EXPECT_EQ(base::MetadataOf(refused.status()).at("due"), "2");
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::FireShotsResponse again,
                             server_.Call(AccountAt(present), &MatchStub::FireShots, volley));
  EXPECT_EQ(again.SerializeAsString(), answer.SerializeAsString());
  volley.set_round(2);
  EXPECT_THAT(server_.Call(AccountAt(present), &MatchStub::FireShots, volley),
              HasReason("REQUEST_ID_REUSED"));
  EXPECT_FALSE(SideOf(*server_.Get(AccountAt(present), match_id_), present).volley_in());

  NAVAL_ASSERT_OK_AND_ASSIGN(match, BeginBattleBy("rule_set: 'salvo' volley: true"));
  while (match.phase() == v1::PHASE_BATTLE) {
    NAVAL_ASSERT_OK_AND_ASSIGN(match, LetClockEnd(match));
    ExpectEventsAddUp();
  }
  EXPECT_EQ(match.round(), 3);
  EXPECT_EQ(match.result().winner(), v1::SEAT_UNSPECIFIED);
  EXPECT_EQ(match.result().reason(), v1::END_REASON_BOTH_ABSENT);
}

// rule: M-14, A-06, A-09
TEST_F(MatchClock, EndsNothingByItselfInCorrespondenceButLetsTheWaitingPlayerClaimTheWin) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due, BeginBattleBy("rule_set: 'selminha'"));
  const v1::Seat late = due.turn();
  EXPECT_EQ(late, v1::SEAT_FIRST) << "the creator begins";
  EXPECT_EQ(DeadlineOf(due), StartTime() + absl::Hours(48));
  server_.clock().Advance(absl::Hours(48));
  EXPECT_THAT(Claim(RivalOf(late)), HasReason("RIVAL_NOT_ABSENT")) << "the last moment counts";
  server_.clock().Advance(absl::Hours(24));
  EXPECT_THAT(Claim(late), HasReason("RIVAL_NOT_ABSENT")) << "it is the claimant's turn";
  // Who plays before the claim is back.
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto fired, server_.Fire(AccountAt(late), match_id_, "E5"));
  EXPECT_THAT(Claim(RivalOf(late)), HasReason("RIVAL_NOT_ABSENT"));
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match next, server_.Get(AccountAt(late), match_id_));
  ExpectEventsAddUp();

  server_.clock().Advance(absl::Hours(49));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto claimed, Claim(RivalOf(next.turn())));
  ASSERT_EQ(claimed.events_size(), 1);
  EXPECT_EQ(claimed.events(0).match_ended().result().reason(), v1::END_REASON_ABSENCE_CLAIMED);
  EXPECT_EQ(claimed.events(0).match_ended().result().winner(), RivalOf(next.turn()));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto again, Claim(RivalOf(next.turn())));
  EXPECT_EQ(again.SerializeAsString(), claimed.SerializeAsString());
  ExpectEventsAddUp();
}

// rule: M-15
TEST_F(MatchClock, VoidsAMatchInWhichNobodyMovesForAWeekAndTellsWhenAnOutagePutsThatOff) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const v1::Match due,
                             BeginBattleBy("rule_set: 'salvo' pace: PACE_CORRESPONDENCE"));
  server_.Stop();
  server_.clock().Advance(absl::Hours(8 * 24));
  server_.Start();
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const v1::Match after,
      server_.WaitForMatch(AccountAt(due.turn()), match_id_,
                           [&](const v1::Match& match) { return match.seq() > due.seq(); }));
  EXPECT_EQ(after.phase(), v1::PHASE_BATTLE) << "nobody could move";
  ExpectEventsAddUp();
  server_.clock().Advance(absl::Minutes(1));
  NAVAL_ASSERT_OK_AND_ASSIGN(
      const v1::Match over,
      server_.WaitForMatch(AccountAt(due.turn()), match_id_,
                           [](const v1::Match& match) { return match.phase() == v1::PHASE_OVER; }));
  EXPECT_EQ(over.result().reason(), v1::END_REASON_IDLE);
  EXPECT_EQ(over.result().winner(), v1::SEAT_UNSPECIFIED);
  ExpectEventsAddUp();
}

}  // namespace
}  // namespace naval::testing
