#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "lib/base/random.h"
#include "tests/simulation/database.h"

namespace naval::simulation {

// What may go wrong in a run and how often, drawn anew for each: a run in which everything goes
// wrong at once hides what one thing alone would show. "One in" so many; 0 never.
struct Swarm {
  int pods = 1;
  int matches = 1;
  // Every row is played by the oracle of the rules as well, which takes its time.
  bool asks_oracle = false;
  // The world is run twice, with one ship elsewhere the second time (Twin).
  bool twins = false;
  // A thread is interrupted when it is about to take a lock.
  int interrupt_one_in = 0;
  DatabaseFaults database;

  // Messages between players and processes.
  int lost_one_in = 0;
  int doubled_one_in = 0;
  absl::Duration latency = absl::Milliseconds(20);
  int stream_breaks_one_in = 0;
  // The reader of a stream takes nothing for a while.
  int reader_stalls_one_in = 0;

  // Something happens to a process or the database every so often; infinite: never.
  absl::Duration between_disasters = absl::InfiniteDuration();
  bool crashes = false;
  bool drains = false;
  bool pauses = false;
  bool database_away = false;
  // Each process that starts is of this release or of the one before.
  bool two_releases = false;
  // The clock of each process is off by up to this; so is that of one which starts again, for the
  // wall clock was stepped meanwhile.
  absl::Duration clock_error = absl::ZeroDuration();

  // How players play.
  absl::Duration think = absl::Milliseconds(300);
  int mischief_one_in = 0;
  int absent_one_in = 0;
  int last_moment_one_in = 0;
  int resign_one_in = 0;
  // A player is gone for good, where clocks end the match soon.
  int leaves_one_in = 0;
  bool bots_pause = true;
  // How often a shot is aimed at a ship, which players cannot know: matches are to end.
  int hit_one_in = 2;

  // After so long all is well.
  absl::Duration faulty_duration = absl::Minutes(1);
};

Swarm DrawSwarm(base::Random& random);

}  // namespace naval::simulation
