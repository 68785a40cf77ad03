#include "lib/wire/shot_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "lib/rules/rule_sets.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using ::naval::testing::HasReason;
using ::testing::ElementsAre;

SquareNames Names(std::initializer_list<const char*> names) {
  SquareNames proto;
  for (const char* name : names) proto.Add(name);
  return proto;
}

TEST(ShotWire, NamesSquaresColumnByColumn) {
  EXPECT_THAT(
      ToProto(rules::SquareSet{rules::Square(1, 0), rules::Square(0, 9), rules::Square(0, 1)}),
      ElementsAre("A2", "A10", "B1"));
}

TEST(ShotWire, RoundTripsEverySquare) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::vector<rules::Square> squares,
                             FromProto(ToProto(rules::SquareSet::Board(10)), "squares"));
  ASSERT_EQ(squares.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(squares[static_cast<std::size_t>(i)].index(), i);
}

TEST(ShotWire, KeepsTheOrderInWhichSquaresAreNamed) {
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::vector<rules::Square> squares,
                             FromProto(Names({"J10", "a1", "J10"}), "squares"));
  EXPECT_THAT(squares, ElementsAre(rules::Square(9, 9), rules::Square(0, 0), rules::Square(9, 9)));
}

TEST(ShotWire, NamesTheFieldOfABadSquare) {
  for (const char* bad : {"K1", "A0", "A11", "AA", "1A", ""}) {
    const auto squares = FromProto(Names({"C7", bad}), "squares");
    ASSERT_THAT(squares, HasReason("INVALID_SQUARE")) << bad;
    EXPECT_EQ(base::FieldViolationsOf(squares.status()).at(0).field, "squares[1]");
  }
}

TEST(ShotWire, RoundTripsEveryResult) {
  for (const rules::ShotResult result :
       {rules::ShotResult::kWater, rules::ShotResult::kHit, rules::ShotResult::kSunk}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const rules::ShotResult read, FromProto(ToProto(result), "result"));
    EXPECT_EQ(read, result);
  }
}

TEST(ShotWire, RefusesAResultThatIsUnspecifiedOrUnknown) {
  for (const int bad : {0, 99}) {
    const auto read = FromProto(static_cast<match::v1::ShotResult>(bad), "result");
    ASSERT_THAT(read, HasReason("INVALID_SHOT_RESULT"));
    EXPECT_EQ(base::FieldViolationsOf(read.status()).at(0).field, "result");
  }
}

TEST(ShotWire, ShowsAShotWithWhatItFound) {
  const rules::RuleSet& rule_set = (*rules::FindPreset("tablu"))->rules;
  EXPECT_THAT(ToProto(rule_set, rules::SeenShot{.square = rules::Square(2, 6),
                                                .result = rules::ShotResult::kHit}),
              EqualsProto(R"pb(square: "C7" result: SHOT_RESULT_HIT)pb"));
  EXPECT_THAT(ToProto(rule_set, rules::SeenShot{.square = rules::Square(2, 6),
                                                .result = rules::ShotResult::kSunk,
                                                .sunk_ship = 4}),
              EqualsProto(R"pb(square: "C7" result: SHOT_RESULT_SUNK sunk_ship_id: "lancha")pb"));
}

}  // namespace
}  // namespace naval::wire
