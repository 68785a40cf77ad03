#include "lib/bots/test_range.h"

#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "lib/base/check.h"
#include "lib/base/random.h"
#include "lib/bots/known_sea.h"

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

void Range::Fire(SquareSet squares) {
  Shoot(Seat::kFirst, squares);
  shots_ += squares.size();
  while (match_.game().Awaits(Seat::kSecond)) AnswerWithWater();
}

void Range::FireAll(absl::string_view squares) {
  SquareSet volley;
  for (const absl::string_view name : absl::StrSplit(squares, ' ', absl::SkipEmpty())) {
    const Square square = Square::Parse(name).value();
    volley.Add(square);
    if (match_.game().rules().turn_order != rules::TurnOrder::kVolley) Fire({square});
  }
  if (match_.game().rules().turn_order == rules::TurnOrder::kVolley) Fire(volley);
}

void Range::Shoot(Seat seat, SquareSet squares) {
  const rules::FireShots shots{seat, {squares.begin(), squares.end()}, match_.game().round()};
  NAVAL_CHECK(match_.Do(shots).ok());
}

// As long as there is water.
void Range::AnswerWithWater() {
  const rules::Sea& sea = *match_.game().sea(Seat::kFirst);
  const int due = ShotsDue(rules::ViewOf(match_.game(), rules::Viewer::kSecond));
  SquareSet left = sea.open() - rules::FleetSquareSet(match_.game().rules(), sea.fleet());
  SquareSet shots;
  while (shots.size() < due) {
    if (left.empty()) left = sea.open() - shots;
    const Square square = left.Nth(0);
    left.Remove(square);
    shots.Add(square);
  }
  Shoot(Seat::kSecond, shots);
}

double MeanShots(const Bot& bot, const rules::RuleSet& rules, int fleets, std::uint64_t seed) {
  base::SeededRandom random(seed);
  double shots = 0;
  for (int i = 0; i < fleets; ++i) {
    Range range(rules, rules::CompleteFleet(rules, {}, random).value());
    while (!range.over()) {
      const rules::GameView view = range.view();
      const SquareSet shots_due = bot.ChooseShots(view, random);
      if (shots_due.size() != ShotsDue(view) ||
          !view.sea(Seat::kSecond).open.ContainsAll(shots_due)) {
        ADD_FAILURE() << shots_due.ToString() << " may not be fired, seed " << seed << ", fleet "
                      << i;
        return 0;
      }
      range.Fire(shots_due);
    }
    EXPECT_EQ(range.game().result()->reason, rules::EndReason::kFleetDestroyed)
        << "seed " << seed << ", fleet " << i;
    shots += range.shots();
  }
  return shots / fleets;
}

}  // namespace naval::bots
