#include "lib/rules/game.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "lib/rules/volley.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr absl::Duration kTick = absl::Nanoseconds(1);

Square At(absl::string_view name) { return Square::Parse(name).value(); }

FireShots Fire(Seat seat, absl::string_view name) { return {seat, {At(name)}}; }

// A battle that the first seat begins, both with the same fleet.
TestMatch Battle(RuleSet rules = Tablu()) {
  TestMatch match({std::move(rules), Seat::kFirst});
  match.ConfirmBoth(RowsFleet(), RowsFleet());
  return match;
}

// The same by any rules, with a fleet drawn at random.
TestMatch BattleOf(const RuleSet& rules) {
  base::SeededRandom random(1);
  const Fleet fleet = CompleteFleet(rules, {}, random).value();
  TestMatch match({rules, Seat::kFirst});
  match.ConfirmBoth(fleet, fleet);
  return match;
}

TEST(Game, StartsThePlacementClock) {
  const Game game({Tablu(), {}});
  EXPECT_THAT(game.Start(absl::UnixEpoch()),
              ElementsAre(Event(PlacementStarted{absl::UnixEpoch() + absl::Seconds(90)})));
  EXPECT_EQ(game.phase(), Phase::kCreated);
}

// rule: T-08
TEST(Game, DrawsTheStarterEvenly) {
  int first = 0;
  constexpr int kMatches = 1000;
  for (int seed = 0; seed < kMatches; ++seed) {
    TestMatch match({Tablu(), {}}, static_cast<std::uint64_t>(seed));
    match.ConfirmBoth(RowsFleet(), RowsFleet());
    if (match.game().starter() == Seat::kFirst) ++first;
  }
  EXPECT_NEAR(first, kMatches / 2.0, 4 * 16);
}

// The draw must not tell how many proposals a player asked for.
// rule: T-08, T-23
TEST(Game, DrawsTheStarterWithoutRegardToWhatWasDrawnInSecret) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TestMatch quiet({Tablu(), {}}, seed, /*secret_seed=*/1);
    TestMatch busy({Tablu(), {}}, seed, /*secret_seed=*/2);
    for (int i = 0; i < static_cast<int>(seed); ++i) {
      ASSERT_THAT(busy.Do(ProposeFleet{Seat::kSecond, {}}), IsOk());
    }
    quiet.Wait(absl::Seconds(90));
    busy.Wait(absl::Seconds(90));
    EXPECT_EQ(quiet.game().starter(), busy.game().starter()) << "seed " << seed;
  }
}

// rule: A-05
TEST(Game, AShotStampedAtTheEndOfItsClockCounts) {
  TestMatch match = Battle();
  match.Pass(absl::Seconds(25));
  EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J10")), IsOk());
  EXPECT_THAT(match.Wait(absl::ZeroDuration()), IsEmpty()) << "the shot came first";
}

// rule: A-05
TEST(Game, AShotStampedAfterTheEndOfItsClockIsRefusedBeforeTheTickAndJudgedAnewAfterIt) {
  int hits_by_clock = 0;
  constexpr int kMatches = 50;
  for (std::uint64_t seed = 0; seed < kMatches; ++seed) {
    TestMatch match({Tablu(), Seat::kFirst}, seed);
    match.ConfirmBoth(RowsFleet(), RowsFleet());
    match.Pass(absl::Seconds(25) + kTick);
    EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J10")), HasReason("CLOCK_ENDED"));
    EXPECT_EQ(match.game().strikes(Seat::kFirst), 0);
    ASSERT_THAT(match.Wait(absl::ZeroDuration()), ::testing::SizeIs(3)) << "seed " << seed;
    EXPECT_EQ(match.game().strikes(Seat::kFirst), 1);
    // The clock's own shot was a hit, and the same seat has a new clock; or it was the whole turn.
    if (match.game().turn() == Seat::kFirst) {
      ++hits_by_clock;
      EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J10")), IsOk()) << "seed " << seed;
    } else {
      EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J10")), HasReason("NOT_YOUR_TURN"));
    }
  }
  EXPECT_GT(hits_by_clock, 0);
  EXPECT_LT(hits_by_clock, kMatches);
}

// rule: A-05
TEST(Game, ACommandOfThePlacementStampedAfterItsEndIsRefused) {
  TestMatch match({Tablu(), {}});
  match.Pass(absl::Seconds(90));
  EXPECT_THAT(match.Do(PlaceFleet{Seat::kFirst, {}}), IsOk());
  match.Pass(kTick);
  EXPECT_THAT(match.Do(PlaceFleet{Seat::kFirst, {}}), HasReason("CLOCK_ENDED"));
  EXPECT_THAT(match.Do(ProposeFleet{Seat::kFirst, {}}), HasReason("CLOCK_ENDED"));
  EXPECT_THAT(match.Do(ConfirmFleet{Seat::kFirst, RowsFleet()}), HasReason("CLOCK_ENDED"));
}

// rule
TEST(Game, ResigningIsNeverTooLateForTheClock) {
  TestMatch match = Battle();
  match.Pass(absl::Seconds(26));
  EXPECT_THAT(match.Do(Resign{Seat::kFirst}), IsOk());
  EXPECT_EQ(match.game().result(), (MatchEnded{Seat::kSecond, EndReason::kResigned}));
}

TEST(Game, ATickBeforeTheEndOfTheClockDoesNothing) {
  TestMatch match({Tablu(), Seat::kFirst});
  EXPECT_THAT(match.Wait(absl::Seconds(90) - kTick), IsEmpty());
  match.ConfirmBoth(RowsFleet(), RowsFleet());
  EXPECT_THAT(match.Wait(absl::Seconds(25) - kTick), IsEmpty());
  EXPECT_THAT(match.Wait(kTick), ::testing::SizeIs(3));
}

// rule: A-08
TEST(Game, WithoutAClockNothingEverRunsOut) {
  TestMatch match({Chosen({.rule_set = "tablu", .untimed = true}), Seat::kFirst});
  EXPECT_EQ(match.game().NextDeadline(), std::nullopt);
  EXPECT_THAT(match.Wait(absl::Hours(1000)), IsEmpty());
  match.ConfirmBoth(RowsFleet(), RowsFleet());
  EXPECT_EQ(match.game().NextDeadline(), std::nullopt);
  EXPECT_THAT(match.Wait(absl::Hours(1000)), IsEmpty());
  EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J10")), IsOk());
  EXPECT_THAT(match.Do(Resume{}).value(), IsEmpty());
}

TEST(Game, ResumingGivesBackTheTimeThatIsKnownToBeLostButNotMoreThanAWholeClock) {
  TestMatch match = Battle();
  match.Pass(absl::Seconds(12));
  const absl::Time deadline = *match.game().NextDeadline();
  EXPECT_THAT(match.Do(Resume{.lost = absl::Seconds(5)}).value(),
              ElementsAre(Event(ClockAdjusted{deadline + absl::Seconds(5)})));
  EXPECT_THAT(match.Do(Resume{.lost = absl::Hours(1)}).value(),
              ElementsAre(Event(ClockAdjusted{match.now() + absl::Seconds(25)})));
  EXPECT_THAT(match.Do(Resume{.lost = absl::Hours(1)}).value(), IsEmpty());
}

TEST(Game, ResumingGivesAClockThatIsNearlyOverTenSeconds) {
  TestMatch match = Battle();
  match.Pass(absl::Seconds(15));
  EXPECT_THAT(match.Do(Resume{}).value(), IsEmpty()) << "ten seconds are left";
  match.Pass(kTick);
  const absl::Time deadline = match.now() + absl::Seconds(10);
  EXPECT_THAT(match.Do(Resume{}).value(), ElementsAre(Event(ClockAdjusted{deadline})));
  EXPECT_EQ(match.game().NextDeadline(), deadline);
  match.Pass(absl::Hours(5));
  EXPECT_THAT(match.Do(Resume{}).value(),
              ElementsAre(Event(ClockAdjusted{match.now() + absl::Seconds(10)})));
  EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J10")), IsOk());
  EXPECT_EQ(match.game().strikes(Seat::kFirst), 0);
}

// rule: M-14, M-15
TEST(Game, ResumingGivesAnAbsentPlayerTheTimeOfTheOutageButNoOther) {
  TestMatch match = BattleOf(Chosen({.rule_set = "selminha"}));
  const absl::Time due = match.game().deadline().value();
  const absl::Time idle = match.game().idle_deadline().value();
  match.Pass(absl::Hours(49));
  EXPECT_THAT(match.Do(Resume{.lost = absl::Minutes(5)}).value(),
              ElementsAre(Event(IdleClockSet{idle + absl::Minutes(5)})))
      << "the player was late before the outage";
  EXPECT_THAT(match.Do(Resume{.lost = absl::Hours(2)}).value(),
              ElementsAre(Event(ClockAdjusted{due + absl::Hours(2)}),
                          Event(IdleClockSet{idle + absl::Minutes(5) + absl::Hours(2)})));
  EXPECT_THAT(match.Do(ClaimAbsence{Seat::kSecond}), HasReason("RIVAL_NOT_ABSENT"));
}

TEST(Game, ResumingServesThePlacementClockToo) {
  TestMatch match({Tablu(), {}});
  match.Pass(absl::Hours(5));
  EXPECT_THAT(match.Do(Resume{}).value(), ::testing::SizeIs(1));
  EXPECT_THAT(match.Do(ConfirmFleet{Seat::kFirst, RowsFleet()}), IsOk());
}

TEST(Game, RefusesAShipThatTheFleetDoesNotHave) {
  TestMatch match({Tablu(), {}});
  for (const int ship : {-1, 5, 1 << 30}) {
    const Fleet fleet = {{ship, At("A1"), Orientation::kHorizontal}};
    EXPECT_THAT(match.Do(PlaceFleet{Seat::kFirst, fleet}), HasReason("UNKNOWN_SHIP"));
    EXPECT_THAT(match.Do(ProposeFleet{Seat::kFirst, fleet}), HasReason("UNKNOWN_SHIP"));
    EXPECT_THAT(match.Do(ConfirmFleet{Seat::kFirst, fleet}), HasReason("UNKNOWN_SHIP"));
  }
}

TEST(Game, RefusesASquareOutsideASmallerBoard) {
  RuleSet rules = Tablu();
  rules.board_size = 9;
  TestMatch match = Battle(rules);
  EXPECT_THAT(match.Do(Fire(Seat::kFirst, "J1")), HasReason("INVALID_SQUARE"));
  EXPECT_THAT(match.Do(Fire(Seat::kFirst, "A10")), HasReason("INVALID_SQUARE"));
}

TEST(Game, RefusesAnyNumberOfShotsButOne) {
  TestMatch match = Battle();
  EXPECT_THAT(match.Do(FireShots{Seat::kFirst, {}}), HasReason("WRONG_NUMBER_OF_SHOTS"));
  EXPECT_THAT(match.Do(FireShots{Seat::kFirst, {At("A1"), At("A2")}}),
              HasReason("WRONG_NUMBER_OF_SHOTS"));
}

// A shot of the first seat at A1 in a battle whose clock runs.
ShotFired HitA1(const Game& battle) {
  return {Seat::kFirst, At("A1"), battle.sea(Seat::kSecond)->Probe(At("A1")), false};
}

TEST(Game, AcceptsNoEventThatNoCommandWouldCause) {
  TestMatch match = Battle();
  const Game& battle = match.game();
  const ShotDue due = {Seat::kFirst, match.now() + absl::Seconds(25)};
  EXPECT_FALSE(battle.Accepts(due)) << "a shot is due already";
  EXPECT_TRUE(battle.Accepts(ClockRanOut{Seat::kFirst, 1}));
  EXPECT_FALSE(battle.Accepts(ClockRanOut{Seat::kFirst, 2})) << "there was no first strike";
  EXPECT_FALSE(battle.Accepts(ClockRanOut{Seat::kSecond, 1})) << "not its clock";

  Game late = battle;
  EXPECT_TRUE(late.Accepts(ClockAdjusted{match.now()}));
  late.Apply(ClockRanOut{Seat::kFirst, 1});
  EXPECT_FALSE(late.Accepts(ClockAdjusted{match.now()})) << "the clock has ended";

  Game shot = battle;
  shot.Apply(HitA1(battle));
  EXPECT_TRUE(shot.Accepts(due));
  EXPECT_FALSE(shot.Accepts(ShotDue{Seat::kSecond, due.deadline})) << "a hit shoots again";
  EXPECT_FALSE(shot.Accepts(ClockRanOut{Seat::kFirst, 1})) << "no shot is due";

  Game destroyed = battle;
  for (const ShipPlacement& ship : RowsFleet()) {
    const std::vector<Square> squares = *ShipSquares(Tablu(), ship);
    for (const Square square : squares) {
      if (!destroyed.turn().has_value()) destroyed.Apply(due);
      destroyed.Apply(
          ShotFired{Seat::kFirst, square, destroyed.sea(Seat::kSecond)->Probe(square), false});
    }
  }
  EXPECT_FALSE(destroyed.Accepts(due)) << "there is nothing left to shoot at";
  EXPECT_TRUE(destroyed.Accepts(MatchEnded{Seat::kFirst, EndReason::kFleetDestroyed}));
}

TEST(Game, AcceptsNoStarterButTheOneThatWasFixed) {
  Game placing({Tablu(), Seat::kSecond});
  placing.Apply(PlacementStarted{absl::UnixEpoch()});
  placing.Apply(FleetConfirmed{Seat::kSecond, RowsFleet()});
  EXPECT_TRUE(placing.Accepts(ClockAdjusted{absl::UnixEpoch()}));
  placing.Apply(FleetConfirmed{Seat::kFirst, RowsFleet()});
  EXPECT_FALSE(placing.Accepts(ClockAdjusted{absl::UnixEpoch()})) << "nobody is awaited";
  EXPECT_FALSE(placing.Accepts(BattleStarted{Seat::kFirst}));
  placing.Apply(BattleStarted{Seat::kSecond});
  EXPECT_FALSE(placing.Accepts(ShotDue{Seat::kFirst, absl::UnixEpoch()}));
  EXPECT_TRUE(placing.Accepts(ShotDue{Seat::kSecond, absl::UnixEpoch()}));
}

// rule: A-04
TEST(Game, AcceptsNoEndThatNothingLedTo) {
  const Game battle = Battle().game();
  Game late = battle;
  late.Apply(ClockRanOut{Seat::kFirst, 1});
  RuleSet strict = Tablu();
  strict.clock_end = ClockEnd::kLoses;
  Game skipped = Battle(strict).game();
  EXPECT_FALSE(skipped.Accepts(MatchEnded{Seat::kSecond, EndReason::kTurnSkipped}));
  skipped.Apply(ClockRanOut{Seat::kFirst, 1});
  RuleSet patient = Tablu();
  patient.clock_end = ClockEnd::kMayBeClaimed;
  patient.idle_duration = absl::Hours(24);
  const Game claimable = Battle(patient).game();
  RuleSet impatient = Tablu();
  impatient.strikes_to_lose = 1;
  Game struck = Battle(impatient).game();
  struck.Apply(ClockRanOut{Seat::kFirst, 1});

  for (const EndReason reason :
       {EndReason::kFleetDestroyed, EndReason::kResigned, EndReason::kTimedOut,
        EndReason::kIllegalFleet, EndReason::kTurnSkipped, EndReason::kAbsenceClaimed,
        EndReason::kIdle, EndReason::kBothAbsent, EndReason::kAborted}) {
    for (const auto winner :
         {std::optional<Seat>(), std::optional(Seat::kFirst), std::optional(Seat::kSecond)}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(reason) << " " << winner.has_value()
                                        << " " << (winner == Seat::kSecond));
      const MatchEnded end = {winner, reason};
      const bool always =
          reason == (winner.has_value() ? EndReason::kResigned : EndReason::kAborted);
      const bool against_first = winner == Seat::kSecond;
      EXPECT_EQ(battle.Accepts(end), always);
      EXPECT_EQ(late.Accepts(end), always) << "one strike of three";
      EXPECT_EQ(struck.Accepts(end), always || (reason == EndReason::kTimedOut && against_first));
      EXPECT_EQ(skipped.Accepts(end),
                always || (reason == EndReason::kTurnSkipped && against_first));
      EXPECT_EQ(claimable.Accepts(end),
                always || (reason == EndReason::kAbsenceClaimed && against_first) ||
                    (reason == EndReason::kIdle && !winner.has_value()));
    }
  }
}

TEST(Game, AcceptsTheVoidEndOfVolleysWhereBothWereLateOnceTooOften) {
  RuleSet rules = Chosen({.rule_set = "salvo", .volley = true});
  rules.strikes_to_lose = 1;
  Game game = BattleOf(rules).game();
  const MatchEnded both = {std::nullopt, EndReason::kBothAbsent};
  const MatchEnded one = {Seat::kSecond, EndReason::kTimedOut};
  game.Apply(ClockRanOut{Seat::kFirst, 1});
  EXPECT_FALSE(game.Accepts(both));
  EXPECT_TRUE(game.Accepts(one));
  game.Apply(ClockRanOut{Seat::kSecond, 1});
  EXPECT_TRUE(game.Accepts(both));
  EXPECT_FALSE(game.Accepts(one));
}

// Its name must not tell where its owner placed the ship among those alike.
// rule: T-23
TEST(Game, ConfirmingExchangesTheShipsOfOneClass) {
  const RuleSet rules = Chosen({.rule_set = "clasica"});
  const Fleet fleet = ParseFleet(rules,
                                 "acorazado A1 right, crucero-1 A3 right, crucero-2 E3 right, "
                                 "destructor-1 A5 right, destructor-2 D5 right, destructor-3 G5 "
                                 "right, torpedera-1 A7 right, torpedera-2 C7 right, "
                                 "torpedera-3 E7 right, torpedera-4 G7 right")
                          .value();
  for (const bool by_clock : {false, true}) {
    std::set<int> ships_at_a7;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      TestMatch match({rules, Seat::kFirst}, 1, seed);
      if (by_clock) {
        ASSERT_THAT(match.Do(PlaceFleet{Seat::kFirst, fleet}), IsOk());
        match.Wait(absl::Seconds(90));
      } else {
        match.ConfirmBoth(fleet, fleet);
      }
      ships_at_a7.insert(match.game().sea(Seat::kFirst)->ShipAt(At("A7")).value());
    }
    EXPECT_EQ(ships_at_a7.size(), 4u) << "by the clock: " << by_clock;
  }
}

// How often the first shot or volley by the clock, over as many matches, is at each square.
std::array<int, kMaxSquares> ShotsByTheClock(const RuleSet& rules, int matches) {
  std::array<int, kMaxSquares> shots = {};
  base::SeededRandom random(1);
  const Fleet fleet = CompleteFleet(rules, {}, random).value();
  for (int seed = 0; seed < matches; ++seed) {
    TestMatch match({rules, Seat::kFirst}, static_cast<std::uint64_t>(seed));
    match.ConfirmBoth(fleet, fleet);
    match.Wait(absl::Seconds(25));
    for (const Event& event : match.log()) {
      const auto* const shot = std::get_if<ShotFired>(&event);
      const auto* const volley = std::get_if<VolleyFired>(&event);
      if (shot != nullptr) ++shots[static_cast<std::size_t>(shot->square.index())];
      if (volley == nullptr || volley->seat != Seat::kFirst) continue;
      for (const Square square : volley->squares) ++shots[static_cast<std::size_t>(square.index())];
    }
  }
  return shots;
}

// rule: T-16, S-12
TEST(Game, TheClockFiresAtEachOpenSquareEvenly) {
  for (const bool volley : {false, true}) {
    const RuleSet rules = Chosen({.rule_set = "salvo", .volley = volley});
    constexpr int kTries = 2000;
    const double expected = kTries * (volley ? 7 : 1) / 100.0;
    for (const int shots : ShotsByTheClock(rules, kTries)) {
      EXPECT_NEAR(shots, expected, 5 * std::sqrt(expected));
    }
  }
}

TEST(Game, AcceptsNoVolleyThatNoCommandWouldCause) {
  const RuleSet rules = Chosen({.rule_set = "salvo", .volley = true});
  const SquareSet seven = {At("A1"), At("A2"), At("A3"), At("A4"), At("A5"), At("A6"), At("A7")};
  Game game = BattleOf(rules).game();
  EXPECT_TRUE(game.settled());
  EXPECT_FALSE(game.Accepts(ShotDue{Seat::kFirst, {}})) << "volleys are fired here";
  EXPECT_FALSE(game.Accepts(VolleyDue{2, {7, 7}, {}})) << "the first round is not answered";
  EXPECT_FALSE(game.Accepts(VolleyFired{Seat::kFirst, {At("A1")}})) << "too few shots";
  EXPECT_TRUE(game.Accepts(ClockRanOut{Seat::kSecond, 1}));

  game.Apply(VolleyFired{Seat::kFirst, seven});
  EXPECT_TRUE(game.settled());
  EXPECT_FALSE(game.Accepts(VolleyFired{Seat::kFirst, seven})) << "it is in";
  EXPECT_FALSE(game.Accepts(ClockRanOut{Seat::kFirst, 1})) << "it is in";
  Sea target = *game.sea(Seat::kSecond);
  const VolleyAnswered first = AnswerVolley(rules, target, Seat::kFirst, 1, seven);
  EXPECT_FALSE(game.Accepts(first)) << "the other is not in";

  game.Apply(VolleyFired{Seat::kSecond, seven});
  EXPECT_FALSE(game.settled());
  VolleyAnswered second = first;
  second.seat = Seat::kSecond;
  EXPECT_FALSE(game.Accepts(second)) << "the starter's is answered first";
  VolleyAnswered wrong = first;
  wrong.hits[0] += 1;
  EXPECT_FALSE(game.Accepts(wrong)) << "not what the volley hit";
  game.Apply(first);
  EXPECT_FALSE(game.settled());
  game.Apply(second);
  EXPECT_FALSE(game.settled());
  EXPECT_FALSE(game.Accepts(VolleyDue{2, {9, 9}, {}})) << "not their sizes";
}

// One clock serves both volleys.
TEST(Game, AcceptsOneEndOfTheClockForEachSeatOfARound) {
  const RuleSet rules = Chosen({.rule_set = "salvo", .volley = true});
  const SquareSet seven = {At("A1"), At("A2"), At("A3"), At("A4"), At("A5"), At("A6"), At("A7")};
  Game game = BattleOf(rules).game();
  for (const Seat seat : kSeats) {
    EXPECT_FALSE(game.Accepts(VolleyFired{seat, seven, /*by_clock=*/true})) << "it runs";
    game.Apply(ClockRanOut{seat, 1});
    EXPECT_FALSE(game.Accepts(ClockRanOut{seat, 2})) << "it ended once";
    EXPECT_FALSE(game.Accepts(VolleyFired{seat, seven, /*by_clock=*/false})) << "it is too late";
    EXPECT_FALSE(game.settled());
  }
  for (const Seat seat : kSeats) {
    game.Apply(VolleyFired{seat, seven, /*by_clock=*/true});
    EXPECT_FALSE(game.Accepts(ClockRanOut{seat, 2})) << "its volley is in";
  }
}

TEST(Game, IsNotSettledInTheMiddleOfACommand) {
  EXPECT_FALSE(Game({Tablu(), {}}).settled());
  TestMatch match = Battle();
  EXPECT_TRUE(match.game().settled());
  Game out_of_time = match.game();
  out_of_time.Apply(ClockRanOut{Seat::kFirst, 1});
  EXPECT_FALSE(out_of_time.settled());
  EXPECT_FALSE(out_of_time.Accepts(ClockRanOut{Seat::kFirst, 2})) << "it ended once";
  EXPECT_FALSE(out_of_time.Accepts(HitA1(out_of_time))) << "the server is to fire";
  Game shot = match.game();
  shot.Apply(HitA1(shot));
  EXPECT_FALSE(shot.settled());
  // A clock that the rules have is never missing.
  shot.Apply(ShotDue{Seat::kFirst, std::nullopt});
  EXPECT_FALSE(shot.settled());

  Game placing({Tablu(), {}});
  placing.Apply(PlacementStarted{absl::UnixEpoch()});
  EXPECT_TRUE(placing.settled());
  for (const Seat seat : kSeats) placing.Apply(FleetConfirmed{seat, RowsFleet()});
  EXPECT_FALSE(placing.settled());
}

TEST(GameDeathTest, AnEventThatCannotFollowEndsTheProcess) {
  Game game({Tablu(), {}});
  EXPECT_DEATH(game.Apply(BattleStarted{Seat::kFirst}), "");
  TestMatch match = Battle();
  Game battle = match.game();
  EXPECT_DEATH(battle.Apply(DraftChanged{Seat::kFirst, {}}), "");
  EXPECT_DEATH(battle.Apply(ShotFired{Seat::kSecond, At("A1"), {}, false}), "");
}

}  // namespace
}  // namespace naval::rules
