#include "lib/rules/crowded.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "lib/rules/square.h"

namespace naval::rules {
namespace {

// Squares of a board of footprints: ships that may not touch have one more column and row.
constexpr int kFootprintSquares = (kMaxBoardSize + 1) * (kMaxBoardSize + 1);

std::uint64_t Low(Footprint squares) { return static_cast<std::uint64_t>(squares); }
std::uint64_t High(Footprint squares) { return static_cast<std::uint64_t>(squares >> 64); }

int Size(Footprint squares) { return std::popcount(Low(squares)) + std::popcount(High(squares)); }

// Requires at least one square.
int First(Footprint squares) {
  const std::uint64_t low = Low(squares);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(High(squares));
}

// In order.
template <typename Visit>
void ForEachSquare(Footprint squares, const Visit& visit) {
  for (; squares != 0; squares &= squares - 1) visit(static_cast<std::size_t>(First(squares)));
}

// How many places are disjoint from what is taken.
std::uint64_t CountFree(const OpenShips& open, Footprint taken) {
  std::uint64_t free = 0;
  for (const Footprint footprint : open.footprints) free += (footprint & taken) == 0 ? 1 : 0;
  return free;
}

// The n-th of them; open.places.size() where there are not so many.
std::size_t NthFree(const OpenShips& open, Footprint taken, std::uint64_t n) {
  std::size_t place = 0;
  for (; place < open.places.size(); ++place) {
    if ((open.footprints[place] & taken) == 0 && n-- == 0) break;
  }
  return place;
}

class Counting {
 public:
  Counting(const OpenPlaces& open, std::size_t max_states);

  CompletionCount Draw(base::Random& random);

 private:
  // How many ships of each length are still to be laid: no fleet has ships of more lengths than a
  // board has rows.
  using Left = std::array<std::uint8_t, kMaxBoardSize>;

  // Squares in the order of the board are decided one after the other: to be the first of a ship
  // or to stay free. The ways to go on depend on nothing but this.
  struct State {
    Footprint undecided;
    Left left;

    friend bool operator==(const State&, const State&) = default;
    template <typename H>
    friend H AbslHashValue(H hash, const State& state) {
      return H::combine(std::move(hash), Low(state.undecided), High(state.undecided), state.left);
    }
    bool whole() const { return left == Left{}; }
  };

  // A set of squares of which each ship takes some wherever it lies, such as those of the even
  // rows.
  struct Pattern {
    Footprint squares;
    // For each length how many it takes at least.
    std::vector<int> least;
  };

  // A ship that was laid.
  struct Laid {
    std::size_t length;
    std::size_t place;
  };

  void AddPattern(absl::FunctionRef<bool(int column, int row)> holds);
  void AddPatterns();
  // False where the undecided squares of some pattern are too few for the ships to come.
  bool HasRoom(const State& state) const;
  // The number of ways to go on.
  std::uint64_t Count(const State& state);
  // Decides the first undecided square in each possible way and calls `visit` with what follows,
  // until it returns true. The ship that this lays, if any, is at the end of laid_ meanwhile, and
  // stays there when `visit` returned true.
  void ForEachStep(const State& state, absl::FunctionRef<bool(const State&)> visit);
  // Lays the completion with this number, less than the count of all.
  void Lay(std::uint64_t number);
  // Which ship of a length goes to which of its places is drawn.
  Choice ToChoice(const std::vector<Laid>& laid, base::Random& random) const;

  const OpenPlaces& open_;
  const std::size_t max_states_;
  State start_;
  // The places of each length by the first square that they take.
  std::vector<std::array<std::vector<std::size_t>, kFootprintSquares>> by_first_;
  std::vector<Pattern> patterns_;
  absl::flat_hash_map<State, std::uint64_t> ways_;
  std::vector<Laid> laid_;
  std::optional<std::vector<Laid>> first_whole_;
  bool gave_up_ = false;
};

Counting::Counting(const OpenPlaces& open, std::size_t max_states)
    : open_(open), max_states_(max_states), start_{open.free, {}}, by_first_(open.lengths.size()) {
  for (std::size_t length = 0; length < open.lengths.size(); ++length) {
    const OpenShips& ships = open.lengths[length];
    start_.left[length] = static_cast<std::uint8_t>(ships.ships.size());
    for (std::size_t place = 0; place < ships.places.size(); ++place) {
      const auto first = static_cast<std::size_t>(First(ships.footprints[place]));
      by_first_[length][first].push_back(place);
    }
  }
  AddPatterns();
}

void Counting::AddPattern(absl::FunctionRef<bool(int, int)> holds) {
  Pattern pattern{0, {}};
  for (int column = 0; column < open_.side; ++column) {
    for (int row = 0; row < open_.side; ++row) {
      if (holds(column, row)) pattern.squares |= Footprint(1) << (column * open_.side + row);
    }
  }
  for (const OpenShips& open : open_.lengths) {
    int least = kFootprintSquares;
    for (const Footprint footprint : open.footprints) {
      least = std::min(least, Size(footprint & pattern.squares));
    }
    pattern.least.push_back(least);
  }
  const bool tells =
      std::any_of(pattern.least.begin(), pattern.least.end(), [](int least) { return least > 0; });
  if (tells) patterns_.push_back(std::move(pattern));
}

// The whole board, and those of which footprints take the most wherever they lie: lines as far
// apart as a footprint is long, and for those that are two wide one square of each block of four.
void Counting::AddPatterns() {
  AddPattern([](int, int) { return true; });
  for (int kind = 0; kind < 4; ++kind) {
    AddPattern([kind](int column, int row) { return column % 2 * 2 + row % 2 == kind; });
  }
  for (const OpenShips& open : open_.lengths) {
    const int period = open.length + (open_.side > kMaxBoardSize ? 1 : 0);
    for (int rest = 0; rest < period; ++rest) {
      AddPattern([=](int column, int row) { return (column + row) % period == rest; });
    }
  }
}

bool Counting::HasRoom(const State& state) const {
  return std::all_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    int needed = 0;
    for (std::size_t length = 0; length < pattern.least.size(); ++length) {
      needed += state.left[length] * pattern.least[length];
    }
    return Size(state.undecided & pattern.squares) >= needed;
  });
}

std::uint64_t Counting::Count(const State& state) {
  if (state.whole()) {
    if (!first_whole_.has_value()) first_whole_ = laid_;
    return 1;
  }
  if (gave_up_ || !HasRoom(state)) return 0;
  if (const auto known = ways_.find(state); known != ways_.end()) return known->second;
  std::uint64_t ways = 0;
  ForEachStep(state, [&](const State& next) {
    const std::uint64_t more = Count(next);
    if (more > std::numeric_limits<std::uint64_t>::max() - ways) gave_up_ = true;
    ways += more;
    return false;
  });
  if (ways_.size() >= max_states_) gave_up_ = true;
  ways_.emplace(state, ways);
  return ways;
}

void Counting::ForEachStep(const State& state, absl::FunctionRef<bool(const State&)> visit) {
  const int square = First(state.undecided);
  State next = state;
  for (std::size_t length = 0; length < open_.lengths.size(); ++length) {
    if (state.left[length] == 0) continue;
    --next.left[length];
    for (const std::size_t place : by_first_[length][static_cast<std::size_t>(square)]) {
      const Footprint footprint = open_.lengths[length].footprints[place];
      if ((footprint & ~state.undecided) != 0) continue;
      next.undecided = state.undecided & ~footprint;
      laid_.push_back({length, place});
      if (visit(next)) return;
      laid_.pop_back();
    }
    ++next.left[length];
  }
  next.undecided = state.undecided & ~(Footprint(1) << square);
  visit(next);
}

CompletionCount Counting::Draw(base::Random& random) {
  CompletionCount result;
  const std::uint64_t count = Count(start_);
  if (!gave_up_) {
    result.completions = count;
    if (count == 0) return result;
    Lay(random.Uniform(count));
    result.choice = ToChoice(laid_, random);
  } else if (first_whole_.has_value()) {
    result.choice = ToChoice(*first_whole_, random);
  }
  return result;
}

void Counting::Lay(std::uint64_t number) {
  State state = start_;
  while (!state.whole()) {
    State chosen;
    ForEachStep(state, [&](const State& next) {
      const std::uint64_t ways = Count(next);
      if (number < ways) {
        chosen = next;
        return true;
      }
      number -= ways;
      return false;
    });
    state = chosen;
  }
}

Choice Counting::ToChoice(const std::vector<Laid>& laid, base::Random& random) const {
  Choice choice;
  for (std::size_t length = 0; length < open_.lengths.size(); ++length) {
    const std::size_t first = choice.size();
    for (const Laid& ship : laid) {
      if (ship.length != length) continue;
      choice.push_back(ship.place);
      std::swap(choice.back(), choice[first + random.Uniform(choice.size() - first)]);
    }
  }
  return choice;
}

// How much of the places of these ships each free square stands for. A place is shared out among
// its squares, so the shares of the squares that are taken add up to no more than the places that
// this costs. The shares are made as even as a few rounds make them, for then even the squares that
// cost the least cost much.
std::vector<double> Shares(const OpenPlaces& open, const OpenShips& ships) {
  constexpr int kRounds = 12;
  std::array<double, kFootprintSquares> weight;
  std::array<double, kFootprintSquares> share;
  weight.fill(1);
  for (int round = 0; round < kRounds; ++round) {
    share.fill(0);
    for (const Footprint footprint : ships.footprints) {
      double whole = 0;
      ForEachSquare(footprint, [&](std::size_t square) { whole += weight[square]; });
      ForEachSquare(footprint,
                    [&](std::size_t square) { share[square] += weight[square] / whole; });
    }
    if (round + 1 == kRounds) break;
    for (std::size_t square = 0; square < weight.size(); ++square) {
      if (share[square] > 0) weight[square] /= share[square];
    }
  }
  std::vector<double> shares;
  ForEachSquare(open.free, [&](std::size_t square) { shares.push_back(share[square]); });
  return shares;
}

}  // namespace

CompletionCount DrawByCounting(const OpenPlaces& open, std::size_t max_states,
                               base::Random& random) {
  return Counting(open, max_states).Draw(random);
}

std::vector<std::uint64_t> MostPlaces(const OpenPlaces& open) {
  // Of the sums' rounding.
  constexpr double kMargin = 1e-6;
  std::vector<std::uint64_t> most;
  std::size_t taken = 0;
  for (const OpenShips& ships : open.lengths) {
    std::vector<double> shares = Shares(open, ships);
    std::sort(shares.begin(), shares.end());
    for (std::size_t ship = 0; ship < ships.ships.size(); ++ship) {
      const auto end = shares.begin() + static_cast<std::ptrdiff_t>(std::min(taken, shares.size()));
      const double cost = std::accumulate(shares.begin(), end, 0.0);
      const double left = static_cast<double>(ships.places.size()) - cost + kMargin;
      most.push_back(static_cast<std::uint64_t>(std::max(left, 0.0)));
      taken += static_cast<std::size_t>(Size(ships.footprints.front()));
    }
  }
  return most;
}

std::optional<Choice> DrawByThinning(const OpenPlaces& open, int max_ships, base::Random& random) {
  const std::vector<std::uint64_t> most = MostPlaces(open);
  if (std::find(most.begin(), most.end(), 0U) != most.end()) return std::nullopt;
  Choice choice;
  int laid = 0;
  // One try: false when it ends early.
  const auto try_once = [&] {
    choice.clear();
    Footprint taken = 0;
    for (const OpenShips& ships : open.lengths) {
      for (std::size_t ship = 0; ship < ships.ships.size(); ++ship) {
        ++laid;
        const std::size_t place = NthFree(ships, taken, random.Uniform(most[choice.size()]));
        if (place == ships.places.size()) return false;
        taken |= ships.footprints[place];
        choice.push_back(place);
      }
    }
    return true;
  };
  while (laid < max_ships) {
    if (try_once()) return choice;
  }
  return std::nullopt;
}

std::optional<Choice> DrawFromPopulation(const OpenPlaces& open, int size, base::Random& random) {
  // A fleet of a generation: one of the generation before with one ship more.
  struct Grown {
    std::size_t parent;
    std::size_t place;
  };
  const auto population = static_cast<std::uint64_t>(size);
  std::vector<std::vector<Grown>> generations;
  std::vector<Footprint> taken(population);
  for (const OpenShips& ships : open.lengths) {
    for (std::size_t ship = 0; ship < ships.ships.size(); ++ship) {
      std::vector<std::uint64_t> ends;
      std::uint64_t pairs = 0;
      for (const Footprint fleet : taken) ends.push_back(pairs += CountFree(ships, fleet));
      if (pairs == 0) return std::nullopt;
      std::vector<Grown>& grown = generations.emplace_back();
      std::vector<Footprint> next;
      std::size_t parent = 0;
      for (std::uint64_t i = 0; i < population; ++i) {
        // One from each of `size` equal parts: closer to the odds than as many from the whole.
        const std::uint64_t pair = (i * pairs + random.Uniform(pairs)) / population;
        while (ends[parent] <= pair) ++parent;
        const std::uint64_t first = parent == 0 ? 0 : ends[parent - 1];
        const std::size_t place = NthFree(ships, taken[parent], pair - first);
        grown.push_back({parent, place});
        next.push_back(taken[parent] | ships.footprints[place]);
      }
      taken = std::move(next);
    }
  }
  Choice choice(generations.size());
  std::size_t fleet = random.Uniform(population);
  for (std::size_t ship = choice.size(); ship-- > 0;) {
    choice[ship] = generations[ship][fleet].place;
    fleet = generations[ship][fleet].parent;
  }
  return choice;
}

}  // namespace naval::rules
