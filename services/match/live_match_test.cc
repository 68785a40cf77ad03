#include "services/match/live_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/wire/log_wire.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"
#include "naval/lobby/v1/lobby_internal_service.pb.h"
#include "services/match/test_matches.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace naval::match {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::naval::testing::WaitFor;
using rules::Seat;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Id(int number) {
  return absl::StrCat("018f3f5e-7b5a-7c3d-8a21-", absl::Dec(number, absl::kZeroPad12));
}

std::vector<std::string> Serialized(const std::vector<v1::MatchEvent>& events) {
  std::vector<std::string> bytes;
  for (const v1::MatchEvent& event : events) bytes.push_back(event.SerializeAsString());
  return bytes;
}

class LiveMatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    process_ = std::make_unique<TestMatches>(store_, clock_);
    ASSERT_THAT(process_->Create(TestMatchCreated()), IsOk());
  }

  void Restart() {
    process_.reset();
    process_ = std::make_unique<TestMatches>(store_, clock_);
  }

  std::shared_ptr<LiveMatch> Match() { return *process_->Find(); }

  void ConfirmBoth() {
    for (const Seat seat : rules::kSeats) {
      ASSERT_THAT(process_->Send(seat, rules::ConfirmFleet{seat, RowsFleet(Match()->rules())},
                                 Id(900 + rules::SeatIndex(seat))),
                  IsOk());
    }
  }

  Seat Turn() {
    return Match()->ViewFor(kFirstAccount)->turn() == v1::SEAT_FIRST ? Seat::kFirst : Seat::kSecond;
  }

  absl::Time Deadline() {
    const auto view = Match()->ViewFor(kFirstAccount);
    return view.ok() ? *wire::FromProto(view->deadline(), "deadline") : absl::InfinitePast();
  }

  int Strikes(Seat seat) {
    return Match()->ViewFor(kFirstAccount)->sides(rules::SeatIndex(seat)).strikes();
  }

  static bool HasReasonBusy(const absl::Status& status) {
    return base::ReasonOf(status) == "MATCH_BUSY";
  }

  // A square that is water in RowsFleet.
  static rules::Square Water(int column) { return rules::Square(column, 1); }

  absl::StatusOr<std::vector<v1::MatchEvent>> Fire(Seat seat, rules::Square square,
                                                   const std::string& request_id) {
    return process_->Send(seat, rules::FireShots{seat, {square}}, request_id);
  }

  int64_t LastSeq(Seat seat) {
    return Match()->ViewFor(seat == Seat::kFirst ? kFirstAccount : kSecondAccount)->seq();
  }

  using Answer = absl::StatusOr<std::vector<v1::MatchEvent>>;

  // A shot that was decided when the sender's last number was this.
  std::future<Answer> PostExpecting(std::optional<int64_t> expected_seq, Seat seat,
                                    rules::Square square, const std::string& request_id) {
    const auto answer = std::make_shared<std::promise<Answer>>();
    Match()->Post({.command = rules::FireShots{seat, {square}},
                   .seat = seat,
                   .request_id = request_id,
                   .request_digest = "digest",
                   .expected_seq = expected_seq},
                  [answer](const auto& events) { answer->set_value(events); });
    return answer->get_future();
  }

  std::shared_ptr<RecordingWatcher> Watch(const std::string& account,
                                          std::optional<int64_t> after_seq = std::nullopt) {
    auto watcher = std::make_shared<RecordingWatcher>();
    EXPECT_THAT(WatchAndWait(*Match(), account, after_seq, watcher), IsOk());
    return watcher;
  }

  base::SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  FakeMatchStore store_{clock_};
  std::unique_ptr<TestMatches> process_;
};

// rule: A-06
TEST_F(LiveMatchTest, AnswersARepeatedRequestAsTheFirstTimeAlsoAfterARestart) {
  ConfirmBoth();
  const Seat turn = Turn();
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto first, Fire(turn, Water(0), Id(1)));
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto again, Fire(turn, Water(0), Id(1)));
  EXPECT_EQ(Serialized(first), Serialized(again));
  Restart();
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto after_restart, Fire(turn, Water(0), Id(1)));
  EXPECT_EQ(Serialized(first), Serialized(after_restart));
}

TEST_F(LiveMatchTest, RefusesARequestIdThatWasUsedForAnotherRequest) {
  ConfirmBoth();
  const Seat turn = Turn();
  ASSERT_THAT(Fire(turn, Water(0), Id(1)), IsOk());
  EXPECT_THAT(process_->Send(turn, rules::Resign{turn}, Id(1), "another digest"),
              HasReason("REQUEST_ID_REUSED"));
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->phase(), v1::PHASE_BATTLE);
}

TEST_F(LiveMatchTest, ARefusedRequestLeavesNothingSoItsIdIsFree) {
  ConfirmBoth();
  const Seat waiting = rules::Rival(Turn());
  EXPECT_THAT(Fire(waiting, Water(0), Id(1)), HasReason("NOT_YOUR_TURN"));
  ASSERT_THAT(Fire(rules::Rival(waiting), Water(1), Id(2)), IsOk());
  EXPECT_THAT(Fire(waiting, Water(0), Id(1)), IsOk());
}

TEST_F(LiveMatchTest, RefusesACommandThatWasDecidedAtAnotherNumberThanTheSendersLast) {
  ConfirmBoth();
  const Seat turn = Turn();
  const int64_t last_seq = LastSeq(turn);
  for (const int64_t other : {last_seq - 1, last_seq + 1, int64_t{-1}}) {
    const auto refused = PostExpecting(other, turn, Water(0), Id(1)).get();
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kAborted);
    EXPECT_THAT(refused, HasReason("STALE_SEQ"));
    EXPECT_EQ(base::MetadataOf(refused.status()).at("last_seq"), absl::StrCat(last_seq));
  }
  // It left nothing: the number is what it was, and the id is free.
  EXPECT_EQ(LastSeq(turn), last_seq);
  EXPECT_THAT(PostExpecting(last_seq, turn, Water(0), Id(1)).get(), IsOk());
}

TEST_F(LiveMatchTest, JudgesTheExpectedNumberOnceTheCommandsBeforeAreDecided) {
  ConfirmBoth();
  const Seat turn = Turn();
  const int64_t last_seq = LastSeq(turn);
  store_.HoldAppends();
  // A hit, after which the turn stays: but for the number the second would be a good one.
  auto first = PostExpecting(last_seq, turn, rules::Square(0, 0), Id(1));
  auto second = PostExpecting(last_seq, turn, rules::Square(1, 0), Id(2));
  store_.ReleaseAppends();
  EXPECT_THAT(first.get(), IsOk());
  EXPECT_THAT(second.get(), HasReason("STALE_SEQ"));
}

// rule: A-06
TEST_F(LiveMatchTest, AnswersARepeatedRequestWhateverNumberItExpects) {
  ConfirmBoth();
  const Seat turn = Turn();
  const int64_t last_seq = LastSeq(turn);
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto first,
                             PostExpecting(last_seq, turn, Water(0), Id(1)).get());
  for (const std::optional<int64_t> expected :
       {std::optional(last_seq), std::optional<int64_t>(0), std::optional<int64_t>()}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const auto again,
                               PostExpecting(expected, turn, Water(0), Id(1)).get());
    EXPECT_EQ(Serialized(first), Serialized(again));
  }
  EXPECT_GT(LastSeq(turn), last_seq);
}

TEST_F(LiveMatchTest, PublishesAndAnswersNothingBeforeTheCommit) {
  ConfirmBoth();
  const auto watcher = Watch(kFirstAccount);
  const auto before = watcher->messages().size();
  store_.HoldAppends();
  std::atomic<bool> answered = false;
  const Seat turn = Turn();
  Match()->Post({.command = rules::FireShots{turn, {Water(0)}},
                 .seat = turn,
                 .request_id = Id(1),
                 .request_digest = "digest"},
                [&](const auto&) { answered = true; });
  // The view still shows the state before the shot.
  EXPECT_THAT(Match()->ViewFor(kFirstAccount)->sides(0).shots(), IsEmpty());
  EXPECT_THAT(Match()->ViewFor(kFirstAccount)->sides(1).shots(), IsEmpty());
  EXPECT_EQ(watcher->messages().size(), before);
  EXPECT_FALSE(answered);
  store_.ReleaseAppends();
  ASSERT_TRUE(WaitFor([&] { return answered.load(); }));
  ASSERT_TRUE(WaitFor([&] { return watcher->messages().size() > before; }));
}

TEST_F(LiveMatchTest, FindsWhatBecameOfACommandWhoseCommitWasInDoubt) {
  ConfirmBoth();
  const Seat turn = Turn();
  const auto watcher = Watch(kFirstAccount);
  store_.SetFate(FakeMatchStore::Fate::kInDoubt);
  EXPECT_THAT(Fire(turn, Water(0), Id(1)), HasReason("MATCH_UNAVAILABLE"));
  store_.SetFate(FakeMatchStore::Fate::kStored);
  // The stream is told to come back, the repeated request finds its shot, once.
  ASSERT_TRUE(watcher->end().has_value());
  EXPECT_TRUE(watcher->messages().back().has_reconnect());
  NAVAL_ASSERT_OK_AND_ASSIGN(const auto events, Fire(turn, Water(0), Id(1)));
  ASSERT_THAT(events, SizeIs(2));
  EXPECT_EQ(events[0].shot_fired().square(), "A2");
  const auto view = *Match()->ViewFor(kFirstAccount);
  EXPECT_EQ(view.sides(0).shots_size() + view.sides(1).shots_size(), 1);
}

TEST_F(LiveMatchTest, GoesOnByItselfAfterTheStoreWasAway) {
  ConfirmBoth();
  const Seat turn = Turn();
  store_.SetFate(FakeMatchStore::Fate::kAway);
  EXPECT_THAT(Fire(turn, Water(0), Id(1)), HasReason("MATCH_UNAVAILABLE"));
  store_.SetFate(FakeMatchStore::Fate::kStored);
  // Nobody asks for the match, yet its clock runs out and the server shoots.
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    const auto match = LoadAlone(store_, kTestMatchId);
    const auto recorded = RecordedMatch::FromStored(*match, testing::TestSealer());
    return recorded->game().strikes(turn) > 0 || recorded->game().strikes(rules::Rival(turn)) > 0;
  }));
}

TEST_F(LiveMatchTest, GivesARunningClockAtLeastTenSecondsAfterARestart) {
  ConfirmBoth();
  const absl::Time deadline =
      absl::FromUnixSeconds(Match()->ViewFor(kFirstAccount)->deadline().seconds());
  process_.reset();
  clock_.AdvanceTo(deadline + absl::Minutes(5));
  process_ = std::make_unique<TestMatches>(store_, clock_);
  ASSERT_TRUE(WaitFor([&] {
    return absl::FromUnixSeconds(Match()->ViewFor(kFirstAccount)->deadline().seconds()) >=
           clock_.Now() + rules::kLeastTimeAfterOutage;
  }));
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->sides(0).strikes(), 0);
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->sides(1).strikes(), 0);
}

TEST_F(LiveMatchTest, GoesOnAtOnceOnAMachineWhoseClockWasSetBack) {
  ConfirmBoth();
  const Seat turn = Turn();
  process_.reset();
  base::SimulatedClock set_back(clock_.Now() - absl::Hours(1));
  process_ = std::make_unique<TestMatches>(store_, set_back);
  const auto match = Match()->ViewFor(kFirstAccount);
  const absl::Duration left = *wire::FromProto(match->deadline(), "deadline") -
                              *wire::FromProto(match->server_time(), "server_time");
  EXPECT_GT(left, absl::Seconds(10));
  EXPECT_LE(left, absl::Seconds(25));
  set_back.Advance(left);
  EXPECT_TRUE(WaitFor([&] { return Strikes(turn) == 1; }));
  process_.reset();
}

TEST_F(LiveMatchTest, ChargesNobodyForTheTimeThatTheStoreWasAway) {
  ConfirmBoth();
  const Seat turn = Turn();
  store_.SetFate(FakeMatchStore::Fate::kAway);
  EXPECT_THAT(Fire(turn, Water(0), Id(1)), HasReason("MATCH_UNAVAILABLE"));
  // The clock ends while nobody can play.
  clock_.Advance(absl::Seconds(60));
  store_.SetFate(FakeMatchStore::Fate::kStored);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Milliseconds(100));
    const auto match = process_->Find();
    return match.ok() && !(*match)->lost() && Deadline() > clock_.Now() + absl::Seconds(20);
  }));
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->sides(0).strikes(), 0);
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->sides(1).strikes(), 0);
  EXPECT_EQ(Turn(), turn);
}

TEST_F(LiveMatchTest, GivesBackTheTimeThatACommitTook) {
  ConfirmBoth();
  const Seat turn = Turn();
  store_.HoldAppends();
  std::atomic<bool> answered = false;
  Match()->Post({.command = rules::FireShots{turn, {Water(0)}},
                 .seat = turn,
                 .request_id = Id(1),
                 .request_digest = "digest"},
                [&](const auto&) { answered = true; });
  clock_.Advance(absl::Seconds(20));
  store_.ReleaseAppends();
  ASSERT_TRUE(WaitFor([&] { return answered.load(); }));
  ASSERT_TRUE(WaitFor([&] { return Deadline() >= clock_.Now() + absl::Seconds(25); }));
}

TEST_F(LiveMatchTest, KeepsItsClockWhenTheAlarmRingsEarly) {
  ConfirmBoth();
  const Seat turn = Turn();
  Match()->Wake();
  EXPECT_EQ(Turn(), turn);
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    return Strikes(turn) == 1;
  }));
}

// rule: T-03
TEST_F(LiveMatchTest, LetsTheRivalThroughWhileOneSeatSendsTooMuch) {
  store_.HoldAppends();
  const rules::Fleet fleet = RowsFleet(Match()->rules());
  std::atomic<int> busy = 0;
  std::atomic<bool> confirmed = false;
  for (int i = 0; i < 30; ++i) {
    Match()->Post({.command = rules::PlaceFleet{Seat::kFirst, fleet},
                   .seat = Seat::kFirst,
                   .request_id = Id(i),
                   .request_digest = "digest"},
                  [&](const auto& events) {
                    if (HasReasonBusy(events.status())) ++busy;
                  });
  }
  Match()->Post({.command = rules::ConfirmFleet{Seat::kSecond, fleet},
                 .seat = Seat::kSecond,
                 .request_id = Id(100),
                 .request_digest = "digest"},
                [&](const auto& events) { confirmed = events.ok(); });
  EXPECT_GT(busy, 0);
  store_.ReleaseAppends();
  EXPECT_TRUE(WaitFor([&] { return confirmed.load(); }));
}

TEST_F(LiveMatchTest, TakesOnlySoManyAbortsAtOnceAndEndsByTheFirst) {
  store_.HoldAppends();
  std::atomic<int> aborted = 0, over = 0, busy = 0;
  for (int i = 0; i < 30; ++i) {
    Match()->Post({.command = rules::Abort{}}, [&](const auto& events) {
      if (events.ok()) ++aborted;
      if (base::ReasonOf(events.status()) == "MATCH_OVER") ++over;
      if (HasReasonBusy(events.status())) ++busy;
    });
  }
  EXPECT_GT(busy, 0);
  EXPECT_EQ(Match()->result(), std::nullopt);
  store_.ReleaseAppends();
  ASSERT_TRUE(WaitFor([&] { return aborted + over + busy == 30; }));
  EXPECT_EQ(aborted, 1);
  EXPECT_GT(over, 0);
  EXPECT_EQ(Match()->result(), (rules::MatchEnded{std::nullopt, rules::EndReason::kAborted}));
}

TEST_F(LiveMatchTest, LimitsTheDraftsOfASeat) {
  const rules::Fleet fleet = RowsFleet(Match()->rules());
  for (int i = 0; i < kMaxDrafts; ++i) {
    ASSERT_THAT(process_->Send(Seat::kFirst, rules::PlaceFleet{Seat::kFirst, fleet}, Id(i)),
                IsOk());
  }
  EXPECT_THAT(process_->Send(Seat::kFirst, rules::PlaceFleet{Seat::kFirst, fleet}, Id(kMaxDrafts)),
              HasReason("TOO_MANY_DRAFTS"));
  EXPECT_THAT(process_->Send(Seat::kFirst, rules::ConfirmFleet{Seat::kFirst, fleet}, Id(9999)),
              IsOk());
}

TEST_F(LiveMatchTest, GivesWhoComesBackAfterManyEventsThemInParts) {
  const rules::Fleet fleet = RowsFleet(Match()->rules());
  for (int i = 0; i < kMaxDrafts; ++i) {
    ASSERT_THAT(process_->Send(Seat::kFirst, rules::PlaceFleet{Seat::kFirst, fleet}, Id(i)),
                IsOk());
  }
  ConfirmBoth();
  for (int i = 0; i < 40; ++i) {
    // Rows 2 and 4 are water, and each shot brings two events.
    ASSERT_THAT(Fire(Turn(), rules::Square(i / 2 % 10, i < 20 ? 1 : 3), Id(1000 + i)), IsOk());
  }
  const auto watcher = Watch(kFirstAccount, 0);
  EXPECT_THAT(watcher->events(), SizeIs(kMaxResumedEvents));
  EXPECT_EQ(watcher->messages().back().reconnect().seq(), watcher->events().back().seq());
  EXPECT_TRUE(watcher->end().has_value());
}

TEST_F(LiveMatchTest, PlaysOnBesideAMatchWhoseLogIsDamaged) {
  const rules::RuleSet& rules = Match()->rules();
  const std::vector<rules::Event> shot_before_the_battle = {
      rules::ShotDue{Seat::kFirst, clock_.Now()}};
  ASSERT_THAT(
      AppendAlone(store_,
                  {.match_id = kTestMatchId,
                   .epoch = Match()->epoch(),
                   .row = {.seq = 2,
                           .event_time = clock_.Now(),
                           .body = wire::SerializeLogEntry(rules, {shot_before_the_battle})},
                   .deadline = clock_.Now()}),
      IsOk());
  Restart();
  EXPECT_THAT(process_->Find(), HasReason("MATCH_DAMAGED"));
}

TEST_F(LiveMatchTest, PlaysOnBesideAMatchWhoseKeyIsMissingUntilItIsBack) {
  const int64_t seq = Match()->ViewFor(kFirstAccount)->seq();
  process_.reset();
  process_ = std::make_unique<TestMatches>(store_, clock_, false, "test", testing::NewTestSealer());
  EXPECT_THAT(process_->Find(), HasReason("MATCH_DAMAGED"));
  EXPECT_THAT(std::string(process_->Find().status().message()),
              ::testing::HasSubstr(testing::TestSealer().key_id()));
  auto other = TestMatchCreated();
  std::promise<absl::Status> done;
  process_->matches().Create(Id(1), other,
                             [&](const absl::Status& status) { done.set_value(status); });
  EXPECT_THAT(done.get_future().get(), IsOk());
  EXPECT_THAT(process_->Find(Id(1)), IsOk());
  Restart();
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->seq(), seq);
}

// A match that was just begun, with this row after its first.
StoredMatch StoredWith(const LogRow& row) {
  const RecordedMatch match = *RecordedMatch::New(kTestMatchId, TestMatchCreated());
  base::SecureRandom random;
  return {.match_id = kTestMatchId,
          .created = TestMatchCreated().SerializeAsString(),
          .rows = {SealRow(kTestMatchId, match.game().rules(),
                           match.Start(absl::FromUnixSeconds(1'700'000'000)), testing::TestSealer(),
                           random),
                   row}};
}

LogRow RowOf(const std::vector<rules::Event>& events) {
  const RecordedMatch match = *RecordedMatch::New(kTestMatchId, TestMatchCreated());
  return {.seq = 2,
          .event_time = absl::FromUnixSeconds(1'700'000'001),
          .body = wire::SerializeLogEntry(match.game().rules(), {events})};
}

TEST(RecordedMatch, FindsDamageThatNoParserSees) {
  const rules::Fleet fleet =
      RowsFleet(RecordedMatch::New(kTestMatchId, TestMatchCreated())->game().rules());
  const rules::FleetConfirmed first = {Seat::kFirst, fleet};
  const rules::FleetConfirmed second = {Seat::kSecond, fleet};
  const LogRow good = RowOf({first});
  EXPECT_THAT(RecordedMatch::FromStored(StoredWith(good), testing::TestSealer()), IsOk());

  LogRow before_its_time = good;
  before_its_time.event_time -= absl::Seconds(2);
  LogRow after_all_time = good;
  after_all_time.event_time = absl::FromUnixSeconds(253'402'300'799);
  LogRow skipped = good;
  skipped.seq = 3;
  const LogRow damaged[] = {
      before_its_time,
      after_all_time,
      skipped,
      // Not the end of a command: both are ready, but the battle does not begin.
      RowOf({first, second}),
      RowOf({first, second, rules::BattleStarted{Seat::kFirst}}),
      // A clock that was never there has run out.
      RowOf(
          {first, second, rules::BattleStarted{Seat::kFirst}, rules::ClockRanOut{Seat::kFirst, 1}}),
  };
  for (const LogRow& row : damaged) {
    EXPECT_THAT(RecordedMatch::FromStored(StoredWith(row), testing::TestSealer()),
                HasReason("MATCH_DAMAGED"));
  }
  StoredMatch empty = StoredWith(good);
  empty.rows.clear();
  EXPECT_THAT(RecordedMatch::FromStored(empty, testing::TestSealer()), HasReason("MATCH_DAMAGED"));
}

// Answers its first read when it is told to, with what it found when it was asked.
class LateStore final : public FakeMatchStore {
 public:
  using FakeMatchStore::FakeMatchStore;

  absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> Load(
      absl::Span<const std::string> match_ids, LogPart part) override {
    auto found = FakeMatchStore::Load(match_ids, part);
    if (was_asked_.exchange(true)) return found;
    asked.set_value();
    answer.get_future().wait();
    return found;
  }

  std::promise<void> asked;
  std::promise<void> answer;

 private:
  std::atomic<bool> was_asked_ = false;
};

TEST(LiveMatches, CreateAMatchThatSomebodyLookedForBefore) {
  base::SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  LateStore store(clock);
  TestMatches process(store, clock);
  process.matches().Find(kTestMatchId, [](const auto&) {});
  store.asked.get_future().wait();
  std::promise<absl::Status> created;
  process.matches().Create(kTestMatchId, TestMatchCreated(),
                           [&](const absl::Status& status) { created.set_value(status); });
  // By then it is created, and looked for as well.
  ASSERT_TRUE(WaitFor([&] { return !process.told_lobby().empty(); }));
  store.answer.set_value();
  EXPECT_THAT(created.get_future().get(), IsOk());
}

// Two processes on one store.
class TwoOwnersTest : public LiveMatchTest {
 protected:
  // The other one takes everything, for the first is frozen: its clock stands still, and it does
  // not know.
  void TakeEverythingOver() {
    clock_.Advance(kLeaseDuration);
    other_ = std::make_unique<TestMatches>(store_, clock_, /*bots_pause=*/false, "other");
    ASSERT_TRUE(WaitFor([&] {
      other_->lease_clock().Advance(kLookInterval);
      return other_->ownership().size() == kPartitions;
    }));
  }

  std::unique_ptr<TestMatches> other_;
};

TEST_F(TwoOwnersTest, AMatchIsToBeHadFromItsOwnerOnly) {
  other_ = std::make_unique<TestMatches>(store_, clock_, /*bots_pause=*/false, "other");
  EXPECT_EQ(other_->ownership().size(), 0);
  EXPECT_THAT(other_->Find(), HasReason("NOT_OWNER"));
  EXPECT_THAT(other_->Create(TestMatchCreated()), HasReason("NOT_OWNER"));
  EXPECT_THAT(process_->Find(), IsOk());
}

TEST_F(TwoOwnersTest, AnOwnerThatIsNoneAndDoesNotKnowCommitsNothing) {
  ConfirmBoth();
  const auto watcher = Watch(kFirstAccount);
  const Seat turn = Turn();
  TakeEverythingOver();
  EXPECT_THAT(Fire(turn, Water(0), Id(1)), HasReason("MATCH_UNAVAILABLE"));
  ASSERT_TRUE(WaitFor([&] { return watcher->end().has_value(); }));
  EXPECT_TRUE(watcher->messages().back().has_reconnect());
  const auto recorded =
      RecordedMatch::FromStored(*LoadAlone(store_, kTestMatchId), testing::TestSealer());
  for (const Seat seat : rules::kSeats) {
    EXPECT_TRUE(recorded->game().sea(seat)->shots().empty());
  }
  EXPECT_THAT(other_->Send(turn, rules::FireShots{turn, {Water(0)}}, Id(1)), IsOk());
}

TEST_F(TwoOwnersTest, AnOwnerThatLearnsThatItIsNoneLetsGoOfItsMatches) {
  ConfirmBoth();
  const auto match = Match();
  const auto watcher = Watch(kFirstAccount);
  TakeEverythingOver();
  process_->lease_clock().Advance(kLookInterval);
  ASSERT_TRUE(WaitFor([&] { return process_->matches().size() == 0; }));
  ASSERT_TRUE(WaitFor([&] { return watcher->end().has_value(); }));
  EXPECT_TRUE(watcher->messages().back().has_reconnect());
  EXPECT_TRUE(match->lost());
  EXPECT_THAT(process_->Find(), HasReason("NOT_OWNER"));
  // Its alarms bring nothing back.
  clock_.Advance(3 * kReloadDelay);
  EXPECT_EQ(process_->matches().size(), 0u);
}

TEST_F(TwoOwnersTest, AnOwnerThatIsNotConfirmedAnswersNothing) {
  ConfirmBoth();
  const auto match = Match();
  const auto watcher = Watch(kFirstAccount);
  const Seat waiting = rules::Rival(Turn());
  store_.SetFate(FakeMatchStore::Fate::kAway);
  process_->lease_clock().Advance(kConfirmedDuration);
  EXPECT_THAT(process_->Find(), HasReason("NOT_OWNER"));
  // The end of the last command may have found it out already, and dropped the match.
  const auto unavailable = StatusIs(absl::StatusCode::kUnavailable);
  EXPECT_THAT(match->ViewFor(kFirstAccount).status(), unavailable);
  EXPECT_THAT(match->SeatOf(kFirstAccount).status(), unavailable);
  EXPECT_THAT(
      WatchAndWait(*match, kSecondAccount, std::nullopt, std::make_shared<RecordingWatcher>()),
      unavailable);
  // A refusal is an answer, too.
  std::atomic<bool> answered = false;
  match->Post({.command = rules::FireShots{waiting, {Water(0)}},
               .seat = waiting,
               .request_id = Id(1),
               .request_digest = "digest"},
              [&](const auto& events) {
                EXPECT_THAT(events, HasReason("MATCH_UNAVAILABLE"));
                answered = true;
              });
  ASSERT_TRUE(WaitFor([&] { return answered.load(); }));
  store_.SetFate(FakeMatchStore::Fate::kStored);
  ASSERT_TRUE(WaitFor([&] {
    process_->lease_clock().Advance(kLookInterval);
    return process_->Find().ok();
  }));
}

TEST_F(TwoOwnersTest, WhoTakesAPartitionGivesTheTimeBackThatReadingTook) {
  ConfirmBoth();
  const absl::Time deadline = Deadline();
  // It was alive two seconds before the other one takes it.
  process_->lease_clock().Advance(kLookInterval);
  ASSERT_TRUE(WaitFor([&] { return store_.ListLeases()->at(0).renew_time == clock_.Now(); }));
  process_.reset();
  clock_.Advance(absl::Seconds(2));
  store_.HoldLoads();
  process_ = std::make_unique<TestMatches>(store_, clock_);
  // With many others before it.
  clock_.Advance(absl::Seconds(15));
  store_.ReleaseLoads();
  EXPECT_TRUE(WaitFor([&] { return Deadline() == deadline + absl::Seconds(17); }));
}

TEST_F(TwoOwnersTest, WhoGivesTimeBackGoesByTheClocksThatAreInTheLog) {
  ConfirmBoth();
  const auto deadline = [&] { return other_->Find().value()->ViewFor(kFirstAccount)->deadline(); };
  // What a database tells as a number of seconds is no whole number of nanoseconds.
  clock_.Advance(absl::Nanoseconds(10) / 3);
  const v1::Match before = *Match()->ViewFor(kFirstAccount);
  TakeEverythingOver();
  ASSERT_TRUE(WaitFor([&] { return deadline().seconds() > before.deadline().seconds(); }));
  const auto read =
      RecordedMatch::FromStored(*LoadAlone(store_, kTestMatchId), testing::TestSealer());
  ASSERT_THAT(read.status(), IsOk());
  EXPECT_THAT(*store_.ListDue(PartitionOf(kTestMatchId), *read->game().NextDeadline()),
              ElementsAre(kTestMatchId));
}

TEST_F(TwoOwnersTest, WhoTakesAPartitionLetsItsClocksGoOn) {
  ConfirmBoth();
  const Seat turn = Turn();
  other_ = std::make_unique<TestMatches>(store_, clock_, /*bots_pause=*/false, "other");
  process_->ownership().Drain();
  EXPECT_THAT(process_->Find(), HasReason("NOT_OWNER"));
  ASSERT_TRUE(WaitFor([&] {
    other_->lease_clock().Advance(kLookInterval);
    return other_->matches().size() == 1;
  }));
  // Nobody asks for the match, and the clock of the first shot runs out.
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(absl::Seconds(1));
    const auto recorded =
        RecordedMatch::FromStored(*LoadAlone(store_, kTestMatchId), testing::TestSealer());
    return recorded->game().strikes(turn) > 0;
  }));
}

TEST_F(LiveMatchTest, GivesAWatcherTheWholeStateThenEveryEventWithoutAGap) {
  ConfirmBoth();
  const auto watcher = Watch(kSecondAccount);
  int request = 1;
  for (int column = 0; column < 6; ++column) {
    for (int shots = 0; shots < 2; ++shots) {
      ASSERT_THAT(Fire(Turn(), Water(column), Id(request++)), IsOk());
    }
  }
  const auto messages = watcher->messages();
  ASSERT_TRUE(messages[0].has_snapshot());
  int64_t seq = messages[0].snapshot().seq();
  for (const v1::MatchEvent& event : watcher->events()) EXPECT_EQ(event.seq(), ++seq);
  EXPECT_EQ(seq, Match()->ViewFor(kSecondAccount)->seq());
}

TEST_F(LiveMatchTest, ResumesAStreamAfterAnyNumberWithTheSameEventsAsBefore) {
  const auto whole = Watch(kFirstAccount, 0);
  ConfirmBoth();
  ASSERT_THAT(Fire(Turn(), Water(0), Id(1)), IsOk());
  Restart();
  const auto all = Watch(kFirstAccount, 0)->events();
  EXPECT_EQ(Serialized(all), Serialized(whole->events()));
  for (std::size_t after = 0; after <= all.size(); ++after) {
    // Streams of one player are limited: each comes from a process of its own.
    Restart();
    const std::vector<v1::MatchEvent> expected(all.begin() + static_cast<std::ptrdiff_t>(after),
                                               all.end());
    EXPECT_EQ(Serialized(Watch(kFirstAccount, static_cast<int64_t>(after))->events()),
              Serialized(expected));
  }
  EXPECT_THAT(WatchAndWait(*Match(), kFirstAccount, static_cast<int64_t>(all.size()) + 1,
                           std::make_shared<RecordingWatcher>()),
              HasReason("AFTER_SEQ_OUT_OF_RANGE"));
  EXPECT_THAT(WatchAndWait(*Match(), kFirstAccount, -1, std::make_shared<RecordingWatcher>()),
              HasReason("AFTER_SEQ_OUT_OF_RANGE"));
}

// What a match lets go of, and what of it came back from a snapshot alone.
class LongMatchTest : public LiveMatchTest {
 protected:
  static constexpr int kShots = 20;
  // The beginning and two fleets come first.
  static constexpr int64_t kRows = 3 + kShots;
  static constexpr int64_t kSnapshotSeq = kRows - kRows % kRowsPerSnapshot;

  // More than is held in memory, and than a snapshot waits for. All shots are water, so each is the
  // other's turn.
  void SetUp() override {
    LiveMatchTest::SetUp();
    first_ = Watch(kFirstAccount, 0);
    ConfirmBoth();
    for (int shot = 0; shot < kShots; ++shot) {
      shooters_.push_back(Turn());
      NAVAL_ASSERT_OK_AND_ASSIGN(answers_.emplace_back(),
                                 Fire(shooters_.back(), Water(shot / 2), Id(shot)));
    }
  }

  // The writer of snapshots gathers for a moment of a clock that stands still.
  bool WaitForSnapshot(int64_t seq) {
    return WaitFor([&] {
      process_->lease_clock().Advance(absl::Milliseconds(10));
      const auto stored = LoadAlone(store_, kTestMatchId, LogPart::kSinceSnapshot);
      return stored->snapshot.has_value() && stored->snapshot->seq == seq;
    });
  }

  void ExpectTheWholeStory() {
    const std::vector<v1::MatchEvent> all = first_->events();
    for (const std::size_t after : {std::size_t{0}, std::size_t{5}, all.size() - 1, all.size()}) {
      const auto watcher = Watch(kFirstAccount, static_cast<int64_t>(after));
      EXPECT_EQ(Serialized(watcher->events()),
                Serialized({all.begin() + static_cast<std::ptrdiff_t>(after), all.end()}));
      Match()->Unwatch(watcher.get());
    }
    for (int shot = 0; shot < kShots; ++shot) {
      const auto shooter = shooters_[static_cast<std::size_t>(shot)];
      NAVAL_ASSERT_OK_AND_ASSIGN(const auto again, Fire(shooter, Water(shot / 2), Id(shot)));
      EXPECT_EQ(Serialized(again), Serialized(answers_[static_cast<std::size_t>(shot)]));
      EXPECT_THAT(process_->Send(shooter, rules::Resign{shooter}, Id(shot), "another"),
                  HasReason("REQUEST_ID_REUSED"));
    }
  }

  std::shared_ptr<RecordingWatcher> first_;
  std::vector<Seat> shooters_;
  std::vector<std::vector<v1::MatchEvent>> answers_;
};

TEST_F(LongMatchTest, TellsAndAnswersWhatItLetGoOf) { ExpectTheWholeStory(); }

TEST_F(LongMatchTest, GoesOnFromItsSnapshotAsIfFromTheWholeLog) {
  ASSERT_TRUE(WaitForSnapshot(kSnapshotSeq));
  const std::string before = Match()->ViewFor(kFirstAccount)->DebugString();
  Restart();
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->DebugString(), before);
  EXPECT_EQ(process_->unreadable_snapshots(), 0);
  ExpectTheWholeStory();
  EXPECT_THAT(Fire(Turn(), rules::Square(0, 3), Id(kShots)), IsOk());
}

TEST_F(LongMatchTest, PassesOverASnapshotThatCannotBeRead) {
  ASSERT_TRUE(WaitForSnapshot(kSnapshotSeq));
  const Snapshot damaged[] = {{kTestMatchId, kSnapshotSeq + 1, "not sealed at all"}};
  ASSERT_THAT(store_.KeepSnapshots(damaged), IsOk());
  const std::string before = Match()->ViewFor(kFirstAccount)->DebugString();
  Restart();
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->DebugString(), before);
  EXPECT_EQ(process_->unreadable_snapshots(), 1);
  ExpectTheWholeStory();
}

TEST_F(LongMatchTest, KeepsNoSnapshotOfAMatchThatIsOver) {
  ASSERT_TRUE(WaitForSnapshot(kSnapshotSeq));
  const Seat seat = Turn();
  ASSERT_THAT(process_->Send(seat, rules::Resign{seat}, Id(kShots)), IsOk());
  EXPECT_TRUE(WaitFor([&] {
    process_->lease_clock().Advance(absl::Milliseconds(10));
    return !LoadAlone(store_, kTestMatchId, LogPart::kSinceSnapshot)->snapshot.has_value();
  }));
}

TEST_F(LongMatchTest, SaysThatTheWholeMatchCannotBeReadWhileTheStoreIsAway) {
  store_.SetFate(FakeMatchStore::Fate::kAway);
  EXPECT_THAT(WatchAndWait(*Match(), kFirstAccount, 0, std::make_shared<RecordingWatcher>()),
              HasReason("DATABASE_UNAVAILABLE"));
  EXPECT_THAT(Fire(shooters_[0], Water(0), Id(0)), HasReason("DATABASE_UNAVAILABLE"));
  // What it has at hand it tells all the same.
  EXPECT_THAT(WatchAndWait(*Match(), kFirstAccount, static_cast<int64_t>(first_->events().size()),
                           std::make_shared<RecordingWatcher>()),
              IsOk());
}

TEST_F(LiveMatchTest, LimitsTheStreamsOfAPlayer) {
  std::vector<std::shared_ptr<RecordingWatcher>> open;
  for (int i = 0; i < kMaxStreamsPerAccount; ++i) open.push_back(Watch(kFirstAccount));
  EXPECT_THAT(
      WatchAndWait(*Match(), kFirstAccount, std::nullopt, std::make_shared<RecordingWatcher>()),
      HasReason("TOO_MANY_STREAMS"));
  Match()->Unwatch(open[0].get());
  EXPECT_THAT(
      WatchAndWait(*Match(), kFirstAccount, std::nullopt, std::make_shared<RecordingWatcher>()),
      IsOk());
}

// rule: M-13
TEST_F(LiveMatchTest, GoesOnForAPlayerWhoLosesTheConnectionInTheMiddleOfTheBattle) {
  ConfirmBoth();
  const auto lost = Watch(kFirstAccount);
  const int64_t seen = lost->messages().front().snapshot().seq();
  Match()->Unwatch(lost.get());
  EXPECT_EQ(Match()->ViewFor(kSecondAccount)->phase(), v1::PHASE_BATTLE);
  ASSERT_THAT(Fire(Turn(), Water(0), Id(1)), IsOk());
  const auto back = Watch(kFirstAccount, seen);
  ASSERT_FALSE(back->events().empty());
  EXPECT_TRUE(back->events().front().has_shot_fired());
}

TEST_F(LiveMatchTest, IsNotThereForAStranger) {
  EXPECT_THAT(Match()->ViewFor(kStranger), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(Match()->SeatOf(kStranger), HasReason("MATCH_NOT_FOUND"));
  EXPECT_THAT(WatchAndWait(*Match(), kStranger, std::nullopt, std::make_shared<RecordingWatcher>()),
              HasReason("MATCH_NOT_FOUND"));
}

TEST_F(LiveMatchTest, BeatsForEveryWatcherAndTellsWhoIsAwayWithinFifteenSeconds) {
  const auto watcher = Watch(kFirstAccount);
  clock_.Advance(kHeartbeatInterval);
  ASSERT_TRUE(WaitFor([&] { return watcher->messages().size() >= 3; }));
  EXPECT_TRUE(watcher->messages()[1].has_heartbeat());
  EXPECT_EQ(watcher->messages()[2].presence_changed().presence(), v1::PRESENCE_AWAY);
  EXPECT_EQ(Match()->ViewFor(kFirstAccount)->sides(1).presence(), v1::PRESENCE_AWAY);
  EXPECT_LE(kAwayDelay + kHeartbeatInterval, absl::Seconds(15));
}

TEST_F(LiveMatchTest, DecidesManyCommandsAtOnceOneAfterTheOther) {
  ConfirmBoth();
  constexpr int kTries = 24;
  std::atomic<int> accepted = 0;
  std::atomic<int> answered = 0;
  const Seat turn = Turn();
  std::vector<std::thread> senders;
  for (int i = 0; i < kTries; ++i) {
    senders.emplace_back([&, i] {
      Match()->Post({.command = rules::FireShots{turn, {Water(i % 10)}},
                     .seat = turn,
                     .request_id = Id(i),
                     .request_digest = "digest"},
                    [&](const auto& events) {
                      if (events.ok()) ++accepted;
                      ++answered;
                    });
    });
  }
  for (std::thread& sender : senders) sender.join();
  ASSERT_TRUE(WaitFor([&] { return answered == kTries; }));
  // All aim at water, so the first one passes the turn.
  EXPECT_EQ(accepted, 1);
}

TEST_F(LiveMatchTest, EndsStreamsAfterTheEventThatEndsTheMatch) {
  const auto watcher = Watch(kSecondAccount);
  ASSERT_THAT(process_->Send(Seat::kFirst, rules::Resign{Seat::kFirst}, Id(1)), IsOk());
  ASSERT_TRUE(WaitFor([&] { return watcher->end().has_value(); }));
  EXPECT_THAT(*watcher->end(), IsOk());
  EXPECT_EQ(watcher->events().back().match_ended().result().winner(), v1::SEAT_SECOND);
  // A stream opened afterwards still gets all of it.
  EXPECT_EQ(Watch(kSecondAccount, 0)->events().back().match_ended().result().winner(),
            v1::SEAT_SECOND);
}

TEST_F(LiveMatchTest, LeavesMemoryAMinuteAfterTheEndAndIsReadAgainWhenAskedFor) {
  ASSERT_THAT(process_->Send(Seat::kFirst, rules::Resign{Seat::kFirst}, Id(1)), IsOk());
  std::weak_ptr<LiveMatch> in_memory = Match();
  ASSERT_TRUE(WaitFor([&] {
    clock_.Advance(kLingerDuration);
    return in_memory.expired();
  }));
  EXPECT_EQ(Match()->ViewFor(kSecondAccount)->phase(), v1::PHASE_OVER);
}

TEST(LiveMatchOverDays, WaitsInTheStoreAndIsBackInMemoryBeforeItIsDue) {
  const absl::Time start = absl::FromUnixSeconds(1'700'000'000);
  base::SimulatedClock clock(start);
  FakeMatchStore store(clock);
  TestMatches process(store, clock);
  auto created = TestMatchCreated();
  created.mutable_rules()->set_rule_set("selminha");
  ASSERT_THAT(process.Create(created), IsOk());
  ASSERT_TRUE(WaitFor([&] {
    clock.Advance(kLingerDuration);
    return process.matches().size() == 0;
  }));
  EXPECT_EQ((*process.Find())->ViewFor(kFirstAccount)->phase(), v1::PHASE_PLACEMENT);
  ASSERT_TRUE(WaitFor([&] {
    clock.Advance(kLingerDuration);
    return process.matches().size() == 0;
  }));
  // Nobody asks for it any more: it ends by its idle clock, which nothing but a sweep can see.
  const absl::Time due = start + absl::Hours(7 * 24);
  clock.Advance(due - kDueSoonDuration - clock.Now());
  ASSERT_TRUE(WaitFor([&] { return process.matches().size() == 1; }));
  EXPECT_LT(clock.Now(), due);
  clock.Advance(due - clock.Now());
  const auto live = *process.Find();
  ASSERT_TRUE(WaitFor([&] { return live->result().has_value(); }));
  const auto match = live->ViewFor(kFirstAccount);
  EXPECT_EQ(match->result().reason(), v1::END_REASON_IDLE);
  EXPECT_EQ(match->result().winner(), v1::SEAT_UNSPECIFIED);
}

// A match over days whose first shot is awaited, over a store and a clock that outlive processes.
class LiveMatchOverDaysTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Start();
    auto created = TestMatchCreated();
    created.mutable_rules()->set_rule_set("selminha");
    ASSERT_THAT(process_->Create(created), IsOk());
    for (const Seat seat : rules::kSeats) {
      const rules::Fleet fleet = RowsFleet((*process_->Find())->rules());
      ASSERT_THAT(
          process_->Send(seat, rules::ConfirmFleet{seat, fleet}, Id(900 + rules::SeatIndex(seat))),
          IsOk());
    }
    const auto game = Recorded();
    turn_ = *game.turn();
    deadline_ = *game.deadline();
  }

  void Start() { process_ = std::make_unique<TestMatches>(store_, clock_); }

  // From now on nobody owns the match.
  void GiveBack() {
    process_->ownership().Drain();
    EXPECT_TRUE(WaitFor([&] { return store_.ListLeases()->at(0).owner.empty(); }));
  }

  rules::Game Recorded() {
    return RecordedMatch::FromStored(*LoadAlone(store_, kTestMatchId), testing::TestSealer())
        ->game();
  }

  auto Claim(const std::string& request_id) {
    const Seat rival = rules::Rival(turn_);
    return process_->Send(rival, rules::ClaimAbsence{rival}, request_id);
  }

  base::SimulatedClock clock_{absl::FromUnixSeconds(1'700'000'000)};
  FakeMatchStore store_{clock_};
  std::unique_ptr<TestMatches> process_;
  Seat turn_ = Seat::kFirst;
  absl::Time deadline_;
};

TEST_F(LiveMatchOverDaysTest, TellsTheLobbyWhoseMoveIsAwaitedUntilWhen) {
  const absl::Time begin = clock_.Now();
  const auto text = [&](const lobby::v1::RecordMatchChangeRequest& change) {
    std::string seats;
    for (const int seat : change.awaited_seats()) absl::StrAppend(&seats, v1::Seat_Name(seat), " ");
    if (!change.has_deadline()) return seats;
    const absl::Time deadline = *wire::FromProto(change.deadline(), "deadline");
    return absl::StrCat(seats, absl::FormatDuration(deadline - begin));
  };
  // What is told of this version of the match.
  const auto told = [&](int64_t version) {
    std::map<int64_t, std::string> changes;
    EXPECT_TRUE(WaitFor([&] {
      for (const auto& change : process_->told_lobby()) changes[change.version()] = text(change);
      return changes.contains(version);
    }));
    return changes[version];
  };
  const std::string first = v1::Seat_Name(wire::ToProto(turn_));
  const std::string second = v1::Seat_Name(wire::ToProto(rules::Rival(turn_)));
  EXPECT_EQ(told(1), "SEAT_FIRST SEAT_SECOND 48h");
  EXPECT_EQ(told(2), "SEAT_SECOND 48h");
  EXPECT_EQ(told(3), first + " 48h");
  clock_.Advance(absl::Hours(1));
  ASSERT_THAT(process_->Send(turn_, rules::FireShots{turn_, {rules::Square(0, 1)}}, Id(1)), IsOk());
  EXPECT_EQ(told(4), second + " 49h");
  ASSERT_THAT(process_->Send(turn_, rules::Resign{turn_}, Id(2)), IsOk());
  EXPECT_EQ(told(5), "");
}

TEST_F(LiveMatchOverDaysTest, ChargesNobodyForTheTimeWithoutAnOwner) {
  const absl::Duration outage = absl::Minutes(60);
  clock_.AdvanceTo(deadline_ - absl::Minutes(70));
  GiveBack();
  process_.reset();
  clock_.Advance(outage);
  Start();
  // It is read long after the outage only.
  clock_.AdvanceTo(deadline_ + absl::Seconds(1));
  EXPECT_THAT(Claim(Id(1)), HasReason("RIVAL_NOT_ABSENT"));
  EXPECT_EQ(Recorded().deadline(), deadline_ + outage);
  clock_.AdvanceTo(deadline_ + outage + absl::Seconds(1));
  EXPECT_THAT(Claim(Id(2)), IsOk());
}

TEST_F(LiveMatchOverDaysTest, MovesNoClockWhenItIsOnlyRead) {
  clock_.AdvanceTo(deadline_ - rules::kLeastTimeAfterOutage / 2);
  const size_t rows = LoadAlone(store_, kTestMatchId)->rows.size();
  // Another process, which was handed the partition over at once.
  GiveBack();
  Start();
  EXPECT_THAT((*process_->Find())->ViewFor(kFirstAccount), IsOk());
  clock_.AdvanceTo(deadline_ + absl::Seconds(1));
  EXPECT_THAT(Claim(Id(1)), IsOk());
  EXPECT_EQ(LoadAlone(store_, kTestMatchId)->rows.size(), rows + 1);
}

TEST(LiveMatchAgainstABot, PlaysToTheEnd) {
  base::SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  FakeMatchStore store(clock);
  TestMatches process(store, clock);
  ASSERT_THAT(process.Create(TestMatchCreated(/*against_bot=*/true)), IsOk());
  const auto match = *process.Find();
  ASSERT_TRUE(WaitFor([&] { return match->ViewFor(kFirstAccount)->sides(1).fleet_confirmed(); }));
  ASSERT_THAT(process.Send(Seat::kFirst,
                           rules::ConfirmFleet{Seat::kFirst, RowsFleet(match->rules())}, Id(1000)),
              IsOk());
  int request = 0;
  for (int square = 0; square < 100 && !match->result().has_value(); ++square) {
    const rules::Square target = rules::Square(square % 10, square / 10);
    ASSERT_TRUE(WaitFor([&] {
      return match->result().has_value() || match->ViewFor(kFirstAccount)->turn() == v1::SEAT_FIRST;
    }));
    const auto fired =
        process.Send(Seat::kFirst, rules::FireShots{Seat::kFirst, {target}}, Id(request++));
    if (!fired.ok() && !match->result().has_value()) {
      EXPECT_THAT(fired, HasReason("CELL_ALREADY_KNOWN"));
    }
  }
  EXPECT_TRUE(match->result().has_value());
}

absl::Time TimeOf(const v1::MatchEvent& event) {
  return *wire::FromProto(event.event_time(), "event_time");
}

TEST(LiveMatchAgainstABot, TakesTheTimeOfAPersonWhereBotsPause) {
  base::SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  FakeMatchStore store(clock);
  TestMatches process(store, clock, /*bots_pause=*/true);
  ASSERT_THAT(process.Create(TestMatchCreated(/*against_bot=*/true)), IsOk());
  const auto match = *process.Find();
  const auto watcher = std::make_shared<RecordingWatcher>();
  ASSERT_THAT(WatchAndWait(*match, kFirstAccount, 0, watcher), IsOk());
  ASSERT_THAT(process.Send(Seat::kFirst,
                           rules::ConfirmFleet{Seat::kFirst, RowsFleet(match->rules())}, Id(1000)),
              IsOk());
  // The human shoots at water whenever it may, and time goes on by itself.
  int request = 0;
  ASSERT_TRUE(WaitFor([&] {
    clock.Advance(absl::Milliseconds(100));
    const rules::Square target = rules::Square(request % 10, 1 + 2 * (request / 10 % 4));
    const auto fired =
        process.Send(Seat::kFirst, rules::FireShots{Seat::kFirst, {target}}, Id(request));
    // Squares around a ship that sank are known.
    if (fired.ok() || base::ReasonOf(fired.status()) == "CELL_ALREADY_KNOWN") ++request;
    return match->ViewFor(kFirstAccount)->sides(0).shots_size() >= 10;
  }));
  const std::vector<v1::MatchEvent> events = watcher->events();
  int bot_shots = 0;
  for (std::size_t i = 1; i < events.size(); ++i) {
    const absl::Duration pause = TimeOf(events[i]) - TimeOf(events[i - 1]);
    if (events[i].has_fleet_confirmed() && events[i].fleet_confirmed().seat() == v1::SEAT_SECOND) {
      EXPECT_GE(TimeOf(events[i]) - TimeOf(events[0]), absl::Seconds(2));
    }
    if (!events[i].has_shot_fired() || events[i].shot_fired().seat() != v1::SEAT_SECOND) continue;
    // Time goes on without regard to a slow machine.
    if (events[i].shot_fired().by_clock()) continue;
    ++bot_shots;
    EXPECT_GE(pause, absl::Milliseconds(500));
  }
  EXPECT_GT(bot_shots, 0);
}

TEST(LiveMatchAgainstABot, MovesAfterARestartInTheMiddleOfItsTurn) {
  base::SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  FakeMatchStore store(clock);
  auto process = std::make_unique<TestMatches>(store, clock);
  ASSERT_THAT(process->Create(TestMatchCreated(/*against_bot=*/true)), IsOk());
  const auto match = *process->Find();
  ASSERT_TRUE(WaitFor([&] { return match->ViewFor(kFirstAccount)->sides(1).fleet_confirmed(); }));
  const rules::Fleet fleet = RowsFleet(match->rules());
  process.reset();
  // The last that the process stored: the human is ready and the bot is to begin.
  const std::vector<rules::Event> events = {
      rules::FleetConfirmed{Seat::kFirst, fleet}, rules::BattleStarted{Seat::kSecond},
      rules::ShotDue{Seat::kSecond, clock.Now() + absl::Seconds(25)}};
  ASSERT_THAT(
      AppendAlone(store, {.match_id = kTestMatchId,
                          .epoch = match->epoch(),
                          .row = {.seq = 3,
                                  .event_time = clock.Now(),
                                  .body = wire::SerializeLogEntry(match->rules(), {events})},
                          .deadline = clock.Now() + absl::Seconds(25)}),
      IsOk());
  process = std::make_unique<TestMatches>(store, clock);
  ASSERT_TRUE(WaitFor(
      [&] { return (*process->Find())->ViewFor(kFirstAccount)->sides(0).shots_size() > 0; }));
}

// rule: A-08
TEST(LiveMatchAgainstABot, LeavesMemoryWithoutAClockAndGoesOnWhenAskedFor) {
  base::SimulatedClock clock(absl::FromUnixSeconds(1'700'000'000));
  FakeMatchStore store(clock);
  TestMatches process(store, clock);
  auto created = TestMatchCreated(/*against_bot=*/true);
  created.mutable_rules()->set_untimed(true);
  ASSERT_THAT(process.Create(created), IsOk());
  std::weak_ptr<LiveMatch> in_memory = *process.Find();
  ASSERT_TRUE(WaitFor([&] {
    clock.Advance(kLingerDuration);
    return in_memory.expired();
  }));
  EXPECT_THAT(*store.ListDue(PartitionOf(kTestMatchId), absl::InfiniteFuture()), IsEmpty());
  EXPECT_EQ((*process.Find())->ViewFor(kFirstAccount)->phase(), v1::PHASE_PLACEMENT);
}

}  // namespace
}  // namespace naval::match
