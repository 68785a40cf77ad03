#pragma once

#include "lib/bots/bot.h"
#include "lib/bots/posterior.h"
#include "lib/bots/prior.h"

namespace naval::bots {

// The hard bot computes where each ship can be (M-10). A single shot goes where one is most likely,
// at random among squares that are equally likely; a volley where the most is to be won and learnt
// (volley_aim.h).
class Rey final : public Bot {
 public:
  // How fleets are expected to be laid, by the rules.
  using Expectation = Prior (*)(const rules::RuleSet& rules);

  explicit Rey(const Effort& effort = {}, Expectation expectation = PeoplePrior)
      : effort_(effort), expectation_(expectation) {}

  rules::SquareSet ChooseShots(const rules::GameView& view, base::Random& random) const override;

 private:
  const Effort effort_;
  const Expectation expectation_;
};

}  // namespace naval::bots
