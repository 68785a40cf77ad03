#include "lib/bots/volley_aim.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/base/random.h"
#include "lib/rules/test_match.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

SquareSet Squares(const char* names) {
  SquareSet squares;
  for (const absl::string_view name : absl::StrSplit(names, ' ')) {
    squares.Add(Square::Parse(name).value());
  }
  return squares;
}

// The volley of so many shots at fleets of Salvo, whatever chance breaks ties.
void ForVolleys(std::optional<int> shots_per_turn, const std::vector<PossibleFleet>& fleets,
                int shots, void (*check)(SquareSet volley)) {
  rules::RuleSet rules = rules::Chosen({.rule_set = "salvo", .volley = true});
  rules.shots_per_turn = shots_per_turn;
  const KnownSea sea{.rules = rules,
                     .open = SquareSet::Board(10),
                     .afloat = {0, 1, 2, 3},
                     .ship_class = {0, 1, 2, 3}};
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    base::SeededRandom random(seed);
    const SquareSet volley = AimVolley(sea, fleets, shots, random);
    EXPECT_EQ(volley.size(), shots);
    check(volley);
  }
}

TEST(AimVolley, TellsApartWhatOneAnswerCanTellApart) {
  const std::vector<PossibleFleet> fleets = {
      {1, {{3, Squares("A1 A2")}}}, {1, {{3, Squares("C1 C2")}}}, {1, {{3, Squares("E1 E2")}}}};
  ForVolleys(3, fleets, 3, [](SquareSet volley) {
    // Two hits, one or none; with one square of each it would be one hit for sure.
    EXPECT_TRUE(Squares("A1 A2 C1 C2 E1 E2").ContainsAll(volley));
    EXPECT_TRUE(volley.ContainsAll(Squares("A1 A2")) || volley.ContainsAll(Squares("C1 C2")) ||
                volley.ContainsAll(Squares("E1 E2")));
  });
}

TEST(AimVolley, SinksFirstWhatGivesTheRivalTheMostShots) {
  const std::vector<PossibleFleet> fleets = {
      {1, {{0, Squares("A1 A2 A3 A4 A5")}, {1, Squares("C1 C2 C3 C4")}, {3, Squares("E1 E2")}}}};
  ForVolleys(std::nullopt, fleets, 5,
             [](SquareSet volley) { EXPECT_TRUE(volley.ContainsAll(Squares("E1 E2"))); });
}

TEST(AimVolley, FiresAtWhatIsOpenWhereNothingIsToBeHit) {
  ForVolleys(std::nullopt, {{1, {}}}, 7, [](SquareSet) {});
}

}  // namespace
}  // namespace naval::bots
