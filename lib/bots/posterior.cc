#include "lib/bots/posterior.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/rules/placement.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

// Places are numbered; a set of them is a row of words. Ships of one length, afloat or sunk, are
// one kind, whose places have words of their own: at most 180 places on the largest board, for each
// of six lengths.
using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;
constexpr std::size_t kMaxKinds = 12;
constexpr std::size_t kMaxWords = kMaxKinds * 3;
constexpr std::size_t kMaxShips = 15;
using Words = std::array<Word, kMaxWords>;

// Fleets are visited one by one where the first draws say that there are no more than this, for
// each fleet that would be drawn otherwise.
constexpr double kFewFleets = 1.5;
constexpr int kPilotSamples = 128;
// So many ships a fleet are drawn at full effort; of larger fleets there are fewer.
constexpr int kShipsDrawn = 10;

struct Place {
  SquareSet squares;
  FleetWeights::Counts counts = 0;
  std::size_t kind = 0;
};

struct Kind {
  int length = 0;
  bool sunk = false;
  int ships = 0;
  std::size_t first_word = 0;
  std::size_t end_word = 0;
};

// A fleet in the making.
struct Partial {
  // Places that agree with those taken.
  Words free = {};
  // Of each kind.
  std::array<std::uint8_t, kMaxKinds> missing = {};
  // Hits under none of the places taken.
  SquareSet unexplained;
  FleetWeights::Counts counts = 0;
  std::array<std::int16_t, kMaxShips> taken = {};
  std::size_t taken_count = 0;
};

// The places for the next ship: every completion of a partial fleet has as many of them as ships.
struct Branch {
  Words places;
  std::size_t first_word;
  std::size_t end_word;
  int places_count;
  int ships;
};

class Posterior {
 public:
  Posterior(const KnownSea& sea, const Prior& prior, const Effort& effort);

  SquareOdds Odds(base::Random& random);

 private:
  void AddShip(const KnownSea& sea, int ship, bool sunk);
  void Number(const std::vector<SquareSet>& places);
  void FindConflicts(bool ships_may_touch);

  // The next step towards a fleet; false when it is complete.
  bool Next(const Partial& partial, Branch& branch) const;
  void Take(std::size_t place, Partial& partial) const;
  // Draws a fleet and counts it. Returns the inverse of its chance to be drawn: the number of
  // fleets on average. 0 for a dead end.
  double Draw(base::Random& random);
  // Counts every completion once; false when that takes too many visits.
  bool VisitAll(const Partial& partial);
  void Add(const Partial& fleet, double times);
  void Forget();
  // Where no fleet was found: each place for itself, those that explain hits above all.
  void AddPlaces();
  SquareOdds OddsSoFar() const;

  const Effort effort_;
  const FleetWeights weights_;
  std::vector<Kind> kinds_;
  std::size_t words_ = 0;
  // By number; the numbers left over in a kind's last word stand for none.
  std::vector<Place> places_;
  // For each place a row of words: the places that cannot be taken beside it, itself included.
  std::vector<Word> conflicts_;
  // For each square, the places on it.
  std::vector<Words> on_square_;
  // Those with the fewest explanations first.
  std::vector<Square> hits_;
  Partial start_;

  // What the fleets so far come to: in all, and those with each place.
  double total_ = 0;
  std::vector<double> mass_;
  int visits_ = 0;
};

void Put(std::size_t place, Words& words) {
  words[place / kWordBits] |= Word{1} << (place % kWordBits);
}

void Drop(std::size_t place, Words& words) {
  words[place / kWordBits] &= ~(Word{1} << (place % kWordBits));
}

int CountBits(const Words& words, std::size_t first, std::size_t end) {
  int count = 0;
  for (std::size_t w = first; w < end; ++w) count += std::popcount(words[w]);
  return count;
}

// The n-th place of a branch. Requires 0 <= n < places_count.
std::size_t Nth(const Branch& branch, int n) {
  std::size_t w = branch.first_word;
  for (int here = std::popcount(branch.places[w]); n >= here;
       here = std::popcount(branch.places[w])) {
    n -= here;
    ++w;
  }
  Word word = branch.places[w];
  for (; n > 0; --n) word &= word - 1;
  return w * kWordBits + static_cast<std::size_t>(std::countr_zero(word));
}

// 0 .. bound - 1, with a bias below 2^-20 for the small bounds here, where Uniform would divide.
int Roll(int bound, base::Random& random) {
  return static_cast<int>(((random.Next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
}

// The places of a ship afloat that agree with what is known, taken alone.
std::vector<SquareSet> AfloatPlaces(const KnownSea& sea, int ship) {
  SquareSet barred = sea.barred;
  for (const Sinking& sinking : sea.sinkings) barred.Add(sinking.square);
  std::vector<SquareSet> places;
  for (const auto& [placement, place] : rules::ShipPlaces(sea.rules, ship)) {
    // A ship that was hit all over would have sunk.
    if (place.Intersects(barred) || sea.hits.ContainsAll(place)) continue;
    // The ship of a hit beside it would touch it.
    if (!sea.rules.ships_may_touch && Ring(place).Intersects(sea.hits)) continue;
    places.push_back(place);
  }
  return places;
}

Posterior::Posterior(const KnownSea& sea, const Prior& prior, const Effort& effort)
    : effort_(effort), weights_(sea.rules, prior), on_square_(rules::kMaxSquares) {
  // The longest first: they have the least room.
  for (const int ship : sea.hidden_sunk) AddShip(sea, ship, /*sunk=*/true);
  for (const int ship : sea.afloat) AddShip(sea, ship, /*sunk=*/false);
  FindConflicts(sea.rules.ships_may_touch);
  start_.unexplained = sea.hits;
  start_.counts = weights_.CountsOf(sea.sunk);
  hits_.assign(sea.hits.begin(), sea.hits.end());
  const auto explanations = [&](Square hit) {
    return CountBits(on_square_[static_cast<std::size_t>(hit.index())], 0, words_);
  };
  std::stable_sort(hits_.begin(), hits_.end(),
                   [&](Square a, Square b) { return explanations(a) < explanations(b); });
}

void Posterior::AddShip(const KnownSea& sea, int ship, bool sunk) {
  const int length = sea.rules.ships[static_cast<std::size_t>(ship)].length;
  if (kinds_.empty() || kinds_.back().length != length || kinds_.back().sunk != sunk) {
    kinds_.push_back({length, sunk, 0, words_, words_});
    Number(sunk ? SinkingPlaces(sea, ship) : AfloatPlaces(sea, ship));
    kinds_.back().end_word = words_;
  }
  ++kinds_.back().ships;
  ++start_.missing[kinds_.size() - 1];
}

// Gives a number to each place of the last kind.
void Posterior::Number(const std::vector<SquareSet>& places) {
  std::size_t next = words_ * kWordBits;
  places_.resize(next);
  for (const SquareSet squares : places) {
    places_.push_back({squares, weights_.CountsOf(squares), kinds_.size() - 1});
    Put(next, start_.free);
    for (const Square square : squares) {
      Put(next, on_square_[static_cast<std::size_t>(square.index())]);
    }
    ++next;
  }
  words_ = (next + kWordBits - 1) / kWordBits;
}

void Posterior::FindConflicts(bool ships_may_touch) {
  places_.resize(words_ * kWordBits);
  conflicts_.resize(places_.size() * words_);
  mass_.resize(places_.size());
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const SquareSet squares = places_[place].squares;
    Word* const row = &conflicts_[place * words_];
    for (const Square square : ships_may_touch ? squares : squares | Ring(squares)) {
      const Words& there = on_square_[static_cast<std::size_t>(square.index())];
      for (std::size_t w = 0; w < words_; ++w) row[w] |= there[w];
    }
  }
}

bool Posterior::Next(const Partial& partial, Branch& branch) const {
  branch.ships = 0;
  for (const Square hit : hits_) {
    if (!partial.unexplained.Contains(hit)) continue;
    const Words& there = on_square_[static_cast<std::size_t>(hit.index())];
    branch.first_word = 0;
    branch.end_word = words_;
    branch.ships = 1;
    for (std::size_t w = 0; w < words_; ++w) branch.places[w] = partial.free[w] & there[w];
    break;
  }
  for (std::size_t kind = 0; branch.ships == 0 && kind < kinds_.size(); ++kind) {
    if (partial.missing[kind] == 0) continue;
    branch.first_word = kinds_[kind].first_word;
    branch.end_word = kinds_[kind].end_word;
    branch.ships = partial.missing[kind];
    for (std::size_t w = branch.first_word; w < branch.end_word; ++w) {
      branch.places[w] = partial.free[w];
    }
  }
  if (branch.ships == 0) return false;
  branch.places_count = CountBits(branch.places, branch.first_word, branch.end_word);
  return true;
}

void Posterior::Take(std::size_t place, Partial& partial) const {
  const Place& taken = places_[place];
  const Word* const conflicts = &conflicts_[place * words_];
  for (std::size_t w = 0; w < words_; ++w) partial.free[w] &= ~conflicts[w];
  if (--partial.missing[taken.kind] == 0) {
    const Kind& kind = kinds_[taken.kind];
    for (std::size_t w = kind.first_word; w < kind.end_word; ++w) partial.free[w] = 0;
  }
  partial.unexplained = partial.unexplained - taken.squares;
  partial.counts += taken.counts;
  partial.taken[partial.taken_count++] = static_cast<std::int16_t>(place);
}

double Posterior::Draw(base::Random& random) {
  Partial fleet = start_;
  double times = 1;
  Branch branch;
  while (Next(fleet, branch)) {
    if (branch.places_count < branch.ships) return 0;
    // The ships of a branch could come in any order.
    times *= static_cast<double>(branch.places_count) / branch.ships;
    Take(Nth(branch, Roll(branch.places_count, random)), fleet);
  }
  Add(fleet, times);
  return times;
}

bool Posterior::VisitAll(const Partial& partial) {
  if (++visits_ > effort_.visits) return false;
  Branch branch;
  if (!Next(partial, branch)) {
    Add(partial, 1);
    return true;
  }
  Partial rest = partial;
  for (; branch.places_count >= branch.ships; --branch.places_count) {
    const std::size_t place = Nth(branch, 0);
    Partial next = rest;
    Take(place, next);
    if (!VisitAll(next)) return false;
    // The fleets with this place are done: later ones are without it.
    Drop(place, rest.free);
    Drop(place, branch.places);
  }
  return true;
}

void Posterior::Add(const Partial& fleet, double times) {
  const double weight = times * weights_.Weight(fleet.counts);
  total_ += weight;
  for (std::size_t i = 0; i < fleet.taken_count; ++i) {
    mass_[static_cast<std::size_t>(fleet.taken[i])] += weight;
  }
}

void Posterior::Forget() {
  total_ = 0;
  std::fill(mass_.begin(), mass_.end(), 0);
}

void Posterior::AddPlaces() {
  total_ = 1;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const SquareSet squares = places_[place].squares;
    if (!squares.empty()) mass_[place] = 1 + 100 * (squares & start_.unexplained).size();
  }
}

SquareOdds Posterior::OddsSoFar() const {
  SquareOdds odds = {};
  for (std::size_t place = 0; place < places_.size(); ++place) {
    for (const Square square : places_[place].squares) {
      odds[static_cast<std::size_t>(square.index())] += mass_[place] / total_;
    }
  }
  return odds;
}

SquareOdds Posterior::Odds(base::Random& random) {
  double fleets = 0;
  for (int i = 0; i < kPilotSamples; ++i) fleets += Draw(random) / kPilotSamples;
  if (fleets < kFewFleets * effort_.samples) {
    Forget();
    if (VisitAll(start_) && total_ > 0) return OddsSoFar();
  }
  Forget();
  int ships = 0;
  for (const Kind& kind : kinds_) ships += kind.ships;
  const int samples = effort_.samples * kShipsDrawn / std::max(ships, kShipsDrawn);
  for (int i = 0; i < samples; ++i) Draw(random);
  if (total_ == 0) AddPlaces();
  return OddsSoFar();
}

}  // namespace

SquareOdds ShipOdds(const KnownSea& sea, const Prior& prior, const Effort& effort,
                    base::Random& random) {
  // The bot's own stream: it takes one number of the caller's chance, which may be slow.
  base::SeededRandom draws(random.Next());
  return Posterior(sea, prior, effort).Odds(draws);
}

}  // namespace naval::bots
