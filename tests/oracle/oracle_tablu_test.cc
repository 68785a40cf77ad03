// Short matches of Tablú by hand, and what is the same in every rule set. What a command did is
// compared as text: see say.h.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/say.h"
#include "tests/oracle/table.h"

namespace naval::oracle {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// T-03, T-06
TEST(OraclePlacement, ShowsNothingOfAFleetButThatItIsReady) {
  Table table(Tablu());
  const View before = table.Seen(1);
  EXPECT_EQ(table.Draft(0, Ships("lancha:A9> fragata:A10>")),
            "0 draft: missing acorazado, missing portaaviones, missing submarino, "
            "touch fragata+lancha");
  EXPECT_EQ(table.Draft(0, Ships("lancha:a9>")),
            "0 draft: missing acorazado, missing fragata, missing portaaviones, missing submarino");
  EXPECT_EQ(table.Seen(1), before);
  EXPECT_EQ(table.Seen(), table.Seen(2)) << "a spectator";
  EXPECT_EQ(table.Player(0, 0).fleet, Ships("lancha:a9>"));
  EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
  EXPECT_EQ(table.Player(0).fleet, std::nullopt);
  EXPECT_EQ(before.deadline, table.now() + absl::Seconds(90));

  EXPECT_EQ(table.Confirm(0, TabluFleet()), "0 ready");
  View ready = before;
  ready.players[0].ready = true;
  EXPECT_EQ(table.Seen(1), ready);

  table.Later(absl::Seconds(3));
  EXPECT_EQ(table.Confirm(1, TabluFleet()), "1 ready; 0 first");
  EXPECT_EQ(table.Seen().phase, Phase::kBattle);
  EXPECT_EQ(table.Seen().turn, 0);
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(25));
  EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
}

// T-06, C-09
TEST(OraclePlacement, MovesNothingAfterListo) {
  Table table(Tablu());
  table.Confirm(0, TabluFleet());
  EXPECT_EQ(table.Draft(0, {}), "refused: fleet already confirmed");
  EXPECT_EQ(table.Confirm(0, TabluFleet()), "refused: fleet already confirmed");
  EXPECT_EQ(table.Fire(0, "A1"), "refused: battle not started");
  table.Confirm(1, TabluFleet());
  EXPECT_EQ(table.Draft(0, {}), "refused: fleet already confirmed, placement over");
  EXPECT_EQ(table.Player(0, 0).fleet, TabluFleet());
}

// T-04, M-01, S-02; C-06 to C-08 the other way
TEST(OraclePlacement, RefusesAnIllegalFleetWithAllThatIsWrong) {
  for (const OracleRules& rules : {Tablu(), Selminha(), Salvo()}) {
    Table table(rules);
    const std::string& ship = rules.ships[0].id;
    const Fleet fleet = {{.ship = ship, .bow = "J1"}};
    table.Draft(0, fleet);
    const Outcome outcome = table.match().ConfirmFleet(0, fleet, table.now());
    EXPECT_EQ(Say(outcome), "refused: illegal fleet");
    EXPECT_THAT(outcome.violations, SizeIs(rules.ships.size())) << "one outside, the rest missing";
    EXPECT_EQ(table.Player(0, 0).fleet, fleet) << "the draft stays";
    EXPECT_FALSE(table.Player(0, 0).ready);
  }
}

// T-07, A-05, A-10
TEST(OraclePlacement, IsCompletedWhenItsTimeEnds) {
  for (const OracleRules& rules : {Tablu(), Selminha(Clock::kLive)}) {
    const bool is_tablu = rules.ships[0].id == "portaaviones";
    const Fleet fleet = is_tablu ? TabluFleet() : SelminhaFleet();
    Table table(rules, 1);
    table.Draft(0, {fleet[4], fleet[0]});
    table.Later(absl::Seconds(90) - absl::Nanoseconds(1));
    EXPECT_EQ(table.Tick(), "");
    EXPECT_EQ(table.Draft(1, {fleet[2]}).substr(0, 7), "1 draft");
    table.Later(absl::Nanoseconds(1));
    EXPECT_EQ(table.Draft(1, {fleet[2]}).substr(0, 7), "1 draft") << "in time by a hair";
    table.Later(absl::Nanoseconds(1));
    EXPECT_EQ(table.Draft(1, {}), "refused: placement over, clock ended");
    EXPECT_EQ(table.Confirm(1, fleet), "refused: placement over, clock ended");

    Fleet moved = fleet;
    moved[0].bow = "F1";
    EXPECT_EQ(table.Tick(), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}}}), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, moved}, {1, fleet}}}), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}, {1, {}}}}), "refused: illegal chance");
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}, {1, fleet}}, .shots = {{0, {"A1"}}}}),
              "refused: illegal chance");
    EXPECT_EQ(table.Seen().phase, Phase::kPlacement);
    EXPECT_EQ(table.Tick({.fleets = {{0, fleet}, {1, fleet}}}),
              "0 ready by clock; 1 ready by clock; 1 first");
  }
}

// T-09 to T-13, M-04, M-06, M-07
TEST(OracleBattle, PassesTheTurnAtWaterAndGoesOnAtAHit) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Fire(1, "A1"), "refused: not your turn");
  EXPECT_EQ(table.Fire(0, "K1"), "refused: invalid square");
  EXPECT_EQ(table.Fire(1, "K1"), "refused: invalid square");
  EXPECT_EQ(table.Fire(0, ""), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "A1 A2"), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "a10"), "0 A10 water");
  EXPECT_EQ(table.Seen().turn, 1);
  EXPECT_EQ(table.Fire(1, "J10"), "1 J10 water");
  EXPECT_EQ(table.Fire(0, "A10"), "refused: cell already known");
  EXPECT_EQ(table.Fire(0, "B9"), "0 B9 hit");
  EXPECT_EQ(table.Fire(1, "A1"), "refused: not your turn");
  EXPECT_EQ(table.Fire(0, "A9"), "0 A9 sunk: lancha A9-B9, ring A8-B10-B8-C10-C8-C9");
  EXPECT_EQ(table.Fire(0, "C8"), "refused: cell already known");
  EXPECT_EQ(table.Fire(1, "C8"), "refused: not your turn");
  EXPECT_THAT(table.Shots(1), ElementsAre("A10 water", "B9 hit", "A9 sunk"));
  EXPECT_THAT(table.Player(1).ring, UnorderedElementsAre("A8", "B8", "C8", "C9", "B10", "C10"));
  EXPECT_THAT(table.Player(1).open, AllOf(SizeIs(100 - 3 - 6), Not(Contains("C8"))));
  EXPECT_THAT(table.Player(1).sunk,
              ElementsAre(SunkShip{.class_name = "lancha", .squares = {{"A9", "B9"}}}));
  // T-24
  EXPECT_EQ(table.Player(1).afloat_by_class.at("lancha"), 0);
  EXPECT_EQ(table.Player(1).afloat_by_class.at("fragata"), 1);
  EXPECT_EQ(table.Fire(0, "J1"), "0 J1 water");
  EXPECT_EQ(table.Seen().turn, 1);
}

// Where rings meet, a square is closed once, and what was shot at is a shot.
TEST(OracleBattle, ClosesRingsOnce) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  table.Fire(0, "A7");
  table.Fire(0, "B7");
  EXPECT_EQ(table.Fire(0, "C7"), "0 C7 sunk: submarino A7-B7-C7, ring A6-A8-B6-B8-C6-C8-D6-D7-D8");
  table.Fire(0, "A9");
  EXPECT_EQ(table.Fire(0, "B9"), "0 B9 sunk: lancha A9-B9, ring A10-B10-C10-C9");
}

// T-14, M-08, A-04, A-07
TEST(OracleBattle, EndsAtTheLastHitAndRevealsBothFleets) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  std::string last;
  for (const char* square : {"A1", "B1", "C1", "D1", "E1", "A3", "B3", "C3", "D3", "A5", "B5", "C5",
                             "A7", "B7", "C7", "A9", "B9"}) {
    EXPECT_EQ(table.Player(1, 0).fleet, std::nullopt);
    last = table.Fire(0, square);
  }
  EXPECT_THAT(last, ::testing::EndsWith("; over: fleet destroyed, winner 0"));
  for (const std::optional<int> viewer : {std::optional<int>(0), std::optional<int>(1), {}}) {
    EXPECT_EQ(table.Player(0, viewer).fleet, TabluFleet());
    EXPECT_EQ(table.Player(1, viewer).fleet, TabluFleet());
  }
  EXPECT_EQ(table.Seen().turn, std::nullopt);
  EXPECT_EQ(table.Seen().deadline, std::nullopt);
  EXPECT_EQ(table.Fire(0, "J1"), "refused: match over");
  EXPECT_EQ(table.Confirm(0, TabluFleet()), "refused: fleet already confirmed, match over");
  EXPECT_EQ(table.Resign(1), "refused: match over");
  EXPECT_EQ(table.Claim(1), "refused: match over");
  EXPECT_EQ(table.Abort(), "refused: match over");
  EXPECT_EQ(table.Later(absl::Hours(1)).Tick(), "");
  EXPECT_EQ(table.Fire(0, "K1"), "refused: invalid square");
}

// T-18
TEST(OracleBattle, AlternatesWithOneShotPerTurn) {
  Table table(Tablu(true), 1);
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Fire(1, "A9"), "1 A9 hit");
  EXPECT_EQ(table.Fire(1, "B9"), "refused: not your turn");
  EXPECT_EQ(table.Fire(0, "J1"), "0 J1 water");
  EXPECT_THAT(table.Fire(1, "B9"), ::testing::StartsWith("1 B9 sunk: lancha A9-B9"));
  EXPECT_EQ(table.Seen().turn, 0);
}

// T-23, M-05: with equal results, everybody but the owner sees the same of unequal fleets.
TEST(OracleBattle, ShowsNothingOfWhatIsHidden) {
  const Fleet other = Ships("acorazado:A1> portaaviones:A3> lancha:J9v submarino:A5> fragata:A7>");
  Table one(Tablu()), two(Tablu());
  one.Begin(TabluFleet(), TabluFleet());
  two.Begin(TabluFleet(), other);
  for (const char* square : {"A1", "B1", "C3", "A7", "F6"}) {
    EXPECT_EQ(one.Fire(0, square), two.Fire(0, square));
    EXPECT_EQ(one.Seen(0), two.Seen(0));
    EXPECT_EQ(one.Seen(), two.Seen());
    EXPECT_NE(one.Seen(1), two.Seen(1));
  }
}

// several shots in one turn.
TEST(OracleBattle, AnswersEachOfSeveralShotsOfATurn) {
  OracleRules rules = Tablu(true);
  rules.shots_a_turn = 3;
  Table table(rules);
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Fire(0, "A9 B9"), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "A9 B9 a9"), "refused: same square twice");
  // The third is closed by the ring of the second, and was open as the turn was sent.
  EXPECT_EQ(table.Fire(0, "A9 B9 C9"),
            "0 A9 hit; 0 B9 sunk: lancha A9-B9, ring A10-A8-B10-B8-C10-C8-C9; 0 C9 water");
  EXPECT_THAT(table.Player(1).ring, Not(Contains("C9")));
  EXPECT_EQ(table.Seen().turn, 1);

  rules.turn_order = TurnOrder::kHitAgain;
  Table again(rules);
  again.Begin(TabluFleet());
  EXPECT_EQ(again.Fire(0, "A1 J1 J2"), "0 A1 hit; 0 J1 water; 0 J2 water");
  EXPECT_EQ(again.Seen().turn, 0) << "one of them hit";
  again.Fire(0, "J3 J4 J5");
  EXPECT_EQ(again.Seen().turn, 1);
}

// A-01, T-14
TEST(OracleBattle, EndsInTheMiddleOfATurnOfSeveralShots) {
  OracleRules rules = Tablu(true);
  rules.ships = {{.id = "a", .class_name = "a", .length = 2, .volley_shots = 2},
                 {.id = "b", .class_name = "b", .length = 1, .volley_shots = 1}};
  rules.shots_a_turn.reset();  // by ships afloat
  Table table(rules);
  table.Begin(Ships("a:A1> b:A3>"));
  EXPECT_EQ(table.Player(0).shots_a_turn, 3);
  EXPECT_THAT(table.Fire(0, "A3 J1 J2"), ::testing::StartsWith("0 A3 sunk: b A3, ring"));
  EXPECT_EQ(table.Player(1).shots_a_turn, 2) << "one ship less";
  EXPECT_EQ(table.Fire(1, "J1 J2 J3"), "refused: wrong number of shots");
  table.Fire(1, "J1 J2");
  EXPECT_EQ(table.Fire(0, "A1 B1 J10"),
            "0 A1 hit; 0 B1 sunk: a A1-B1, ring C1-C2; over: fleet destroyed, winner 0");
  EXPECT_THAT(table.Shots(1), Not(Contains("J10 water")));
}

// T-15, T-16, T-17, A-05
TEST(OracleShotClock, ShootsForWhoIsLateAndTakesTheMatchAtTheThird) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  table.Later(absl::Seconds(20));
  EXPECT_EQ(table.Fire(0, "A1"), "0 A1 hit");
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(25)) << "anew at every extra shot";
  table.Later(absl::Seconds(25) - absl::Nanoseconds(1));
  EXPECT_EQ(table.Tick(), "");
  EXPECT_EQ(table.TickShots(0, "B1"), "refused: illegal chance") << "it is not time yet";
  table.Later(absl::Nanoseconds(1));
  EXPECT_EQ(table.Fire(1, "B1"), "refused: not your turn") << "in time by a hair";
  table.Later(absl::Nanoseconds(1));
  EXPECT_EQ(table.Fire(0, "B1"), "refused: clock ended");
  EXPECT_EQ(table.Fire(1, "B1"), "refused: not your turn, clock ended");
  EXPECT_EQ(table.Tick(), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(1, "B1"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1"), "refused: illegal chance") << "known";
  EXPECT_EQ(table.TickShots(0, "B1 C1"), "refused: illegal chance") << "two";
  EXPECT_EQ(table.Tick({.fleets = {{0, TabluFleet()}}, .shots = {{0, {"B1"}}}}),
            "refused: illegal chance");
  EXPECT_EQ(table.Player(0).strikes, 0);
  EXPECT_EQ(table.TickShots(0, "B1"), "0 strike 1; 0 B1 hit by server");
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(25));
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.TickShots(0, "J1"), "0 strike 2; 0 J1 water by server");
  EXPECT_EQ(table.Fire(1, "J1"), "1 J1 water");
  EXPECT_EQ(table.Player(0).strikes, 2) << "survives the rival's turn";
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.TickShots(0, "J2"), "refused: illegal chance") << "no third shot";
  EXPECT_EQ(table.Tick(), "0 strike 3; over: timed out, winner 1");
  EXPECT_EQ(table.Player(0, 1).fleet, TabluFleet());
}

// T-17
TEST(OracleShotClock, ForgetsStrikesAtAShot) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  for (const char* square : {"A1", "B1"}) table.Later(absl::Seconds(25)).TickShots(0, square);
  EXPECT_EQ(table.Player(0).strikes, 2);
  EXPECT_EQ(table.Fire(0, "A1"), "refused: cell already known");
  EXPECT_EQ(table.Player(0).strikes, 2) << "a refused shot is none";
  EXPECT_EQ(table.Fire(0, "C1"), "0 C1 hit");
  EXPECT_EQ(table.Player(0).strikes, 0);
  EXPECT_EQ(table.Later(absl::Seconds(25)).TickShots(0, "D1"), "0 strike 1; 0 D1 hit by server");
}

//
TEST(OracleShotClock, MayBeAbsent) {
  Table table(Tablu(false, Clock::kNone));
  EXPECT_EQ(table.Later(absl::Hours(1000)).Tick(), "");
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Later(absl::Hours(1000)).Tick(), "");
  EXPECT_EQ(table.Seen().deadline, std::nullopt);
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Fire(0, "J1"), "0 J1 water");
}

// M-13
TEST(OracleEnd, ComesByResigningAtAnyTime) {
  Table placement(Tablu());
  placement.Confirm(1, TabluFleet());
  EXPECT_EQ(placement.Resign(1), "over: resigned, winner 0");
  EXPECT_EQ(placement.Player(1, 0).fleet, std::nullopt) << "not both were confirmed";
  EXPECT_EQ(placement.Player(1, 1).fleet, TabluFleet());
  EXPECT_EQ(placement.Draft(0, {}), "refused: match over");

  for (const int seat : {0, 1}) {
    Table battle(Tablu());
    battle.Begin(TabluFleet());
    battle.Later(absl::Seconds(26));  // after the end of the clock, too
    EXPECT_EQ(battle.Resign(seat), absl::StrCat("over: resigned, winner ", 1 - seat));
    EXPECT_EQ(battle.Player(0, 1).fleet, TabluFleet());
    EXPECT_EQ(battle.Player(1, 0).fleet, TabluFleet());
  }
}

//
TEST(OracleEnd, ComesByTheOperator) {
  Table placement(Tablu());
  placement.Confirm(1, TabluFleet());
  EXPECT_EQ(placement.Abort(), "over: aborted, void");
  EXPECT_EQ(placement.Player(1).fleet, std::nullopt);
  Table battle(Tablu());
  battle.Begin(TabluFleet());
  EXPECT_EQ(battle.Later(absl::Seconds(30)).Abort(), "over: aborted, void");
  EXPECT_EQ(battle.Player(1).fleet, TabluFleet());
}

// M-14: only correspondence knows it.
TEST(OracleEnd, IsNotClaimedInALiveMatch) {
  Table table(Tablu());
  table.Begin(TabluFleet());
  EXPECT_EQ(table.Later(absl::Seconds(24)).Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Later(absl::Seconds(1)).Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Later(absl::Nanoseconds(1)).Claim(1), "refused: clock ended");
}

// T-05
TEST(OraclePlacement, TakesAProposalThatCompletesWhatIsKept) {
  Table table(Tablu());
  const auto propose = [&](const Fleet& kept, const std::optional<Fleet>& drawn) {
    return Say(table.match().Propose(0, kept, drawn, table.now()));
  };
  EXPECT_EQ(propose(Ships("lancha:A9>"), TabluFleet()), "0 draft: ");
  EXPECT_EQ(table.Player(0, 0).fleet, TabluFleet());
  EXPECT_EQ(propose(Ships("lancha:J9v"), TabluFleet()), "refused: illegal chance") << "moved";
  EXPECT_EQ(propose({}, Ships("lancha:A9>")), "refused: illegal chance") << "not whole";
  EXPECT_EQ(propose({}, std::nullopt), "refused: illegal chance") << "there are some";
  const Fleet touching = Ships("lancha:A9> fragata:A10>");
  EXPECT_EQ(propose(touching, std::nullopt), "refused: no legal completion");
  EXPECT_EQ(propose(Ships("lancha:A9> lancha:A1>"), std::nullopt), "refused: ship placed twice");
  EXPECT_EQ(table.Player(0, 0).fleet, TabluFleet()) << "nothing changed";
}

// T-08
TEST(OraclePlacement, LearnsWhoIsFirstAsTheBattleBegins) {
  OracleMatch match(Tablu(), std::nullopt, absl::UnixEpoch());
  match.ConfirmFleet(0, TabluFleet(), absl::UnixEpoch());
  match.SetFirst(1);
  EXPECT_EQ(Say(match.ConfirmFleet(1, TabluFleet(), absl::UnixEpoch())), "1 ready; 1 first");
}

}  // namespace
}  // namespace naval::oracle
