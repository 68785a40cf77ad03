// Rule sets, squares, fleets.
#include <optional>
#include <string>
#include <vector>

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

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// Four by four squares for a ship of four and four of one.
OracleRules SmallSea() {
  OracleRules rules = Clasica();
  rules.columns = rules.rows = 4;
  rules.ships = {{.id = "acorazado", .class_name = "acorazado", .length = 4}};
  for (int i = 1; i <= 4; ++i) {
    rules.ships.push_back({.id = absl::StrCat("torpedera ", i), .class_name = "torpedera"});
  }
  return rules;
}

// T-02, C-01, S-01, M-01, S-06
TEST(OracleRules, HaveTheirFleets) {
  const auto fleet = [](const OracleRules& rules) {
    std::vector<std::string> ships;
    for (const Ship& ship : rules.ships) {
      ships.push_back(absl::StrCat(ship.class_name, " ", ship.length));
    }
    return absl::StrJoin(ships, ", ");
  };
  const auto shots = [](const OracleRules& rules) {
    int sum = 0;
    for (const Ship& ship : rules.ships) sum += ship.volley_shots;
    return sum;
  };
  EXPECT_EQ(fleet(Tablu()), "portaaviones 5, acorazado 4, fragata 3, submarino 3, lancha 2");
  EXPECT_EQ(fleet(Clasica()),
            "acorazado 4, crucero 3, crucero 3, destructor 2, destructor 2, destructor 2, "
            "torpedera 1, torpedera 1, torpedera 1, torpedera 1");
  EXPECT_EQ(fleet(Salvo()), "acorazado 5, crucero 4, submarino 3, destructor 2");
  EXPECT_EQ(shots(Salvo()), 7);
  EXPECT_EQ(fleet(Salvo(Clock::kLive, true)), "acorazado 5, crucero 3, destructor 2, destructor 2");
  EXPECT_EQ(shots(Salvo(Clock::kLive, true)), 7);
  EXPECT_EQ(fleet(Selminha()), "nao 5, galera 4, coca 3, carabela 3, barca 2");
}

// T-03, T-15, T-19, A-08, M-14, M-15
TEST(OracleRules, HaveTheirTimes) {
  EXPECT_EQ(Tablu().placement_time, absl::Seconds(90));
  EXPECT_EQ(Tablu().shot_time, absl::Seconds(25));
  EXPECT_EQ(Tablu().idle_time, std::nullopt);
  EXPECT_EQ(Tablu(false, Clock::kNone).placement_time, std::nullopt);
  EXPECT_EQ(Tablu(false, Clock::kNone).shot_time, std::nullopt);
  EXPECT_EQ(Clasica(Clock::kSlow).placement_time, absl::Minutes(5));
  EXPECT_EQ(Clasica(Clock::kSlow).shot_time, absl::Minutes(2));
  EXPECT_EQ(Selminha().placement_time, absl::Hours(48));
  EXPECT_EQ(Selminha().shot_time, absl::Hours(48));
  EXPECT_EQ(Selminha().idle_time, absl::Hours(168));
}

// T-01
TEST(OracleRules, NameSquaresOfTheBoardInEitherCase) {
  EXPECT_THAT(AllSquares(Tablu()), AllOf(SizeIs(100), Contains("A1"), Contains("J10")));
  EXPECT_EQ(ParseSquare(Tablu(), "a1"), "A1");
  EXPECT_EQ(ParseSquare(Tablu(), "J10"), "J10");
  for (const char* text : {"K1", "A0", "A11", "AA", "1A", "", "A", "A01", " A1", "A1 ", "A-1"}) {
    EXPECT_EQ(ParseSquare(Tablu(), text), std::nullopt) << text;
  }
  OracleRules small = Tablu();
  small.columns = small.rows = 6;
  EXPECT_EQ(ParseSquare(small, "G1"), std::nullopt);
  EXPECT_EQ(ParseSquare(small, "F6"), "F6");
}

// T-08, C-12, S-11, M-03
TEST(OracleRules, SayWhoMayBeFirst) {
  const auto may = [](const OracleRules& rules, std::optional<int> creator,
                      std::optional<int> previous) {
    std::vector<int> seats;
    for (const int first : {0, 1, 2}) {
      if (MayBeFirst(rules, creator, previous, first)) seats.push_back(first);
    }
    return seats;
  };
  EXPECT_THAT(may(Tablu(), 0, std::nullopt), ElementsAre(0, 1));
  EXPECT_THAT(may(Tablu(), 0, 1), ElementsAre(0));
  EXPECT_THAT(may(Clasica(Clock::kLive, Start::kCreator), 1, std::nullopt), ElementsAre(1));
  EXPECT_THAT(may(Clasica(Clock::kLive, Start::kGuest), 1, std::nullopt), ElementsAre(0));
  EXPECT_THAT(may(Clasica(Clock::kLive, Start::kGuest), 1, 0), ElementsAre(1));
  EXPECT_THAT(may(Selminha(), 1, std::nullopt), ElementsAre(1));
  EXPECT_THAT(may(Selminha(), 1, 1), ElementsAre(0));
  EXPECT_THAT(may(Selminha(), std::nullopt, std::nullopt), ElementsAre(0, 1));
  OracleRules volley = Salvo(Clock::kLive, false, true);
  volley.start = Start::kCreator;
  EXPECT_THAT(may(volley, 1, std::nullopt), ElementsAre(0, 1)) << "who announces first is drawn";
}

// T-04, C-02, C-08, S-02: each violation, and nothing of a legal fleet
TEST(OracleFleet, NamesEveryViolation) {
  EXPECT_EQ(Say(ViolationsOf(Tablu(), TabluFleet())), "");
  EXPECT_EQ(Say(ViolationsOf(Clasica(), ClasicaFleet())), "");
  EXPECT_EQ(Say(ViolationsOf(Salvo(), SalvoFleet())), "");
  EXPECT_EQ(Say(ViolationsOf(Salvo(Clock::kLive, true), SalvoFleetB())), "");
  EXPECT_EQ(Say(ViolationsOf(Selminha(), SelminhaFleet())), "");

  EXPECT_EQ(Say(ViolationsOf(Tablu(), {})),
            "missing acorazado, missing fragata, missing lancha, missing portaaviones, "
            "missing submarino");
  // By the corner, by the side, on the same square; past the right edge and past the lower one.
  EXPECT_EQ(Say(ViolationsOf(Tablu(), Ships("portaaviones:A1> acorazado:F2> fragata:F3> "
                                            "submarino:G2v lancha:A10v"))),
            "outside lancha, overlap acorazado+submarino, overlap fragata+submarino, "
            "touch acorazado+fragata, touch acorazado+portaaviones");
  EXPECT_EQ(Say(ViolationsOf(Salvo(), Ships("acorazado:G1> crucero:A2> submarino:A2v "
                                            "destructor:D3>"))),
            "outside acorazado, overlap crucero+submarino");
}

TEST(OracleFleet, LiesOnTheSquaresFromItsBow) {
  EXPECT_THAT(SquaresOf(Tablu(), {"fragata", "c3", false}), ElementsAre("C3", "D3", "E3"));
  EXPECT_THAT(SquaresOf(Tablu(), {"fragata", "C3", true}), ElementsAre("C3", "C4", "C5"));
  EXPECT_THAT(SquaresOf(Tablu(), {"fragata", "J9", true}), ElementsAre("J9", "J10"));
}

// T-05
TEST(OracleFleet, KnowsWhetherADraftCanBeCompleted) {
  EXPECT_EQ(CanComplete(Tablu(), {}), Completion::kExists);
  EXPECT_EQ(CanComplete(Clasica(), {}), Completion::kExists);
  EXPECT_EQ(CanComplete(Tablu(), TabluFleet()), Completion::kExists);
  EXPECT_EQ(CanComplete(Tablu(), Ships("lancha:A1> fragata:A2>")), Completion::kNone) << "touch";
  EXPECT_EQ(CanComplete(SmallSea(), Ships("torpedera_1:A1>")), Completion::kNone)
      << "a row of four leaves two rows for four ships";
  OracleRules three = SmallSea();
  three.ships.pop_back();
  three.ships.pop_back();  // the acorazado and two torpederas
  EXPECT_EQ(CanComplete(three, Ships("torpedera_1:A1>")), Completion::kExists);
  EXPECT_EQ(CanComplete(three, Ships("torpedera_1:B2>")), Completion::kExists);
  EXPECT_EQ(CanComplete(three, Ships("torpedera_1:B2> torpedera_2:D4>")), Completion::kNone);

  // The longer ship has room only behind the shorter.
  OracleRules row = SmallSea();
  row.columns = 6;
  row.rows = 1;
  row.ships = {{.id = "x", .length = 1}, {.id = "two", .length = 2}, {.id = "one", .length = 1}};
  EXPECT_EQ(CanComplete(row, Ships("x:C1>")), Completion::kExists);
  row.columns = 4;
  EXPECT_EQ(CanComplete(row, Ships("x:A1>")), Completion::kNone);
  row.may_touch = true;
  EXPECT_EQ(CanComplete(row, Ships("x:A1>")), Completion::kExists);

  OracleRules hard = Tablu();
  for (Ship& ship : hard.ships) ship.length = 6;
  for (int i = 0; i < 10; ++i) hard.ships.push_back({.id = absl::StrCat(i), .length = 6});
  EXPECT_EQ(CanComplete(hard, {}), Completion::kGaveUp);

  EXPECT_TRUE(Completes(Tablu(), Ships("lancha:A9>"), TabluFleet()));
  EXPECT_FALSE(Completes(Tablu(), Ships("lancha:A9v"), TabluFleet())) << "moved";
  EXPECT_FALSE(Completes(Tablu(), {}, Ships("lancha:A9>"))) << "not whole";
  EXPECT_TRUE(Completes(Clasica(), Ships("torpedera_1:A7v"), ClasicaFleet()))
      << "one square lies no way";
}

// T-07
TEST(OracleFleet, DropsOnlyTheLatestShipsThatLeaveNoLegalFleet) {
  const auto fault = [](absl::string_view draft, const Fleet& fleet) {
    return FaultOfDrawnFleet(Tablu(), Ships(draft), fleet);
  };
  EXPECT_EQ(fault("", TabluFleet()), "");
  EXPECT_EQ(fault("lancha:A9> fragata:A5>", TabluFleet()), "");
  EXPECT_EQ(fault("", Ships("lancha:A9>")), "the fleet is not legal");
  EXPECT_EQ(fault("", Ships("balsa:A9>")), "the fleet is not legal");
  EXPECT_EQ(fault("lancha:J9v fragata:A5>", TabluFleet()),
            "the ship 'lancha' was moved from J9 although it could stay");
  EXPECT_EQ(fault("lancha:A9> fragata:H10>", TabluFleet()),
            "the ship 'fragata' was moved from H10 although it could stay");
  // The second touches the first, and falls; the third falls with it, though it could stay alone.
  EXPECT_EQ(fault("lancha:A9> fragata:A10> submarino:H10>", TabluFleet()), "");
  EXPECT_EQ(fault("lancha:I9> fragata:H10> submarino:A7>", TabluFleet()),
            "the ship 'lancha' was moved from I9 although it could stay");
  OracleRules three = SmallSea();
  three.ships.pop_back();
  three.ships.pop_back();
  EXPECT_EQ(FaultOfDrawnFleet(three, Ships("torpedera_1:B2> torpedera_2:D4>"),
                              Ships("torpedera_1:B2> acorazado:A4> torpedera_2:D2>")),
            "");
}

}  // namespace
}  // namespace naval::oracle
