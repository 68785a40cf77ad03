#include "tools/arena/players.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/bots/choice.h"
#include "lib/bots/known_sea.h"
#include "lib/bots/posterior.h"
#include "lib/bots/rey.h"

namespace naval::arena {
namespace {

constexpr absl::string_view kMarginalsId = "marginals";
constexpr absl::string_view kReyUniformId = "rey-uniform";

class Marginals final : public bots::Bot {
 public:
  rules::SquareSet ChooseShots(const rules::GameView& view, base::Random& random) const override {
    const bots::KnownSea sea = bots::KnownSeaOf(view);
    const bots::SquareOdds odds = bots::ShipOdds(sea, /*prior=*/{}, bots::Effort(), random);
    return bots::Best(sea.open, bots::ShotsDue(view), random, [&odds](rules::Square square) {
      return odds[static_cast<std::size_t>(square.index())];
    });
  }
};

bots::Prior UniformPrior(const rules::RuleSet&) { return {}; }

}  // namespace

absl::StatusOr<std::unique_ptr<bots::Bot>> MakePlayer(absl::string_view id) {
  if (id == kMarginalsId) return std::make_unique<Marginals>();
  if (id == kReyUniformId) return std::make_unique<bots::Rey>(bots::Effort(), UniformPrior);
  absl::StatusOr<std::unique_ptr<bots::Bot>> bot = bots::MakeBot(id);
  if (bot.ok()) return bot;
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(bot.status().message()), " ", kMarginalsId, " ", kReyUniformId));
}

}  // namespace naval::arena
