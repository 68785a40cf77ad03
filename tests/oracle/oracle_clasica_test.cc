// What Clásica has of its own, above all infractions.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/say.h"
#include "tests/oracle/table.h"

namespace naval::oracle {
namespace {

using ::testing::Not;

// What is no fleet at all never loses a match.
TEST(OraclePlacement, RefusesWhatIsNoFleet) {
  Table table(Clasica());
  Fleet twice = ClasicaFleet();
  twice.push_back(twice[0]);
  Fleet unknown = ClasicaFleet();
  unknown[0].ship = "balsa";
  Fleet invalid = unknown;
  invalid[1].bow = "K1";
  EXPECT_EQ(table.Draft(0, twice), "refused: ship placed twice");
  EXPECT_EQ(table.Confirm(0, unknown), "refused: unknown ship");
  EXPECT_EQ(table.Confirm(0, invalid), "refused: invalid square");
  EXPECT_EQ(table.Confirm(0, ClasicaFleet()), "0 ready");
  EXPECT_EQ(table.Draft(0, twice), "refused: ship placed twice, fleet already confirmed");
  EXPECT_EQ(table.Confirm(0, invalid), "refused: invalid square") << "always that one";
}

// C-06: a ship that is there twice makes a fleet of the wrong number.
TEST(OraclePlacement, CountsAShipThatIsThereTwice) {
  Fleet twice = ClasicaFleet();
  twice.push_back(twice[0]);
  EXPECT_EQ(Table(Clasica()).Confirm(0, twice), "over: infraction, number of ships, winner 1");
  Fleet of_tablu = TabluFleet();
  of_tablu.push_back(of_tablu[4]);
  EXPECT_EQ(Say(ViolationsOf(Tablu(), of_tablu)), "twice lancha");
  EXPECT_EQ(Table(Tablu()).Confirm(0, of_tablu), "refused: illegal fleet");
}

// only an explicit confirmation can be an infraction.
TEST(OraclePlacement, CompletesTheFleetThatIsMissingAndNoOther) {
  Table table(Clasica(Clock::kSlow));
  table.Confirm(1, ClasicaFleet());
  table.Draft(0, Ships("acorazado:J1>"));
  table.Later(absl::Minutes(5));
  EXPECT_EQ(table.Tick({.fleets = {{0, ClasicaFleet()}, {1, ClasicaFleet()}}}),
            "refused: illegal chance");
  EXPECT_EQ(table.Tick({.fleets = {{0, ClasicaFleet()}}}), "0 ready by clock; 0 first");
}

// C-06, C-07, C-08, C-11
TEST(OraclePlacement, LosesByAnIllegalFleetInClasica) {
  struct Case {
    std::vector<std::string> changes;  // ship, bow, ...; an empty bow takes the ship away
    std::string violations;
    std::string infractions;
  };
  const std::vector<Case> cases = {
      {{"torpedera 4", ""}, "missing torpedera 4", "number of ships"},
      {{"torpedera 4", "F8"}, "touch torpedera 3+torpedera 4", "ships touch"},
      {{"torpedera 4", "E7"}, "overlap torpedera 3+torpedera 4", "ships touch"},
      {{"acorazado", "G1"}, "", ""},
      {{"acorazado", "H1"}, "outside acorazado", "board"},
      {{"acorazado", "H1", "torpedera 4", ""},
       "missing torpedera 4, outside acorazado",
       "number of ships, board"},
  };
  for (const Case& test : cases) {
    Fleet fleet;
    for (PlacedShip placed : ClasicaFleet()) {
      for (size_t i = 0; i < test.changes.size(); i += 2) {
        if (placed.ship == test.changes[i]) placed.bow = test.changes[i + 1];
      }
      if (!placed.bow.empty()) fleet.push_back(placed);
    }
    Table table(Clasica());
    table.Confirm(0, ClasicaFleet());
    table.Draft(1, fleet);
    EXPECT_EQ(table.Seen().phase, Phase::kPlacement) << "a draft loses nothing";
    if (test.violations.empty()) {
      EXPECT_EQ(table.Confirm(1, fleet), "1 ready; 0 first");
      continue;
    }
    EXPECT_EQ(table.Confirm(1, fleet),
              absl::StrCat("over: infraction, ", test.infractions, ", winner 0"));
    EXPECT_EQ(Say(table.Seen().result->violations), test.violations);
    EXPECT_EQ(table.Player(1, 0).fleet, fleet);
    EXPECT_EQ(table.Player(1).fleet, fleet);
    EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
    EXPECT_EQ(table.Player(0, 0).fleet, ClasicaFleet());
  }
}

// C-11: of two illegal confirmations the first loses.
TEST(OraclePlacement, IsLostByTheFirstOfTwoIllegalFleets) {
  Table table(Clasica());
  EXPECT_THAT(table.Confirm(1, {}), ::testing::EndsWith("winner 0"));
  EXPECT_EQ(table.Confirm(0, {}), "refused: match over");
}

// C-03, C-04, C-05
TEST(OracleBattle, MarksTheRingAndGoesOnInClasica) {
  Table table(Clasica());
  table.Begin(ClasicaFleet());
  EXPECT_EQ(table.Fire(0, "A7"), "0 A7 sunk: torpedera A7, ring A6-A8-B6-B7-B8");
  EXPECT_EQ(table.Fire(0, "A5"), "0 A5 hit");
  EXPECT_EQ(table.Fire(0, "B5"), "0 B5 sunk: destructor A5-B5, ring A4-B4-C4-C5-C6");
  EXPECT_EQ(table.Seen().turn, 0);
  EXPECT_EQ(table.Player(1).afloat_by_class.at("torpedera"), 3);
  EXPECT_EQ(table.Player(1).afloat_by_class.at("destructor"), 2);
  for (const char* square : {"C7", "E7", "G7", "D5", "E5", "G5", "H5", "A3", "B3", "C3", "E3", "F3",
                             "G3", "A1", "B1", "C1"}) {
    EXPECT_THAT(table.Fire(0, square), Not(::testing::HasSubstr("over")));
  }
  EXPECT_THAT(table.Fire(0, "D1"), ::testing::EndsWith("; over: fleet destroyed, winner 0"));
}

// C-10, C-11
TEST(OracleShotClock, TakesTheMatchAtOnceInClasica) {
  Table table(Clasica(Clock::kSlow), 1);
  table.Begin(ClasicaFleet());
  table.Later(absl::Minutes(2));
  EXPECT_EQ(table.TickShots(1, "A1"), "refused: illegal chance");
  EXPECT_EQ(table.Tick(), "1 strike 1; over: infraction, skipped turn, winner 0");
  EXPECT_EQ(table.Player(1, 0).fleet, ClasicaFleet());
  EXPECT_EQ(table.Player(0, 1).fleet, ClasicaFleet());
}

// C-06, A-09: only infractions by time are away.
TEST(OracleCorrespondence, StillLosesByAnIllegalFleetInClasica) {
  Table table(Clasica(Clock::kCorrespondence));
  EXPECT_THAT(table.Confirm(0, {}), ::testing::StartsWith("over: infraction, number of ships"));
}

}  // namespace
}  // namespace naval::oracle
