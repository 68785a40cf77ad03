#pragma once

#include "lib/bots/bot.h"
#include "lib/bots/posterior.h"

namespace naval::bots {

// The hard bot computes where each ship can be (M-10) and fires where one is most likely: at random
// among squares that are equally likely. It reckons with people who lay along the border or in one
// half of the board (prior.h).
class Rey final : public Bot {
 public:
  explicit Rey(const Effort& effort = {}) : effort_(effort) {}

  rules::Square ChooseShot(const rules::GameView& view, base::Random& random) const override;

 private:
  const Effort effort_;
};

}  // namespace naval::bots
