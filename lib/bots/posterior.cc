#include "lib/bots/posterior.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

// Places are numbered; a set of them is a row of words. Ships of one kind can have the same places,
// which have words of their own: at most 180 places on the largest board.
using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;
constexpr std::size_t kMaxShips = 15;
constexpr std::size_t kMaxShipLength = 6;
constexpr std::size_t kMaxWords = kMaxShips * 3;
// Each has a square of a ship at least.
constexpr std::size_t kMaxClues = kMaxShips * kMaxShipLength;
using Words = std::array<Word, kMaxWords>;

// Fleets are visited one by one where the first draws say that there are no more than this, for
// each fleet that would be drawn otherwise.
constexpr double kFewFleets = 1.5;
constexpr int kPilotSamples = 128;
// So many ships a fleet are drawn at full effort; of larger fleets there are fewer.
constexpr int kShipsDrawn = 10;

// Ships that no answer can tell apart make a group: those of a class in volleys, else all. Those of
// a group that can have the same places are a kind.
struct Kind {
  int group = 0;
  int length = 0;
  // What sank them (SinkingIndex): one volley, or the shot that sank the only one.
  int sinking = -1;
  // One of them.
  int ship = 0;
  std::size_t first_word = 0;
  std::size_t end_word = 0;
};

// So many squares of these are under ships of the group: a hit, or what a volley hit of a class.
struct Clue {
  SquareSet squares;
  int hits = 1;
  int group = 0;
  // Places on any of them.
  int explanations = 0;
  // Which places are on more than r of the squares stands at first_over + r, for r below `hits`.
  std::size_t first_over = 0;
};

struct Place {
  // On how many squares of a clue it is.
  struct Touch {
    std::uint8_t clue = 0;
    std::uint8_t squares = 0;
  };

  SquareSet squares;
  FleetWeights::Counts counts = 0;
  std::size_t kind = 0;
  std::array<Touch, kMaxShipLength> touches = {};
  std::size_t touch_count = 0;
};

// A fleet in the making.
struct Partial {
  // Places that agree with those taken.
  Words free = {};
  // Of each kind.
  std::array<std::uint8_t, kMaxShips> missing = {};
  // Of each group.
  std::array<std::uint8_t, kMaxShips> group_missing = {};
  // Hits of each clue that are under none of the places taken.
  std::array<std::uint8_t, kMaxClues> unexplained = {};
  FleetWeights::Counts counts = 0;
  std::array<std::int16_t, kMaxShips> taken = {};
  std::size_t taken_count = 0;
};

// The places for the next ship: every completion of a partial fleet has at least as many of them as
// ships.
struct Branch {
  Words places;
  std::size_t first_word;
  std::size_t end_word;
  int places_count;
  int ships;
  // What they explain; -1 for any place of a kind, where it is just so many.
  int clue;
};

struct FoundFleet {
  double weight = 0;
  std::array<std::int16_t, kMaxShips> places = {};
  std::size_t places_count = 0;
};

// Finds fleets that agree with what is known.
class Posterior {
 public:
  Posterior(const KnownSea& sea, const Prior& prior, const Effort& effort);

  // Fills the fleets found.
  void Search(base::Random& random);

  SquareOdds Odds() const;
  std::vector<PossibleFleet> Draw(int count, base::Random& random) const;

 private:
  void AddShip(const KnownSea& sea, int ship);
  void Number(const std::vector<SquareSet>& places);
  void AddClues(const KnownSea& sea);
  int Explanations(const Clue& clue) const;
  void FindTouches(std::size_t clue);
  void FindConflicts(bool ships_may_touch);

  // The next step towards a fleet; false when it is complete.
  bool Next(const Partial& partial, Branch& branch) const;
  void Take(std::size_t place, Partial& partial) const;
  // Leaves the last ship of the group only places that explain all that is left of its clues.
  void ExplainAll(int group, Partial& partial) const;
  // Draws a fleet and counts it. Returns the inverse of its chance to be drawn: the number of
  // fleets on average. 0 for a dead end.
  double DrawOne(base::Random& random);
  // Counts every completion once; false when that takes too many visits.
  bool VisitAll(const Partial& partial);
  void Add(const Partial& fleet, double times);
  // Where no fleet was found: each place for itself, those that explain hits above all.
  SquareOdds PlaceOdds() const;

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
  std::vector<Clue> clues_;
  std::vector<Words> over_;
  Partial start_;

  std::vector<FoundFleet> found_;
  double total_ = 0;
  int visits_ = 0;
};

void Put(std::size_t place, Words& words) {
  words[place / kWordBits] |= Word{1} << (place % kWordBits);
}

void Drop(std::size_t place, Words& words) {
  words[place / kWordBits] &= ~(Word{1} << (place % kWordBits));
}

bool Has(const Words& words, std::size_t place) {
  return (words[place / kWordBits] >> (place % kWordBits) & 1U) != 0;
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

// 0 .. 1, 1 excluded.
double RollFraction(base::Random& random) {
  return static_cast<double>(random.Next() >> 11) * 0x1p-53;
}

int GroupOf(const KnownSea& sea, int ship) {
  return sea.volleys.empty() ? 0 : sea.ship_class[static_cast<std::size_t>(ship)];
}

Posterior::Posterior(const KnownSea& sea, const Prior& prior, const Effort& effort)
    : effort_(effort), weights_(sea.rules, prior), on_square_(rules::kMaxSquares) {
  // The longest first: they have the least room.
  for (const int ship : sea.hidden_sunk) AddShip(sea, ship);
  for (const int ship : sea.afloat) AddShip(sea, ship);
  FindConflicts(sea.rules.ships_may_touch);
  AddClues(sea);
  start_.counts = weights_.CountsOf(sea.sunk);
  for (std::size_t group = 0; group < kMaxShips; ++group) {
    if (start_.group_missing[group] == 1) ExplainAll(static_cast<int>(group), start_);
  }
}

void Posterior::AddShip(const KnownSea& sea, int ship) {
  Kind kind{.group = GroupOf(sea, ship),
            .length = sea.rules.ships[static_cast<std::size_t>(ship)].length,
            .sinking = SinkingIndex(sea, ship),
            .ship = ship,
            .first_word = words_};
  const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&kind](const Kind& other) {
    return other.group == kind.group && other.length == kind.length &&
           other.sinking == kind.sinking;
  });
  const auto index = static_cast<std::size_t>(same - kinds_.begin());
  if (same == kinds_.end()) {
    kinds_.push_back(kind);
    Number(PlacesOf(sea, ship));
    kinds_.back().end_word = words_;
  }
  ++start_.missing[index];
  ++start_.group_missing[static_cast<std::size_t>(kind.group)];
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
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const SquareSet squares = places_[place].squares;
    Word* const row = &conflicts_[place * words_];
    for (const Square square : ships_may_touch ? squares : squares | Ring(squares)) {
      const Words& there = on_square_[static_cast<std::size_t>(square.index())];
      for (std::size_t w = 0; w < words_; ++w) row[w] |= there[w];
    }
  }
}

void Posterior::AddClues(const KnownSea& sea) {
  for (const Square hit : sea.hits) clues_.push_back({.squares = {hit}});
  for (const rules::VolleyAnswered& volley : sea.volleys) {
    for (std::size_t of = 0; of < volley.hits.size(); ++of) {
      if (volley.hits[of] == 0) continue;
      clues_.push_back({volley.squares, volley.hits[of], static_cast<int>(of)});
    }
  }
  for (Clue& clue : clues_) clue.explanations = Explanations(clue);
  std::stable_sort(clues_.begin(), clues_.end(),
                   [](const Clue& a, const Clue& b) { return a.explanations < b.explanations; });
  for (std::size_t clue = 0; clue < clues_.size(); ++clue) FindTouches(clue);
}

int Posterior::Explanations(const Clue& clue) const {
  Words places = {};
  for (const Square square : clue.squares) {
    const Words& there = on_square_[static_cast<std::size_t>(square.index())];
    for (std::size_t w = 0; w < words_; ++w) places[w] |= there[w];
  }
  int count = 0;
  for (const Kind& kind : kinds_) {
    if (kind.group == clue.group) count += CountBits(places, kind.first_word, kind.end_word);
  }
  return count;
}

void Posterior::FindTouches(std::size_t clue) {
  Clue& of = clues_[clue];
  start_.unexplained[clue] = static_cast<std::uint8_t>(of.hits);
  of.first_over = over_.size();
  over_.resize(over_.size() + static_cast<std::size_t>(of.hits));
  for (std::size_t number = 0; number < places_.size(); ++number) {
    Place& place = places_[number];
    if (kinds_[place.kind].group != of.group) continue;
    const int squares = (place.squares & of.squares).size();
    if (squares == 0) continue;
    place.touches[place.touch_count++] = {static_cast<std::uint8_t>(clue),
                                          static_cast<std::uint8_t>(squares)};
    const int levels = std::min(squares, of.hits);
    for (int r = 0; r < levels; ++r)
      Put(number, over_[of.first_over + static_cast<std::size_t>(r)]);
  }
}

bool Posterior::Next(const Partial& partial, Branch& branch) const {
  branch.ships = 0;
  for (std::size_t clue = 0; clue < clues_.size(); ++clue) {
    if (partial.unexplained[clue] == 0) continue;
    const Words& there = over_[clues_[clue].first_over];
    branch.first_word = 0;
    branch.end_word = words_;
    branch.ships = 1;
    branch.clue = static_cast<int>(clue);
    for (std::size_t w = 0; w < words_; ++w) branch.places[w] = partial.free[w] & there[w];
    break;
  }
  for (std::size_t kind = 0; branch.ships == 0 && kind < kinds_.size(); ++kind) {
    if (partial.missing[kind] == 0) continue;
    branch.first_word = kinds_[kind].first_word;
    branch.end_word = kinds_[kind].end_word;
    branch.ships = partial.missing[kind];
    branch.clue = -1;
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
  const Kind& kind = kinds_[taken.kind];
  if (--partial.missing[taken.kind] == 0) {
    for (std::size_t w = kind.first_word; w < kind.end_word; ++w) partial.free[w] = 0;
  }
  for (std::size_t i = 0; i < taken.touch_count; ++i) {
    const auto [clue, squares] = taken.touches[i];
    std::uint8_t& left = partial.unexplained[clue];
    left = static_cast<std::uint8_t>(left - squares);
    const Words& over = over_[clues_[clue].first_over + left];
    for (std::size_t w = 0; w < words_; ++w) partial.free[w] &= ~over[w];
  }
  if (--partial.group_missing[static_cast<std::size_t>(kind.group)] == 1) {
    ExplainAll(kind.group, partial);
  }
  partial.counts += taken.counts;
  partial.taken[partial.taken_count++] = static_cast<std::int16_t>(place);
}

void Posterior::ExplainAll(int group, Partial& partial) const {
  for (std::size_t clue = 0; clue < clues_.size(); ++clue) {
    const std::size_t left = partial.unexplained[clue];
    if (left == 0 || clues_[clue].group != group) continue;
    const Words& enough = over_[clues_[clue].first_over + left - 1];
    for (const Kind& kind : kinds_) {
      if (kind.group != group) continue;
      for (std::size_t w = kind.first_word; w < kind.end_word; ++w) partial.free[w] &= enough[w];
    }
  }
}

double Posterior::DrawOne(base::Random& random) {
  Partial fleet = start_;
  double times = 1;
  Branch branch;
  // The clue that each place was drawn for.
  std::array<int, kMaxShips> clues;
  while (Next(fleet, branch)) {
    if (branch.places_count < branch.ships) return 0;
    // The ships of a kind could come in any order.
    times *= static_cast<double>(branch.places_count) / branch.ships;
    clues[fleet.taken_count] = branch.clue;
    Take(Nth(branch, Roll(branch.places_count, random)), fleet);
  }
  // And so could those that share a clue.
  for (std::size_t i = 0; i < fleet.taken_count; ++i) {
    if (clues[i] < 0) continue;
    const Words& there = over_[clues_[static_cast<std::size_t>(clues[i])].first_over];
    int sharing = 0;
    for (std::size_t j = i; j < fleet.taken_count; ++j) {
      sharing += Has(there, static_cast<std::size_t>(fleet.taken[j])) ? 1 : 0;
    }
    times /= sharing;
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
  found_.push_back({weight, fleet.taken, fleet.taken_count});
}

void Posterior::Search(base::Random& random) {
  double fleets = 0;
  for (int i = 0; i < kPilotSamples; ++i) fleets += DrawOne(random) / kPilotSamples;
  const auto forget = [this] {
    found_.clear();
    total_ = 0;
  };
  forget();
  if (fleets < kFewFleets * effort_.samples) {
    if (VisitAll(start_) && total_ > 0) return;
    forget();
  }
  int ships = 0;
  for (const std::uint8_t missing : start_.missing) ships += missing;
  const int samples = effort_.samples * kShipsDrawn / std::max(ships, kShipsDrawn);
  for (int i = 0; i < samples; ++i) DrawOne(random);
}

SquareOdds Posterior::PlaceOdds() const {
  SquareOdds odds = {};
  for (const Place& place : places_) {
    for (const Square square : place.squares) {
      odds[static_cast<std::size_t>(square.index())] +=
          1 + 100 * static_cast<double>(place.touch_count);
    }
  }
  return odds;
}

SquareOdds Posterior::Odds() const {
  if (found_.empty()) return PlaceOdds();
  std::vector<double> mass(places_.size());
  for (const FoundFleet& fleet : found_) {
    for (std::size_t i = 0; i < fleet.places_count; ++i) {
      mass[static_cast<std::size_t>(fleet.places[i])] += fleet.weight;
    }
  }
  SquareOdds odds = {};
  for (std::size_t place = 0; place < places_.size(); ++place) {
    for (const Square square : places_[place].squares) {
      odds[static_cast<std::size_t>(square.index())] += mass[place] / total_;
    }
  }
  return odds;
}

std::vector<PossibleFleet> Posterior::Draw(int count, base::Random& random) const {
  std::vector<PossibleFleet> drawn;
  // Equal steps through the weights: a fleet comes as often as its share of them, to within one.
  const double step = total_ / count;
  double next = RollFraction(random) * step;
  double weight = 0;
  for (const FoundFleet& fleet : found_) {
    weight += fleet.weight;
    PossibleFleet possible;
    for (; next < weight; next += step) ++possible.times;
    if (possible.times == 0) continue;
    for (std::size_t i = 0; i < fleet.places_count; ++i) {
      const Place& place = places_[static_cast<std::size_t>(fleet.places[i])];
      possible.ships.push_back({kinds_[place.kind].ship, place.squares});
    }
    drawn.push_back(std::move(possible));
  }
  return drawn;
}

}  // namespace

SquareOdds ShipOdds(const KnownSea& sea, const Prior& prior, const Effort& effort,
                    base::Random& random) {
  // The bot's own stream: it takes one number of the caller's chance, which may be slow.
  base::SeededRandom draws(random.Next());
  Posterior posterior(sea, prior, effort);
  posterior.Search(draws);
  return posterior.Odds();
}

std::vector<PossibleFleet> LikelyFleets(const KnownSea& sea, const Prior& prior,
                                        const Effort& effort, int count, base::Random& random) {
  base::SeededRandom draws(random.Next());
  Posterior posterior(sea, prior, effort);
  posterior.Search(draws);
  return posterior.Draw(count, draws);
}

}  // namespace naval::bots
