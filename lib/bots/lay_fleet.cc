#include "lib/bots/lay_fleet.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "lib/bots/known_sea.h"
#include "lib/bots/posterior.h"
#include "lib/bots/prior.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

constexpr int kChoices = 16;
// What chance may be asked for; the ships of a crowded board take much to be laid once.
constexpr int kMostNumbers = 250'000;

// The bot's own stream: it takes one number of the caller's chance, which may be slow. Which of the
// 2^64 streams it is nobody can tell.
class CountedRandom final : public base::Random {
 public:
  explicit CountedRandom(base::Random& random) : stream_(random.Next()) {}

  uint64_t Next() override {
    ++numbers_;
    return stream_.Next();
  }
  int numbers() const { return numbers_; }

 private:
  base::SeededRandom stream_;
  int numbers_ = 0;
};

// Where ships are expected before anything is known.
SquareOdds FirstOdds(const rules::RuleSet& rules, base::Random& random) {
  KnownSea sea{.rules = rules, .open = SquareSet::Board(rules.board_size)};
  for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
    sea.afloat.push_back(static_cast<int>(ship));
  }
  return ShipOdds(sea, PeoplePrior(rules), Effort(), random);
}

}  // namespace

rules::Fleet LayFleet(const rules::RuleSet& rules, base::Random& random) {
  const SquareOdds odds = FirstOdds(rules, random);
  CountedRandom chance(random);
  rules::Fleet hardest;
  double least = 0;
  for (int choice = 0; choice < kChoices && chance.numbers() < kMostNumbers; ++choice) {
    // Nothing is kept, so there is no refusal.
    rules::Fleet fleet = rules::CompleteFleet(rules, {}, chance).value();
    const SquareSet ships = rules::FleetSquareSet(rules, fleet);
    const SquareSet around = Ring(ships) & SquareSet::Board(rules.board_size);
    double told = rules.ships_may_touch ? 0 : around.size();
    for (const Square square : ships) told += odds[static_cast<std::size_t>(square.index())];
    if (!hardest.empty() && told >= least) continue;
    hardest = std::move(fleet);
    least = told;
  }
  return hardest;
}

}  // namespace naval::bots
