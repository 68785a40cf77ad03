#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace naval::load {

// What was answered to a command.
struct Answer {
  std::string request_id;
  // Serialized MatchEvents.
  std::vector<std::string> events;
};

// All that a player was told of a match.
struct MatchRecord {
  std::string match_id;
  // 0 first, 1 second.
  int seat = 0;
  // The streams' events, serialized, after the number first_seq.
  int64_t first_seq = 0;
  std::vector<std::string> told;
  std::vector<Answer> answers;
};

// Is told what players live through, to hold it against what else is known. Called on the loop's
// thread.
class Witness {
 public:
  virtual ~Witness() = default;

  // A player was without an answer, or without a stream, from the first try that failed to the one
  // that did not.
  virtual void Paused(absl::Time begin, absl::Time end) = 0;
  // A process answered what the match is like; `stale` when it knew less than the player had been
  // told before asking.
  virtual void ReadAnswered(bool stale) = 0;
  // The match is over for this player.
  virtual void MatchOver(MatchRecord record) = 0;
};

}  // namespace naval::load
