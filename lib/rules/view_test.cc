#include "lib/rules/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "lib/rules/test_match.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::IsOk;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Square At(absl::string_view name) { return Square::Parse(name).value(); }

TestMatch NewMatch() { return TestMatch({Tablu(), Seat::kFirst}); }

// The first seat has sunk the lancha of the second.
TestMatch AfterTheFirstSinking() {
  TestMatch match = NewMatch();
  match.ConfirmBoth(RowsFleet(), RowsFleet());
  for (const char* name : {"A9", "B9"}) {
    EXPECT_THAT(match.Do(FireShots{Seat::kFirst, {At(name)}}), IsOk());
  }
  return match;
}

// rule: T-03
TEST(ViewOf, ShowsADraftToItsOwnSeatOnly) {
  TestMatch match = NewMatch();
  ASSERT_THAT(match.Do(PlaceFleet{Seat::kFirst, RowsFleet()}), IsOk());
  EXPECT_EQ(ViewOf(match.game(), Viewer::kFirst).sea(Seat::kFirst).fleet, RowsFleet());
  for (const Viewer viewer : {Viewer::kSecond, Viewer::kSpectator}) {
    EXPECT_THAT(ViewOf(match.game(), viewer).sea(Seat::kFirst).fleet, IsEmpty());
    EXPECT_FALSE(ViewOf(match.game(), viewer).sea(Seat::kFirst).ready);
  }
}

// rule: T-23
TEST(ViewOf, ShowsAConfirmedFleetToItsOwnSeatOnly) {
  TestMatch match = NewMatch();
  ASSERT_THAT(match.Do(ConfirmFleet{Seat::kFirst, RowsFleet()}), IsOk());
  EXPECT_EQ(ViewOf(match.game(), Viewer::kFirst).sea(Seat::kFirst).fleet, RowsFleet());
  for (const Viewer viewer : {Viewer::kSecond, Viewer::kSpectator}) {
    EXPECT_THAT(ViewOf(match.game(), viewer).sea(Seat::kFirst).fleet, IsEmpty());
    EXPECT_TRUE(ViewOf(match.game(), viewer).sea(Seat::kFirst).ready);
  }
}

// rule: T-01, T-12, T-13, T-24
TEST(ViewOf, ShowsEveryViewerWhatTheShotsTold) {
  const TestMatch match = AfterTheFirstSinking();
  for (const Viewer viewer : kViewers) {
    const GameView view = ViewOf(match.game(), viewer);
    const SeaView& sea = view.sea(Seat::kSecond);
    EXPECT_THAT(sea.shots, ElementsAre(SeenShot{At("A9"), ShotResult::kHit, {}},
                                       SeenShot{At("B9"), ShotResult::kSunk, 4}));
    EXPECT_THAT(sea.sunk_ships, ElementsAre(4));
    EXPECT_THAT(sea.sunk_placements, ElementsAre(RowsFleet()[4]));
    EXPECT_EQ(sea.ring.ToString(), "A8 A10 B8 B10 C8 C9 C10");
    EXPECT_EQ(sea.open.size(), 91);
    EXPECT_THAT(sea.ships_afloat, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(view.sea(Seat::kFirst).ships_afloat, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(view.sea(Seat::kFirst).shots, IsEmpty());
    EXPECT_EQ(view.turn, Seat::kFirst);
    EXPECT_EQ(view.deadline, match.game().NextDeadline());
    EXPECT_EQ(view.phase, Phase::kBattle);
  }
}

// rule: A-07
TEST(ViewOf, ShowsBothFleetsOnceAMatchWithBothConfirmedIsOver) {
  TestMatch match = AfterTheFirstSinking();
  ASSERT_THAT(match.Do(Resign{Seat::kSecond}), IsOk());
  for (const Viewer viewer : kViewers) {
    const GameView view = ViewOf(match.game(), viewer);
    EXPECT_EQ(view.sea(Seat::kFirst).fleet, RowsFleet());
    EXPECT_EQ(view.sea(Seat::kSecond).fleet, RowsFleet());
    EXPECT_EQ(view.result, (MatchEnded{Seat::kFirst, EndReason::kResigned}));
  }
}

// rule: A-07
TEST(ViewOf, HidesBothFleetsWhenTheMatchEndedBeforeBothWereConfirmed) {
  TestMatch match = NewMatch();
  ASSERT_THAT(match.Do(ConfirmFleet{Seat::kFirst, RowsFleet()}), IsOk());
  ASSERT_THAT(match.Do(PlaceFleet{Seat::kSecond, RowsFleet()}), IsOk());
  ASSERT_THAT(match.Do(Resign{Seat::kSecond}), IsOk());
  EXPECT_THAT(ViewOf(match.game(), Viewer::kSecond).sea(Seat::kFirst).fleet, IsEmpty());
  EXPECT_THAT(ViewOf(match.game(), Viewer::kFirst).sea(Seat::kSecond).fleet, IsEmpty());
  EXPECT_THAT(ViewOf(match.game(), Viewer::kSpectator).sea(Seat::kFirst).fleet, IsEmpty());
  EXPECT_EQ(match.heard(Viewer::kSpectator).back(),
            ViewerEvent(MatchRevealed{{Seat::kFirst, EndReason::kResigned}, std::nullopt}));
}

// rule: C-11
TEST(ViewOf, ShowsAnIllegalFleetThatLostToEverybodyAndTheOtherToNobody) {
  const RuleSet rules = Chosen({.rule_set = "clasica"});
  TestMatch match({rules, Seat::kFirst});
  const Fleet illegal = ParseFleet(rules, "acorazado A1 right, torpedera-1 A2 right").value();
  base::SeededRandom random(1);
  ASSERT_THAT(match.Do(ConfirmFleet{Seat::kFirst, CompleteFleet(rules, {}, random).value()}),
              IsOk());
  ASSERT_THAT(match.Do(ConfirmFleet{Seat::kSecond, illegal}), IsOk());
  for (const Viewer viewer : kViewers) {
    EXPECT_EQ(ViewOf(match.game(), viewer).sea(Seat::kSecond).fleet, illegal);
    EXPECT_EQ(match.heard(viewer).back(),
              ViewerEvent(MatchRevealed{{Seat::kFirst, EndReason::kIllegalFleet, illegal}, {}}));
  }
  EXPECT_THAT(ViewOf(match.game(), Viewer::kSecond).sea(Seat::kFirst).fleet, IsEmpty());
}

// rule: T-03
TEST(Redact, TellsOfADraftToItsOwnSeatOnly) {
  TestMatch match = NewMatch();
  ASSERT_THAT(match.Do(PlaceFleet{Seat::kSecond, RowsFleet()}), IsOk());
  EXPECT_EQ(match.heard(Viewer::kSecond).size(), 2U);
  EXPECT_EQ(match.heard(Viewer::kSecond).back(), ViewerEvent(OwnDraftChanged{RowsFleet()}));
  EXPECT_EQ(match.heard(Viewer::kFirst).size(), 1U);
  EXPECT_EQ(match.heard(Viewer::kSpectator).size(), 1U);
}

// rule: T-03, T-06
TEST(Redact, TellsOthersThatASeatIsReadyAndNoMore) {
  TestMatch match = NewMatch();
  ASSERT_THAT(match.Do(ConfirmFleet{Seat::kSecond, RowsFleet()}), IsOk());
  EXPECT_EQ(match.heard(Viewer::kSecond).back(),
            ViewerEvent(OwnFleetConfirmed{RowsFleet(), false}));
  EXPECT_EQ(match.heard(Viewer::kFirst).back(), ViewerEvent(SeatReady{Seat::kSecond, false}));
  EXPECT_EQ(match.heard(Viewer::kSpectator).back(), ViewerEvent(SeatReady{Seat::kSecond, false}));
}

// rule: T-14
TEST(Redact, TellsBothFleetsAtTheEndInTheOrderOfTheSeats) {
  TestMatch match = NewMatch();
  Fleet other = RowsFleet();
  for (ShipPlacement& placement : other) placement.bow = Square(3, placement.bow.row());
  match.ConfirmBoth(RowsFleet(), other);
  ASSERT_THAT(match.Do(Resign{Seat::kFirst}), IsOk());
  const MatchRevealed expected = {{Seat::kSecond, EndReason::kResigned},
                                  std::array<Fleet, 2>{RowsFleet(), other}};
  for (const Viewer viewer : kViewers) {
    EXPECT_EQ(match.heard(viewer).back(), ViewerEvent(expected));
  }
}

}  // namespace
}  // namespace naval::rules
