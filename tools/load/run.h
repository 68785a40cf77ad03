#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "naval/game/v1/game.pb.h"
#include "tools/load/report.h"

namespace naval::load {

// What is played.
struct Plan {
  game::v1::GameRules rules;
  // The names of the options that `rules` has.
  std::vector<std::string> options;
  // Even.
  int players = 2;
  absl::Duration duration;
  absl::Duration think_time;
};

// The services that it is played on.
struct Target {
  // HOST:PORT of the public APIs.
  std::string lobby_address;
  std::string match_address;
  // Where services tell of their CPU time, by their names: ports of this machine.
  std::map<std::string, int> metrics_ports;
  // libpq connection string of a role that may make a table; empty: no Postgres is measured.
  std::string database;
};

// Measures inserts, the echo, and the players, one after the other; blocks for a few seconds more
// than the plan's duration, and as long as it takes to register the players. `random` must be fit
// for ids.
absl::StatusOr<Report> Run(const Plan& plan, const Target& target, base::Clock& clock,
                           base::Random& random);

}  // namespace naval::load
