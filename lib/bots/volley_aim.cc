#include "lib/bots/volley_aim.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "lib/bots/choice.h"

namespace naval::bots {
namespace {

using rules::Square;
using rules::SquareSet;

// What a nat of information is worth where hits alone count, and where ships that sink cost the
// rival shots too. Measured, the latter in duels.
constexpr double kInformation = 2;
constexpr double kInformationBesideShots = 1;
// What it is worth that a ship sinks, beside the shots that it gave the rival.
constexpr double kSinking = 1;
// A volley that has so many squares tells enough: what more would tell is not reckoned, for that
// takes time.
constexpr int kInformed = 16;

// The answers that a volley can get, numbered as they come up: 0 is that of no hit.
class Answers {
 public:
  explicit Answers(int classes) : classes_(static_cast<std::size_t>(classes)) {
    for (std::size_t of = 0; of < classes_; ++of) {
      hit_keys_.push_back((of == 0 ? 1 : hit_keys_.back()) * 0x9E3779B97F4A7C15);
    }
    Number(0);
  }

  // The answer that has a hit on the class more.
  int WithHit(int answer, int ship_class) {
    const auto of = static_cast<std::size_t>(ship_class);
    const std::size_t at = static_cast<std::size_t>(answer) * classes_ + of;
    if (with_hit_[at] < 0) {
      const int next = Number(keys_[static_cast<std::size_t>(answer)] + hit_keys_[of]);
      with_hit_[at] = next;
    }
    return with_hit_[at];
  }

  std::size_t size() const { return keys_.size(); }

 private:
  int Number(std::uint64_t key) {
    const auto [known, is_new] = numbers_.try_emplace(key, static_cast<int>(keys_.size()));
    if (is_new) {
      keys_.push_back(key);
      with_hit_.resize(with_hit_.size() + classes_, -1);
    }
    return known->second;
  }

  const std::size_t classes_;
  // The sum of those of its hits stands for an answer. Different answers would have one sum by a
  // chance of 2^-64, and then the choice would be a little less good.
  std::vector<std::uint64_t> hit_keys_;
  std::vector<std::uint64_t> keys_;
  absl::flat_hash_map<std::uint64_t, int> numbers_;
  // By answer and class; -1 before it came up.
  std::vector<int> with_hit_;
};

class Aim {
 public:
  Aim(const KnownSea& sea, const std::vector<PossibleFleet>& fleets);

  SquareSet Choose(int shots, base::Random& random);

 private:
  // A fleet that has a ship on the square.
  struct Meeting {
    std::size_t fleet = 0;
    int ship_class = 0;
  };

  // What sinking the ship is worth, and what each of the squares left of it, if so many are.
  double HitWorth(const rules::Ship& ship, int squares_left) const;
  // The meeting's answer when the square joins the volley.
  int AnswerWith(const Meeting& meeting);
  // How much more the answer tells when the square joins the volley, in nats.
  double Information(Square square);
  void Join(Square square);

  const rules::RuleSet& rules_;
  const SquareSet open_;
  Answers answers_;
  // How often each fleet comes, and all of them.
  std::vector<int> times_;
  int all_ = 0;
  std::array<std::vector<Meeting>, rules::kMaxSquares> meetings_;
  // The expected worth of a hit on each square, times `all_`.
  std::array<double, rules::kMaxSquares> worth_ = {};
  // What each fleet answers to the volley so far, and how often each answer is given.
  std::vector<int> answer_of_;
  std::vector<int> counts_;
  // n log n.
  std::vector<double> n_log_n_;
};

Aim::Aim(const KnownSea& sea, const std::vector<PossibleFleet>& fleets)
    : rules_(sea.rules),
      open_(sea.open),
      answers_(static_cast<int>(rules::ShipClasses(sea.rules).size())),
      answer_of_(fleets.size()) {
  for (const PossibleFleet& fleet : fleets) {
    for (const PossibleShip& ship : fleet.ships) {
      const auto index = static_cast<std::size_t>(ship.ship);
      const SquareSet left = ship.squares & sea.open;
      for (const Square square : left) {
        const auto at = static_cast<std::size_t>(square.index());
        meetings_[at].push_back({times_.size(), sea.ship_class[index]});
        worth_[at] += fleet.times * HitWorth(rules_.ships[index], left.size());
      }
    }
    times_.push_back(fleet.times);
    all_ += fleet.times;
  }
  counts_ = {all_};
  n_log_n_ = {0};
  for (int n = 1; n <= all_; ++n) n_log_n_.push_back(n * std::log(n));
}

double Aim::HitWorth(const rules::Ship& ship, int squares_left) const {
  if (rules_.shots_per_turn.has_value()) return 1;
  return (ship.shots + kSinking) / squares_left;
}

int Aim::AnswerWith(const Meeting& meeting) {
  const int answer = answers_.WithHit(answer_of_[meeting.fleet], meeting.ship_class);
  if (counts_.size() < answers_.size()) counts_.resize(answers_.size());
  return answer;
}

// The entropy of the answer is that of `all_` equally likely fleets, less the mean of what each
// answer leaves open.
double Aim::Information(Square square) {
  const std::vector<Meeting>& meetings = meetings_[static_cast<std::size_t>(square.index())];
  double less_open = 0;
  const auto change = [&](int answer, int by) {
    int& count = counts_[static_cast<std::size_t>(answer)];
    less_open += n_log_n_[static_cast<std::size_t>(count)];
    count += by;
    less_open -= n_log_n_[static_cast<std::size_t>(count)];
  };
  for (const Meeting& meeting : meetings) {
    change(answer_of_[meeting.fleet], -times_[meeting.fleet]);
    change(AnswerWith(meeting), times_[meeting.fleet]);
  }
  for (const Meeting& meeting : meetings) {
    counts_[static_cast<std::size_t>(answer_of_[meeting.fleet])] += times_[meeting.fleet];
    counts_[static_cast<std::size_t>(AnswerWith(meeting))] -= times_[meeting.fleet];
  }
  return less_open / all_;
}

void Aim::Join(Square square) {
  for (const Meeting& meeting : meetings_[static_cast<std::size_t>(square.index())]) {
    int& answer = answer_of_[meeting.fleet];
    counts_[static_cast<std::size_t>(answer)] -= times_[meeting.fleet];
    answer = AnswerWith(meeting);
    counts_[static_cast<std::size_t>(answer)] += times_[meeting.fleet];
  }
}

SquareSet Aim::Choose(int shots, base::Random& random) {
  const double information =
      rules_.shots_per_turn.has_value() ? kInformation : kInformationBesideShots;
  SquareSet volley;
  while (volley.size() < shots) {
    const bool informed = volley.size() < kInformed;
    const Square best = Best(open_ - volley, random, [&](Square square) {
      const double worth = worth_[static_cast<std::size_t>(square.index())] / all_;
      return informed ? worth + information * Information(square) : worth;
    });
    Join(best);
    volley.Add(best);
  }
  return volley;
}

}  // namespace

SquareSet AimVolley(const KnownSea& sea, const std::vector<PossibleFleet>& fleets, int shots,
                    base::Random& random) {
  return Aim(sea, fleets).Choose(shots, random);
}

}  // namespace naval::bots
