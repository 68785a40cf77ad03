#include "lib/bots/jota.h"

#include <cstdint>

#include "lib/rules/seat.h"

namespace naval::bots {

rules::Square Jota::ChooseShot(const rules::GameView& view, base::Random& random) const {
  const rules::Seat seat = rules::SeatOf(view.viewer).value();
  const rules::SquareSet open = view.sea(rules::Rival(seat)).open;
  const std::uint64_t drawn = random.Uniform(static_cast<std::uint64_t>(open.size()));
  return open.Nth(static_cast<int>(drawn));
}

}  // namespace naval::bots
