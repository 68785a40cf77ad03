#include "lib/bots/jota.h"

#include "lib/bots/choice.h"
#include "lib/bots/known_sea.h"
#include "lib/rules/seat.h"

namespace naval::bots {

rules::SquareSet Jota::ChooseShots(const rules::GameView& view, base::Random& random) const {
  const rules::Seat seat = rules::SeatOf(view.viewer).value();
  return AnyOf(view.sea(rules::Rival(seat)).open, ShotsDue(view), random);
}

}  // namespace naval::bots
