#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/rules/rule_set.h"
#include "tools/arena/fleets.h"

namespace naval::arena {

// What is played.
struct Setting {
  rules::RuleSet rules;
  // Ids, as MakePlayer knows them.
  std::string bot;
  // Empty: the bot fires at fleets that never hit back.
  std::string rival;
  // How both sides lay their fleets.
  FleetModel fleets = FleetModel::kUniform;
  int games = 0;
  // The same seed gives the same games, and the same fleets to any bot.
  std::uint64_t seed = 0;
  // At least 1. Changes nothing but the time.
  int threads = 1;
};

// One game, from the side of the bot.
struct Outcome {
  // What the bot fired.
  int shots = 0;
  // Rounds of volleys; 0 without.
  int rounds = 0;
  bool won = false;
  // Whether the bot shot first. In a series the sides take turns.
  bool started = false;
  // CPU time of each choice of the bot, a shot or a volley, in milliseconds.
  std::vector<double> cpu_ms;
};

// Plays all games, each over the rules' own game and the view of the side that moves. In the order
// of their numbers. INVALID_ARGUMENT for an unknown bot; FAILED_PRECONDITION where the rules leave
// no room for such fleets.
absl::StatusOr<std::vector<Outcome>> PlayAll(const Setting& setting);

}  // namespace naval::arena
