#include "lib/bots/pause.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace naval::bots {
namespace {

// How a person's time to answer is spread: never below what reading takes, most often little more,
// with a long tail. The tail is exponential, cut at the longest.
struct Spread {
  absl::Duration least;
  absl::Duration mean_beyond;
  absl::Duration longest;
};
constexpr Spread kForShots = {absl::Milliseconds(500), absl::Milliseconds(900), absl::Seconds(4)};
constexpr Spread kForFleet = {absl::Seconds(2), absl::Seconds(2), absl::Seconds(8)};
constexpr int kShareOfClock = 4;

// Above 0, up to 1.
double Fraction(base::Random& random) {
  return static_cast<double>((random.Next() >> 11) + 1) * 0x1p-53;
}

}  // namespace

absl::Duration DrawPause(const rules::GameView& view, base::Random& random) {
  const bool battle = view.phase == rules::Phase::kBattle;
  const Spread& spread = battle ? kForShots : kForFleet;
  const std::optional<absl::Duration> clock =
      battle ? view.rules.shot_duration : view.rules.placement_duration;
  const absl::Duration pause = spread.least - std::log(Fraction(random)) * spread.mean_beyond;
  return std::min(
      {pause, spread.longest, clock.value_or(absl::InfiniteDuration()) / kShareOfClock});
}

}  // namespace naval::bots
