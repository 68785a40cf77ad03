#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace naval::base {

// How many lines of one event may be written: a burst at once, and one more each time the interval
// has passed (a token bucket for each event).
inline constexpr int kLogBurst = 20;
inline constexpr absl::Duration kLogInterval = absl::Seconds(1);

// The rates of all events. Events are constants of the code, so they are few. Not thread safe.
class LogLimit {
 public:
  // Whether a line of this event may be written now: then how many were refused since the last one
  // that was written. `now` should not go backwards.
  std::optional<std::int64_t> Admit(absl::string_view event, absl::Time now);

 private:
  struct Bucket {
    double tokens = kLogBurst;
    absl::Time filled;
    std::int64_t refused = 0;
  };

  absl::flat_hash_map<std::string, Bucket> buckets_;
};

}  // namespace naval::base
