#include "lib/rules/square.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "lib/base/error.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Square At(absl::string_view name) { return Square::Parse(name).value(); }

// rule: T-01
TEST(Square, IsNamedByAColumnFromAToJAndARowFromOneToTen) {
  std::vector<std::string> names;
  for (const Square square : SquareSet::Board(10)) {
    const std::string name = square.ToString();
    EXPECT_EQ(At(name), square) << name;
    EXPECT_EQ(At(absl::AsciiStrToLower(name)), square) << name;
    names.push_back(name);
  }
  EXPECT_EQ(names.size(), 100U);
  EXPECT_EQ(names.front(), "A1");
  EXPECT_EQ(names.back(), "J10");
  EXPECT_EQ(At("C7").column(), 2);
  EXPECT_EQ(At("C7").row(), 6);
}

TEST(Square, RefusesEveryOtherNameAndRepeatsIt) {
  for (const char* name :
       {"",   "A",  "7",  "A0", "A11", "A01", "A10 ", " A1",  "A 1",  "AA",
        "1A", "K1", "@1", "[1", "A-1", "A+1", "A1.0", "A100", "C7C7", "\xC3\x91"}) {
    const absl::StatusOr<Square> square = Square::Parse(name);
    EXPECT_THAT(square, StatusIs(absl::StatusCode::kInvalidArgument)) << name;
    EXPECT_THAT(square, HasReason("INVALID_SQUARE")) << name;
  }
  const absl::Status refusal = Square::Parse("K1").status();
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("K1"));
  EXPECT_EQ(base::MetadataOf(refusal).at("square"), "K1");
}

TEST(Square, RepeatsOnlyTheBeginningOfALongNameAndInAsciiOnly) {
  const absl::Status refusal = Square::Parse("\xFF" + std::string(5000, 'x')).status();
  EXPECT_EQ(base::MetadataOf(refusal).at("square"), "\\xff" + std::string(31, 'x'));
}

TEST(SquareSet, IteratesColumnByColumn) {
  const SquareSet set = {At("B1"), At("J10"), At("A2"), At("A10"), At("G5")};
  EXPECT_EQ(set.ToString(), "A2 A10 B1 G5 J10");
  EXPECT_EQ(set.size(), 5);
  EXPECT_THAT(std::vector<Square>(set.begin(), set.end()),
              ElementsAre(At("A2"), At("A10"), At("B1"), At("G5"), At("J10")));
  EXPECT_EQ(set.Nth(0), At("A2"));
  EXPECT_EQ(set.Nth(3), At("G5"));
  EXPECT_EQ(set.Nth(4), At("J10"));
}

TEST(SquareSet, HoldsEachSquareOnItsOwn) {
  for (const Square square : SquareSet::Board(10)) {
    SquareSet set;
    EXPECT_FALSE(set.Contains(square));
    set.Add(square);
    EXPECT_TRUE(set.Contains(square));
    EXPECT_EQ(set.size(), 1);
    EXPECT_EQ(set.Nth(0), square);
    EXPECT_EQ((SquareSet::Board(10) - set).size(), 99);
    set.Remove(square);
    EXPECT_TRUE(set.empty());
  }
}

TEST(SquareSet, HasTheAlgebraOfSets) {
  const SquareSet a = {At("A1"), At("H3")};
  const SquareSet b = {At("H3"), At("J9")};
  EXPECT_EQ((a | b).ToString(), "A1 H3 J9");
  EXPECT_EQ((a & b).ToString(), "H3");
  EXPECT_EQ((a - b).ToString(), "A1");
  EXPECT_TRUE(a.Intersects(b));
  EXPECT_FALSE(a.Intersects(b - a));
  EXPECT_TRUE((a | b).ContainsAll(a));
  EXPECT_FALSE(a.ContainsAll(b));
}

TEST(SquareSet, ABoardHasItsSizeSquared) {
  for (int size = 1; size <= 10; ++size) EXPECT_EQ(SquareSet::Board(size).size(), size * size);
  EXPECT_EQ(SquareSet::Board(2).ToString(), "A1 A2 B1 B2");
}

TEST(Ring, IsWhatLiesAroundDiagonalsIncluded) {
  EXPECT_EQ(Ring({At("C3"), At("C4")}).ToString(), "B2 B3 B4 B5 C2 C5 D2 D3 D4 D5");
}

TEST(Ring, EndsAtTheEdgeOfTheBoard) {
  EXPECT_EQ(Ring({At("A1")}).ToString(), "A2 B1 B2");
  EXPECT_EQ(Ring({At("J10")}).ToString(), "I9 I10 J9");
  EXPECT_EQ(Ring({At("A10")}).ToString(), "A9 B9 B10");
  EXPECT_TRUE(Ring({}).empty());
}

}  // namespace
}  // namespace naval::rules
