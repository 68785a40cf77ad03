#include "tools/cli/typing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "google/protobuf/text_format.h"
#include "naval/game/v1/game.pb.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"
#include "tools/cli/ships.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using naval::testing::EqualsProto;
using naval::testing::HasReason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

game::v1::RuleSet Rules() {
  game::v1::RuleSet rules;
  rules.set_id("tablu");
  game::v1::Ship& frigate = *rules.add_ships();
  frigate.set_id("fragata");
  frigate.set_length(3);
  game::v1::Ship& boat = *rules.add_ships();
  boat.set_id("bote");
  boat.set_length(1);
  return rules;
}

TEST(Ships, LieWhereTheirEndsOrTheirBowSay) {
  const struct {
    std::string text;
    std::string placement;
  } cases[] = {
      {"fragata=A1-A3", R"pb(ship_id: "fragata" bow: "A1" orientation: ORIENTATION_VERTICAL)pb"},
      {"fragata=A10-A8", R"pb(ship_id: "fragata" bow: "A8" orientation: ORIENTATION_VERTICAL)pb"},
      {"fragata=c1-a1", R"pb(ship_id: "fragata" bow: "A1" orientation: ORIENTATION_HORIZONTAL)pb"},
      {"fragata=B10h", R"pb(ship_id: "fragata" bow: "B10" orientation: ORIENTATION_HORIZONTAL)pb"},
      {"fragata=B2V", R"pb(ship_id: "fragata" bow: "B2" orientation: ORIENTATION_VERTICAL)pb"},
      {"bote=J10-J10", R"pb(ship_id: "bote" bow: "J10" orientation: ORIENTATION_HORIZONTAL)pb"},
  };
  for (const auto& [text, placement] : cases) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const v1::ShipPlacement ship, ParseShip(text, Rules()));
    EXPECT_THAT(ship, EqualsProto(placement)) << text;
  }
}

TEST(Ships, AreRefusedWithWhatWouldBeRight) {
  const struct {
    std::string text;
    std::string said;
  } cases[] = {
      {"nave=A1-A3", "its ships are fragata, bote"},
      {"fragata", "write SHIP=A1-A5"},
      {"fragata=", "write SHIP=A1-A5"},
      {"fragata=A1", "write SHIP=A1-A5"},
      {"fragata=A1x", "write SHIP=A1-A5"},
      {"fragata=A0-A2", "write SHIP=A1-A5"},
      {"fragata=A1-K1", "write SHIP=A1-A5"},
      {"fragata=A1-B3", "neither a row nor a column"},
      {"fragata=A1-A4", "is 3 squares long, but A1-A4 has 4"},
  };
  for (const auto& [text, said] : cases) {
    const auto ship = ParseShip(text, Rules());
    EXPECT_THAT(ship, HasReason("USAGE")) << text;
    EXPECT_THAT(std::string(ship.status().message()), HasSubstr(said)) << text;
  }
}

TEST(Ships, TakeThePlaceOfTheirFormerSelves) {
  Fleet fleet;
  for (const char* const text : {"fragata=A1h", "bote=J10h"})
    *fleet.Add() = *ParseShip(text, Rules());
  Fleet moved;
  *moved.Add() = *ParseShip("fragata=C3v", Rules());
  LayShips(moved, fleet);
  ASSERT_EQ(fleet.size(), 2);
  EXPECT_EQ(fleet[0].bow(), "C3");
  EXPECT_EQ(fleet[1].bow(), "J10");
  Fleet empty;
  LayShips(moved, empty);
  EXPECT_EQ(empty.size(), 1);
}

TEST(Ships, AreNamedInAnyCaseAndOnceEach) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const Fleet fleet, ParseShips({"Fragata=a1H", "BOTE=j10h"}, Rules()));
  ASSERT_EQ(fleet.size(), 2);
  EXPECT_EQ(fleet[0].ship_id(), "fragata");
  EXPECT_EQ(fleet[1].ship_id(), "bote");
  const auto twice = ParseShips({"bote=A1h", "fragata=C3v", "Bote=A2h"}, Rules());
  EXPECT_THAT(twice, HasReason("USAGE"));
  EXPECT_THAT(std::string(twice.status().message()), HasSubstr("bote is named twice"));
  EXPECT_THAT(ParseShips({"nave=A1h"}, Rules()), HasReason("USAGE"));
}

TEST(LineEditor, GivesLinesAsTheKeysCome) {
  LineEditor editor;
  EXPECT_THAT(editor.Take("C").lines, IsEmpty());
  EXPECT_EQ(editor.text(), "C");
  EXPECT_THAT(editor
                  .Take("8\x7f"
                        "7\r")
                  .lines,
              ElementsAre("C7"));
  EXPECT_EQ(editor.text(), "");
  EXPECT_THAT(editor.Take("one\ntwo\nthr").lines, ElementsAre("one", "two"));
  EXPECT_THAT(editor
                  .Take("\x15"
                        "D1\n")
                  .lines,
              ElementsAre("D1"));
}

TEST(LineEditor, PassesOverWhatIsNoText) {
  LineEditor editor;
  // Arrows, a function key, Alt with a letter, a letter of UTF-8, a tab, a lone escape.
  EXPECT_THAT(editor.Take("A\x1b[A\x1bOP\x1b[1;5C\x1bq\xc3\xb1\t1\x1b\r").lines, ElementsAre("A1"));
  // A sequence that comes in two parts.
  editor.Take("B\x1b[");
  EXPECT_THAT(editor.Take("D2\r").lines, ElementsAre("B2"));
  EXPECT_THAT(editor.Take(std::string(300, 'x') + "\r").lines, ElementsAre(std::string(200, 'x')));
}

TEST(LineEditor, EndsByCtrlDOnAnEmptyLineOnly) {
  LineEditor editor;
  EXPECT_FALSE(editor.Take("A\x04").ended);
  EXPECT_TRUE(editor.Take("\x7f\x04").ended);
}

TEST(Move, IsReadFromALine) {
  const auto fire = ParseMove(" c7 ");
  ASSERT_TRUE(fire.ok());
  EXPECT_THAT(std::get<FireMove>(*fire).squares, ElementsAre("C7"));
  EXPECT_THAT(std::get<FireMove>(*ParseMove("fire J10")).squares, ElementsAre("J10"));
  EXPECT_THAT(std::get<FireMove>(*ParseMove("fire a1 B2")).squares, ElementsAre("A1", "B2"));
  EXPECT_THAT(std::get<FireMove>(*ParseMove("a1 B2 j10")).squares, ElementsAre("A1", "B2", "J10"));
  EXPECT_THAT(std::get<PlaceMove>(*ParseMove("PLACE a=A1h b=B1h")).ships,
              ElementsAre("a=A1h", "b=B1h"));
  EXPECT_TRUE(std::holds_alternative<ShowMove>(*ParseMove("  ")));
  EXPECT_TRUE(std::holds_alternative<RandomMove>(*ParseMove("random")));
  EXPECT_FALSE(std::get<ConfirmMove>(*ParseMove("Confirm")).illegal);
  EXPECT_TRUE(std::get<ConfirmMove>(*ParseMove("confirm --illegal")).illegal);
  EXPECT_TRUE(std::holds_alternative<ResignMove>(*ParseMove("resign")));
  EXPECT_TRUE(std::holds_alternative<ClaimMove>(*ParseMove("claim")));
  EXPECT_TRUE(std::holds_alternative<QuitMove>(*ParseMove("q")));
  EXPECT_TRUE(std::holds_alternative<HelpMove>(*ParseMove("?")));
  for (const char* const line : {"K1", "A11", "fire", "fire A1 K2", "A1 fire", "place",
                                 "resign now", "confirm now", "frob"}) {
    EXPECT_THAT(ParseMove(line), HasReason("USAGE")) << line;
  }
}

}  // namespace
}  // namespace naval::cli
