#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "naval/game/v1/game.pb.h"
#include "tools/load/event_loop.h"
#include "tools/load/pair.h"
#include "tools/load/tally.h"

namespace naval::load {

// How many connections to a service all players together have.
inline constexpr int kConnections = 8;

// All the players of a run. For one thread; every call blocks.
class Players {
 public:
  struct Options {
    std::string lobby_address;
    // Of each process of the match service.
    std::vector<std::string> match_addresses;
    // Even.
    int players = 2;
    // One pair after another plays the next of these; at least one.
    std::vector<game::v1::GameRules> rules;
    Habits habits = {};
    // May be null; else it must outlive the players.
    Witness* witness = nullptr;
  };

  // All but the options must outlive the players; `random` must be fit for ids.
  Players(const Options& options, base::Clock& clock, base::Random& random, Tally& tally);

  // Registers an account for each, a few at once: a password costs the lobby 50 ms of CPU.
  absl::Status Register();

  // Has all begin, until each has got as far as to shoot.
  absl::Status WarmUp();

  // Lets them play.
  absl::Status PlayFor(absl::Duration duration);

  // Has all matches end, and gives how many did not within two minutes.
  absl::StatusOr<int64_t> End(Ending ending);

 private:
  void RegisterNext(const std::string& run);
  // Runs until `done`, an error that ends the run, or the limit.
  absl::Status RunUntil(absl::FunctionRef<bool()> done, absl::Duration limit);

  base::Clock& clock_;
  Tally& tally_;
  const std::vector<game::v1::GameRules> rules_;
  std::deque<Connection> connections_;
  std::deque<Pair> pairs_;
  std::size_t registering_ = 0;
  std::size_t registered_ = 0;
  // Below what its calls refer to: it goes first.
  EventLoop loop_;
  Common common_;
};

}  // namespace naval::load
