#include "tools/arena/arena.h"

#include <time.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/base/status_macros.h"
#include "lib/bots/bot.h"
#include "lib/bots/known_sea.h"
#include "lib/rules/game.h"
#include "lib/rules/view.h"
#include "tools/arena/players.h"

namespace naval::arena {
namespace {

using rules::Seat;
using rules::SquareSet;

constexpr Seat kBotSeat = Seat::kFirst;
constexpr Seat kRivalSeat = Seat::kSecond;

// What chance is drawn for, each from numbers of its own: so every bot meets the same fleets.
enum class Purpose : std::uint64_t { kFleets, kBot, kRival, kGame };

base::SeededRandom ChanceFor(const Setting& setting, int number, Purpose purpose) {
  // An odd factor near 2^64 / golden ratio keeps the streams of neighbouring games far apart.
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;
  const auto stream = static_cast<std::uint64_t>(number) * 4 + static_cast<std::uint64_t>(purpose);
  return base::SeededRandom(setting.seed + (stream + 1) * kSpread);
}

// A game in progress.
class Board {
 public:
  explicit Board(const Setting& setting, int number, Seat starter)
      : game_({setting.rules, starter}), chance_(ChanceFor(setting, number, Purpose::kGame)) {
    for (const rules::Event& event : game_.Start(kNow)) game_.Apply(event);
  }

  absl::Status Do(const rules::Command& command) {
    NAVAL_ASSIGN_OR_RETURN(const std::vector<rules::Event> events,
                           game_.Decide(command, kNow, {chance_, chance_}));
    for (const rules::Event& event : events) game_.Apply(event);
    return absl::OkStatus();
  }

  const rules::Game& game() const { return game_; }

 private:
  // No time passes, so no clock ends.
  static constexpr absl::Time kNow = absl::UnixEpoch();

  rules::Game game_;
  base::SeededRandom chance_;
};

// The CPU time that this thread has taken.
double ThreadCpuMs() {
  timespec taken = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &taken);
  return static_cast<double>(taken.tv_sec) * 1e3 + static_cast<double>(taken.tv_nsec) / 1e6;
}

// For a rival that never hits: water as long as there is some.
SquareSet Misses(const rules::Game& game) {
  const rules::Sea& sea = *game.sea(kBotSeat);
  SquareSet water = sea.open() - rules::FleetSquareSet(game.rules(), sea.fleet());
  const rules::GameView view = rules::ViewOf(game, rules::ViewerAt(kRivalSeat));
  SquareSet misses;
  while (misses.size() < bots::ShotsDue(view)) {
    if (water.empty()) water = sea.open() - misses;
    misses.Add(water.Nth(0));
    water.Remove(water.Nth(0));
  }
  return misses;
}

class Player {
 public:
  Player(const bots::Bot& bot, base::SeededRandom random) : bot_(bot), random_(std::move(random)) {}

  SquareSet Choose(const rules::Game& game, Seat seat) {
    return bot_.ChooseShots(rules::ViewOf(game, rules::ViewerAt(seat)), random_);
  }

 private:
  const bots::Bot& bot_;
  base::SeededRandom random_;
};

absl::StatusOr<Outcome> PlayOne(const Setting& setting, const bots::Bot& bot,
                                const bots::Bot* rival, int number) {
  Outcome outcome;
  outcome.started = rival == nullptr || number % 2 == 0;
  Board board(setting, number, outcome.started ? kBotSeat : kRivalSeat);
  base::SeededRandom fleets = ChanceFor(setting, number, Purpose::kFleets);
  for (const Seat seat : {kRivalSeat, kBotSeat}) {
    NAVAL_ASSIGN_OR_RETURN(rules::Fleet fleet, DrawFleet(setting.fleets, setting.rules, fleets));
    NAVAL_RETURN_IF_ERROR(board.Do(rules::ConfirmFleet{seat, std::move(fleet)}));
  }
  Player ours(bot, ChanceFor(setting, number, Purpose::kBot));
  Player theirs(rival != nullptr ? *rival : bot, ChanceFor(setting, number, Purpose::kRival));
  const rules::Game& game = board.game();
  while (game.phase() == rules::Phase::kBattle) {
    const Seat seat = game.Awaits(kBotSeat) ? kBotSeat : kRivalSeat;
    SquareSet shots;
    if (seat == kBotSeat) {
      const double before = ThreadCpuMs();
      shots = ours.Choose(game, seat);
      outcome.cpu_ms.push_back(ThreadCpuMs() - before);
      outcome.shots += shots.size();
    } else {
      shots = rival != nullptr ? theirs.Choose(game, seat) : Misses(game);
    }
    NAVAL_RETURN_IF_ERROR(
        board.Do(rules::FireShots{seat, {shots.begin(), shots.end()}, game.round()}));
  }
  outcome.rounds = game.round();
  outcome.won = game.result()->winner == kBotSeat;
  return outcome;
}

}  // namespace

absl::StatusOr<std::vector<Outcome>> PlayAll(const Setting& setting) {
  NAVAL_ASSIGN_OR_RETURN(const std::unique_ptr<bots::Bot> bot, MakePlayer(setting.bot));
  std::unique_ptr<bots::Bot> rival;
  if (!setting.rival.empty()) {
    NAVAL_ASSIGN_OR_RETURN(rival, MakePlayer(setting.rival));
  }
  std::vector<Outcome> outcomes(static_cast<std::size_t>(setting.games));
  base::Mutex mutex;
  absl::Status failure;
  std::atomic<int> next = 0;
  const auto play = [&] {
    for (int number = next++; number < setting.games; number = next++) {
      absl::StatusOr<Outcome> outcome = PlayOne(setting, *bot, rival.get(), number);
      if (outcome.ok()) {
        outcomes[static_cast<std::size_t>(number)] = *std::move(outcome);
        continue;
      }
      base::MutexLock lock(mutex);
      failure.Update(outcome.status());
      next = setting.games;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < setting.threads; ++i) threads.emplace_back(play);
  for (std::thread& thread : threads) thread.join();
  NAVAL_RETURN_IF_ERROR(failure);
  return outcomes;
}

}  // namespace naval::arena
