// Selminha: correspondence.
#include <optional>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/oracle/oracle.h"
#include "tests/oracle/say.h"
#include "tests/oracle/table.h"

namespace naval::oracle {
namespace {

// M-14, A-09
TEST(OracleCorrespondence, LetsTheOneWhoWaitedClaim) {
  for (const OracleRules& rules : {Selminha(), Clasica(Clock::kCorrespondence)}) {
    Table table(rules);
    table.Begin(rules.ships.size() == 5 ? SelminhaFleet() : ClasicaFleet());
    EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
    table.Later(absl::Hours(48));
    EXPECT_EQ(table.Claim(1), "refused: nothing to claim") << "more than two days";
    table.Later(absl::Nanoseconds(1));
    EXPECT_EQ(table.Tick(), "") << "not by itself";
    EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "it is his own turn";
    EXPECT_EQ(table.Fire(0, "J10"), "0 J10 water") << "a shot before the claim counts";
    EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
    EXPECT_EQ(table.Claim(0), "refused: nothing to claim");
    table.Later(absl::Hours(49));
    EXPECT_EQ(table.Claim(0), "over: absence claimed, winner 0");
    EXPECT_NE(table.Player(1, 0).fleet, std::nullopt);
  }
}

// M-14, A-07
TEST(OracleCorrespondence, LetsWhoConfirmedClaimTheMissingFleet) {
  Table table(Selminha());
  table.Draft(0, SelminhaFleet());
  table.Later(absl::Hours(49));
  EXPECT_EQ(table.Tick(), "");
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "neither confirmed";
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Confirm(0, SelminhaFleet()), "0 ready") << "late, and counts";
  EXPECT_EQ(table.Claim(1), "refused: nothing to claim");
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "he has not waited yet";
  table.Later(absl::Hours(48));
  EXPECT_EQ(table.Claim(0), "refused: nothing to claim") << "more than two days";
  table.Later(absl::Nanoseconds(1));
  EXPECT_EQ(table.Claim(0), "over: absence claimed, winner 0");
  EXPECT_EQ(table.Player(0, 1).fleet, std::nullopt);
  EXPECT_EQ(table.Player(1, 0).fleet, std::nullopt);
}

// M-15
TEST(OracleCorrespondence, EndsWithoutAWinnerAfterSevenIdleDays) {
  Table table(Selminha());
  table.Confirm(0, SelminhaFleet());
  table.Later(absl::Hours(24));
  table.Draft(1, SelminhaFleet());  // no move: else its time could be told from the end
  table.Later(absl::Hours(6 * 24) - absl::Nanoseconds(1));
  EXPECT_EQ(table.Tick(), "");
  table.Later(absl::Nanoseconds(2));
  EXPECT_EQ(table.Claim(0), "refused: clock ended");
  EXPECT_EQ(table.Confirm(1, SelminhaFleet()), "refused: placement over, clock ended");
  EXPECT_EQ(table.TickShots(0, "A1"), "refused: illegal chance");
  EXPECT_EQ(table.Tick(), "over: idle, void");

  Table battle(Selminha());
  battle.Later(absl::Hours(24)).Begin(SelminhaFleet());
  battle.Later(absl::Hours(6 * 24)).Fire(0, "J10");
  EXPECT_EQ(battle.Seen().idle_deadline, battle.now() + absl::Hours(7 * 24));
  EXPECT_EQ(battle.Later(absl::Hours(7 * 24) - absl::Nanoseconds(1)).Tick(), "");
  EXPECT_EQ(battle.Later(absl::Nanoseconds(1)).Tick(), "over: idle, void");
}

// M-15, A-01: what ends first ends first, and a shot of the server's is a shot.
TEST(OracleCorrespondence, CountsTheServersShotsAsMoves) {
  OracleRules rules = Selminha(Clock::kLive);
  rules.idle_time = absl::Seconds(30);
  Table table(rules);
  table.Begin(SelminhaFleet());
  table.Later(absl::Seconds(31));
  EXPECT_EQ(table.TickShots(0, "J10"), "0 strike 1; 0 J10 water by server");
  EXPECT_EQ(table.Tick(), "");
  rules.idle_time = absl::Seconds(25);
  Table both(rules);
  both.Begin(SelminhaFleet());
  EXPECT_EQ(both.Later(absl::Seconds(25)).Tick(), "over: idle, void") << "both at once";
}

}  // namespace
}  // namespace naval::oracle
