#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/arena/arena.h"

namespace naval::arena {

// What many games come to.
struct Summary {
  int games = 0;
  // Shots of the bot a game; percentiles by the nearest rank.
  double mean_shots = 0;
  double median_shots = 0;
  int p5_shots = 0;
  int p95_shots = 0;
  // Rounds of volleys a game; 0 without.
  double mean_rounds = 0;
  // CPU time a choice of the bot, in milliseconds.
  double cpu_ms_mean = 0;
  double cpu_ms_p99 = 0;
  double cpu_ms_max = 0;
  // Of all games: those that the bot won, and those that whoever shot first won.
  double win_rate = 0;
  double starter_win_rate = 0;
};

// Requires at least one outcome.
Summary Summarize(absl::Span<const Outcome> outcomes);

// What was played, as it was asked for.
struct Title {
  std::string rule_set;
  std::vector<std::string> options;
  std::string bot;
  // Empty without one.
  std::string rival;
  std::string fleets;
  uint64_t seed = 0;
};

// A table of two lines.
std::string TableText(const Title& title, const Summary& summary);

// One line of JSON.
std::string JsonLine(const Title& title, const Summary& summary);

}  // namespace naval::arena
