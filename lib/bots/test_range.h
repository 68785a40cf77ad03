#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "lib/bots/bot.h"
#include "lib/rules/test_match.h"
#include "lib/rules/view.h"

namespace naval::bots {

// For tests only.

// A match in which the first seat fires at a fleet that does not hit back.
class Range {
 public:
  Range(const rules::RuleSet& rules, const rules::Fleet& target);
  // The target as rules::ParseFleet reads it.
  Range(const rules::RuleSet& rules, absl::string_view target);

  // Requires open squares: one, or those of a whole volley.
  void Fire(rules::SquareSet squares);
  // Squares with blanks between, one shot each or, where volleys are fired, one volley.
  void FireAll(absl::string_view squares);

  rules::GameView view() const { return rules::ViewOf(match_.game(), rules::Viewer::kFirst); }
  const rules::Game& game() const { return match_.game(); }
  bool over() const { return match_.game().phase() == rules::Phase::kOver; }
  int shots() const { return shots_; }

 private:
  void Shoot(rules::Seat seat, rules::SquareSet squares);
  void AnswerWithWater();

  rules::TestMatch match_;
  int shots_ = 0;
};

// Shots until a random fleet is sunk, on average. A choice that may not be fired fails the test.
double MeanShots(const Bot& bot, const rules::RuleSet& rules, int fleets, std::uint64_t seed);

}  // namespace naval::bots
