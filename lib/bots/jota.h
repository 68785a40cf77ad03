#pragma once

#include "lib/bots/bot.h"

namespace naval::bots {

// The easy bot: any open square, each equally likely. It never wastes a shot on a square it knows
// (M-10).
class Jota final : public Bot {
 public:
  rules::SquareSet ChooseShots(const rules::GameView& view, base::Random& random) const override;
};

}  // namespace naval::bots
