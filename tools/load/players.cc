#include "tools/load/players.h"

#include <algorithm>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/base/status_macros.h"

namespace naval::load {
namespace {

// Twice as many as the lobby hashes at once.
constexpr std::size_t kRegistrationsAtOnce = 4;
// An account takes 50 ms of a core, a second where the machine is crowded.
constexpr absl::Duration kRegistrationLimit = absl::Minutes(20);
constexpr absl::Duration kWarmUpLimit = absl::Minutes(2);
// Longer than any clock of a live match.
constexpr absl::Duration kEndLimit = absl::Minutes(2);

}  // namespace

Players::Players(const Options& options, base::Clock& clock, base::Random& random, Tally& tally)
    : clock_(clock),
      tally_(tally),
      rules_(options.rules),
      loop_(clock),
      common_{.loop = loop_,
              .random = random,
              .tally = tally,
              .habits = options.habits,
              .witness = options.witness} {
  for (int i = 0; i < kConnections; ++i) {
    connections_.emplace_back(options.lobby_address, options.match_addresses);
  }
  for (std::size_t player = 0; player < static_cast<std::size_t>(options.players); player += 2) {
    pairs_.emplace_back(common_, rules_[player / 2 % rules_.size()],
                        connections_[player % kConnections],
                        connections_[(player + 1) % kConnections]);
  }
}

absl::Status Players::Register() {
  const std::string run = absl::StrFormat("load-%06x", common_.random.Uniform(1U << 24));
  for (std::size_t i = 0; i < kRegistrationsAtOnce; ++i) RegisterNext(run);
  return RunUntil([this] { return registered_ == 2 * pairs_.size(); }, kRegistrationLimit);
}

void Players::RegisterNext(const std::string& run) {
  if (registering_ == 2 * pairs_.size()) return;
  const std::size_t number = registering_++;
  Pair& pair = pairs_[number / 2];
  Player& player = number % 2 == 0 ? pair.creator() : pair.rival();
  player.Register(absl::StrCat(run, "-", number), [this, run] {
    ++registered_;
    RegisterNext(run);
  });
}

absl::Status Players::WarmUp() {
  tally_.Begin();
  for (Pair& pair : pairs_) pair.Begin();
  return RunUntil(
      [this] {
        return std::all_of(pairs_.begin(), pairs_.end(), [](Pair& p) { return p.warm(); });
      },
      kWarmUpLimit);
}

absl::Status Players::PlayFor(absl::Duration duration) {
  const absl::Time end = clock_.Now() + duration;
  tally_.Open();
  loop_.RunUntil([this] { return !tally_.status().ok(); }, end);
  tally_.Close();
  return tally_.status();
}

absl::StatusOr<int64_t> Players::End(Ending ending) {
  common_.ending = ending;
  for (Pair& pair : pairs_) pair.Stop();
  const auto resting = [](const Pair& pair) { return pair.resting(); };
  loop_.RunUntil(
      [&] { return !tally_.status().ok() || std::all_of(pairs_.begin(), pairs_.end(), resting); },
      clock_.Now() + kEndLimit);
  NAVAL_RETURN_IF_ERROR(tally_.status());
  return std::count_if(pairs_.begin(), pairs_.end(), std::not_fn(resting));
}

absl::Status Players::RunUntil(absl::FunctionRef<bool()> done, absl::Duration limit) {
  const bool ended =
      loop_.RunUntil([&] { return !tally_.status().ok() || done(); }, clock_.Now() + limit);
  NAVAL_RETURN_IF_ERROR(tally_.status());
  if (ended) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("the players were not ready to play within ", absl::FormatDuration(limit)));
}

}  // namespace naval::load
