#include "lib/bots/test_range.h"

#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "lib/base/check.h"
#include "lib/base/random.h"

namespace naval::bots {

using rules::Seat;
using rules::Square;
using rules::SquareSet;

Range::Range(const rules::RuleSet& rules, const rules::Fleet& target)
    : match_({rules, Seat::kFirst}) {
  // The same for every target, so that it tells nothing about it.
  base::SeededRandom random(1);
  match_.ConfirmBoth(rules::CompleteFleet(rules, {}, random).value(), target);
}

Range::Range(const rules::RuleSet& rules, absl::string_view target)
    : Range(rules, rules::ParseFleet(rules, target).value()) {}

void Range::Fire(Square square) {
  NAVAL_CHECK(match_.Do(rules::FireShots{Seat::kFirst, {square}}).ok());
  ++shots_;
  while (match_.game().turn() == Seat::kSecond) AnswerWithWater();
}

void Range::FireAll(absl::string_view squares) {
  for (const absl::string_view name : absl::StrSplit(squares, ' ', absl::SkipEmpty())) {
    Fire(Square::Parse(name).value());
  }
}

// As long as there is water.
void Range::AnswerWithWater() {
  const rules::Sea& sea = *match_.game().sea(Seat::kFirst);
  const SquareSet water = sea.open() - rules::FleetSquareSet(match_.game().rules(), sea.fleet());
  const Square square = (water.empty() ? sea.open() : water).Nth(0);
  NAVAL_CHECK(match_.Do(rules::FireShots{Seat::kSecond, {square}}).ok());
}

double MeanShots(const Bot& bot, const rules::RuleSet& rules, int fleets, std::uint64_t seed) {
  base::SeededRandom random(seed);
  double shots = 0;
  for (int i = 0; i < fleets; ++i) {
    Range range(rules, rules::CompleteFleet(rules, {}, random).value());
    while (!range.over()) {
      const rules::GameView view = range.view();
      const Square square = bot.ChooseShot(view, random);
      if (!view.sea(Seat::kSecond).open.Contains(square)) {
        ADD_FAILURE() << square.ToString() << " is not open, seed " << seed << ", fleet " << i;
        return 0;
      }
      range.Fire(square);
    }
    EXPECT_EQ(range.game().result()->winner, Seat::kFirst) << "seed " << seed << ", fleet " << i;
    shots += range.shots();
  }
  return shots / fleets;
}

}  // namespace naval::bots
