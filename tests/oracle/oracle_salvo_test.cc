// Salvo: alternating shots, and volleys.
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/say.h"
#include "tests/oracle/table.h"

namespace naval::oracle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::string_view kWater7 = "F10 G10 H10 I10 J10 J9 J8";

// A small sea for volleys that decide: a of two squares, two shots, and b of one, one shot.
OracleRules SmallVolley() {
  OracleRules rules = Salvo(Clock::kLive, false, true);
  rules.ships = {{.id = "a", .class_name = "a", .length = 2, .volley_shots = 2},
                 {.id = "b", .class_name = "b", .length = 1, .volley_shots = 1}};
  return rules;
}

// S-03, S-04, S-05
TEST(OracleBattle, AlternatesInSalvoAndTellsNamesWithoutSquares) {
  Table table(Salvo());
  table.Begin(SalvoFleet());
  EXPECT_EQ(table.Fire(0, "A4"), "0 A4 hit");
  EXPECT_EQ(table.Fire(1, "A5"), "1 A5 water");
  EXPECT_EQ(table.Fire(0, "A4"), "refused: cell already known");
  EXPECT_EQ(table.Fire(0, "B4"), "0 B4 sunk: destructor");
  EXPECT_THAT(table.Player(1).sunk, ElementsAre(SunkShip{.class_name = "destructor"}));
  EXPECT_THAT(table.Player(1).ring, IsEmpty());
  EXPECT_EQ(table.Player(1).afloat_by_class.at("destructor"), 0);
  EXPECT_EQ(table.Fire(1, "A4"), "1 A4 hit");
}

// S-06: never more than the open cells left, in any turn.
TEST(OracleBattle, HasNoMoreShotsThanThereAreOpenSquares) {
  OracleRules rules = Salvo();
  rules.columns = 3;
  rules.rows = 1;
  rules.shots_a_turn = 2;
  rules.ships = {{.id = "a", .class_name = "a", .length = 1}};
  Table table(rules);
  table.Begin(Ships("a:A1>"));
  table.Fire(0, "B1 C1");
  table.Fire(1, "B1 C1");
  EXPECT_EQ(table.Player(0).shots_a_turn, 1);
  EXPECT_EQ(table.Fire(0, "A1"), "0 A1 sunk: a; over: fleet destroyed, winner 0");
}

// S-06, S-07, S-08, S-09
TEST(OracleVolley, IsAnsweredByClassWhenBothAreIn) {
  Table table(Salvo(Clock::kLive, false, true), 1);
  table.Begin(SalvoFleet());
  EXPECT_EQ(table.Seen().turn, std::nullopt);
  EXPECT_EQ(table.Seen().round, 1);
  EXPECT_EQ(table.Player(0).shots_a_turn, 7);
  EXPECT_EQ(table.Fire(0, "A1 B1"), "refused: wrong number of shots");
  EXPECT_EQ(table.Fire(0, "A1 B1 C1 D1 E1 A2 a2"), "refused: same square twice");
  EXPECT_EQ(table.Fire(0, "A1 B1 C1 D1 E1 A2 K2"), "refused: invalid square");

  const View before = table.Seen(1);
  EXPECT_EQ(table.Fire(0, "A1 a2 A3 J1 J2 J3 J4"), "0 volley in");
  EXPECT_EQ(table.Fire(0, kWater7), "refused: volley already sent");
  EXPECT_EQ(table.FireFor(0, 1, kWater7), "refused: invalid round");
  EXPECT_EQ(table.FireFor(-1, 1, kWater7), "refused: invalid round");
  EXPECT_EQ(table.FireFor(2, 1, kWater7), "refused: other round");
  EXPECT_THAT(table.Player(0, 0).volley,
              ::testing::Optional(ElementsAre("A1", "A2", "A3", "J1", "J2", "J3", "J4")));
  View in = before;
  in.players[0].volley_in = true;
  EXPECT_EQ(table.Seen(1), in) << "that it is in may be seen, and no more";
  EXPECT_EQ(table.Player(0).volley, std::nullopt);

  EXPECT_EQ(
      table.Fire(1, "A4 B4 A1 B1 J1 J2 J3"),
      "1 volley in; 1 round 1 A4-B4-A1-B1-J1-J2-J3, acorazado 2, destructor 2, sunk destructor; "
      "0 round 1 A1-A2-A3-J1-J2-J3-J4, acorazado 1, crucero 1, submarino 1");
  EXPECT_EQ(table.Seen().round, 2);
  for (const std::optional<int> viewer : {std::optional<int>(0), std::optional<int>(1), {}}) {
    for (const Shot& shot : table.Player(0, viewer).shots) {
      EXPECT_EQ(shot.result, ShotResult::kCalled);
    }
  }
  EXPECT_THAT(table.Player(0).sunk, ElementsAre(SunkShip{.class_name = "destructor"}));
  EXPECT_THAT(table.Player(0).volleys, SizeIs(1));
  EXPECT_THAT(table.Player(0).open, SizeIs(93));
  EXPECT_FALSE(table.Player(0).volley_in);
  // S-10
  EXPECT_EQ(table.Player(0).shots_a_turn, 6);
  EXPECT_EQ(table.Player(1).shots_a_turn, 7);
  EXPECT_EQ(table.Fire(0, "A1 B1 C1 D1 E1 F1"), "refused: cell already known");
  EXPECT_EQ(table.FireFor(1, 0, "B1 C1 D1 E1 F1 G1"), "refused: other round");
  EXPECT_EQ(table.Fire(0, "B1 C1 D1 E1 F1 G1"), "0 volley in");
  EXPECT_THAT(table.Fire(1, "A5 B5 C5 D5 E5 F5 G5"),
              ::testing::EndsWith("1 round 2 A5-B5-C5-D5-E5-F5-G5; "
                                  "0 round 2 B1-C1-D1-E1-F1-G1, acorazado 4, sunk acorazado"));
  EXPECT_THAT(table.Player(0).sunk, SizeIs(1)) << "a ship sinks once";
}

// S-09: ships of a class share one count.
TEST(OracleVolley, CountsBothDestructoresOfFleetBTogether) {
  Table table(Salvo(Clock::kLive, true, true));
  table.Begin(SalvoFleetB());
  table.Fire(0, "A3 A4 B4 J1 J2 J3 J4");
  EXPECT_EQ(
      table.Fire(1, kWater7),
      absl::StrCat("1 volley in; 0 round 1 A3-A4-B4-J1-J2-J3-J4, destructor 3, sunk destructor; "
                   "1 round 1 ",
                   absl::StrJoin(Words(kWater7), "-")));
  EXPECT_EQ(table.Player(1).afloat_by_class.at("destructor"), 1);
}

// S-09, T-23: which of the called squares hit cannot be told from any view but the owner's.
TEST(OracleVolley, HidesWhichShotHit) {
  const Fleet other = Ships("acorazado:F1v crucero:A2> submarino:A3> destructor:A4>");
  Table one(Salvo(Clock::kLive, false, true)), two(Salvo(Clock::kLive, false, true));
  one.Begin(SalvoFleet(), SalvoFleet());
  two.Begin(SalvoFleet(), other);
  for (Table* table : {&one, &two}) {
    table->Fire(0, "A1 B1 F1 F2 J1 J2 J3");
    table->Fire(1, kWater7);
  }
  EXPECT_EQ(Say(one.Player(1).volleys[0]), "round 1 A1-B1-F1-F2-J1-J2-J3, acorazado 2");
  EXPECT_EQ(one.Seen(0), two.Seen(0));
  EXPECT_EQ(one.Seen(), two.Seen());
}

// S-08, S-11
TEST(OracleVolley, IsWonByTheFirstAnnouncerWhenBothFleetsEnd) {
  for (const int first : {0, 1}) {
    Table table(SmallVolley(), first);
    table.Begin(Ships("a:A1> b:A3>"));
    table.Fire(0, "A1 B1 A3");
    EXPECT_THAT(table.Fire(1, "A3 B1 A1"),
                ::testing::EndsWith(absl::StrCat("; over: fleet destroyed, winner ", first)));
    EXPECT_THAT(table.Player(0).volleys, SizeIs(1)) << "both count";
    EXPECT_THAT(table.Player(1).volleys, SizeIs(1));
    EXPECT_EQ(table.Player(0, 1).fleet, Ships("a:A1> b:A3>"));
    EXPECT_THAT(table.Shots(0), ElementsAre("A3 hit", "B1 hit", "A1 hit")) << "told at the end";
  }
}

// S-11
TEST(OracleVolley, IsWonByTheSecondAnnouncerWhenOnlyTheFirstsFleetEnds) {
  Table table(SmallVolley(), 0);
  table.Begin(Ships("a:A1> b:A3>"));
  table.Fire(0, "J1 J2 J3");
  EXPECT_THAT(table.Fire(1, "A3 B1 A1"), ::testing::EndsWith("; over: fleet destroyed, winner 1"));
}

// S-12
TEST(OracleVolley, IsDrawnForWhoSentNone) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  table.Later(absl::Seconds(20)).Fire(1, "J1 J2 J3");
  EXPECT_EQ(table.Seen().deadline, table.now() + absl::Seconds(5)) << "one time for both";
  table.Later(absl::Seconds(5) + absl::Nanoseconds(1));
  EXPECT_EQ(table.Fire(0, "J1 J2 J3"), "refused: clock ended");
  EXPECT_EQ(table.TickShots(1, "A1 B1 A2"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1 B1"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1 B1 A1"), "refused: illegal chance");
  EXPECT_EQ(table.TickShots(0, "A1 B1 J1"),
            "0 strike 1; 0 volley in by clock; 0 round 1 A1-B1-J1 by server, a 2, sunk a; "
            "1 round 1 J1-J2-J3");
  table.Fire(1, "J5");
  table.Later(absl::Seconds(25));
  EXPECT_THAT(table.TickShots(0, "J4 J5 J6"), ::testing::StartsWith("0 strike 2; "));
  table.Fire(1, "J6");
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.TickShots(0, "J7 J8 J9"), "refused: illegal chance");
  EXPECT_EQ(table.Tick(), "0 strike 3; over: timed out, winner 1");
}

// S-12
TEST(OracleVolley, EndsVoidWhenBothAreLateForTheThirdTime) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  for (const char* squares : {"J1 J2 J3", "J4 J5 J6"}) {
    table.Later(absl::Seconds(25));
    EXPECT_EQ(table.TickShots(0, squares), "refused: illegal chance") << "both are due";
    EXPECT_THAT(table.Tick({.shots = {{0, Words(squares)}, {1, Words(squares)}}}),
                ::testing::HasSubstr("0 volley in by clock; 1 volley in by clock; "));
  }
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.Tick(), "0 strike 3; 1 strike 3; over: both absent, void");
  EXPECT_EQ(table.Player(0, 1).fleet, Ships("a:A1> b:A3>"));
}

// S-12, T-17
TEST(OracleVolley, ForgetsStrikesAtAVolleySent) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  table.Later(absl::Seconds(25)).Tick({.shots = {{0, Words("J1 J2 J3")}, {1, Words("J1 J2 J3")}}});
  EXPECT_EQ(table.Player(0).strikes, 1);
  EXPECT_EQ(table.Fire(0, "J4 J5 J6"), "0 volley in");
  EXPECT_EQ(table.Player(0).strikes, 0);
  EXPECT_EQ(table.Player(1).strikes, 1);
}

// C-10, S-12, A-01
TEST(OracleVolley, IsLostByWhoSkipsItWhereSkippingLoses) {
  OracleRules rules = SmallVolley();
  rules.clock_end = ClockEnd::kLoses;
  Table table(rules);
  table.Begin(Ships("a:A1> b:A3>"));
  table.Fire(1, "J1 J2 J3");
  table.Later(absl::Seconds(25));
  EXPECT_EQ(table.Tick(), "0 strike 1; over: infraction, skipped turn, winner 1");
  Table both(rules);
  both.Begin(Ships("a:A1> b:A3>"));
  both.Later(absl::Seconds(25));
  EXPECT_EQ(both.Tick(), "0 strike 1; 1 strike 1; over: both absent, void");
}

//
TEST(OracleCorrespondence, LetsOnlyWhoseVolleyIsInClaim) {
  Table table(Salvo(Clock::kCorrespondence, false, true));
  table.Begin(SalvoFleet());
  table.Later(absl::Hours(49));
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim");
  EXPECT_EQ(table.Fire(0, kWater7), "0 volley in");
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "he has not waited yet";
  table.Later(absl::Hours(49));
  EXPECT_EQ(table.Claim(0), "over: absence claimed, winner 0");
}

// S-09: of a round that was not answered nothing is left.
TEST(OracleVolley, IsGoneWithTheEndOfTheMatch) {
  Table table(SmallVolley());
  table.Begin(Ships("a:A1> b:A3>"));
  table.Fire(0, "A1 B1 A3");
  EXPECT_EQ(table.Resign(1), "over: resigned, winner 0");
  EXPECT_FALSE(table.Player(0).volley_in);
  EXPECT_EQ(table.Player(0, 0).volley, std::nullopt);
}

}  // namespace
}  // namespace naval::oracle
