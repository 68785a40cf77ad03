#pragma once

#include "lib/bots/bot.h"

namespace naval::bots {

// The middle bot plays as a practised person does: it searches one colour of a chequered board
// whose fields are as far apart as the smallest ship afloat is long, where that ship still has
// room, and chases what it hit along the line. Of a volley, whose hits have no places, it counts
// where the ship that was hit could lie. What must be water it leaves alone (M-10).
class As final : public Bot {
 public:
  rules::SquareSet ChooseShots(const rules::GameView& view, base::Random& random) const override;
};

}  // namespace naval::bots
