#pragma once

#include <map>
#include <string>

#include "absl/time/time.h"
#include "tests/fuzz/calls.h"

namespace naval::fuzz {

// Calls that were OK, to see that one which is made again is answered alike. Only what is the same
// to the bit (caller, method, request) is known to be a repetition.
class Repetitions {
 public:
  // An answer may be forgotten after `lifetime`.
  explicit Repetitions(absl::Duration lifetime = absl::InfiniteDuration()) : lifetime_(lifetime) {}

  // Looks at a call that ended at `now`. `promised` makes out what is the same again of an answer
  // that is OK. Fails when the call was OK before and now has another answer, or is refused for
  // what it says: that is how a second effect looks. A refusal that passes (no token that is good,
  // a queue that is full, a service that is away) tells nothing.
  void Check(const Exchange& exchange, const std::string& promised, absl::Time now);

  // From now on the calls of this method that were answered so may be refused.
  void Forget(const std::string& method, const std::string& promised);

 private:
  struct Answer {
    std::string method;
    std::string promised;
    absl::Time time;
  };

  const absl::Duration lifetime_;
  // By the whole call.
  std::map<std::string, Answer> answers_;
};

}  // namespace naval::fuzz
