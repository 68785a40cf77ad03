#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "absl/status/status.h"
#include "services/match/watchers.h"

namespace naval::match {

// How many messages may wait for a reader before its stream is cut: more than a stream begins with.
inline constexpr std::size_t kMaxUnsentMessages = 2 * kMaxResumedEvents;

// What waits for the reader of one stream, and how the stream ends after that. Not thread safe.
class UnsentMessages {
 public:
  // As of a Watcher. Too many: RESOURCE_EXHAUSTED, reason SLOW_READER, once what waits is sent.
  bool Push(WatchMessage message);
  void End(const absl::Status& status);

  // The reader is gone: what waits is sent to nobody.
  void Drop(const absl::Status& why);

  bool empty() const { return messages_.empty(); }
  // The next to be sent. Requires one.
  WatchMessage Take();

  // How the stream ends now; nullopt while something waits, or may come.
  std::optional<absl::Status> end() const { return empty() ? end_ : std::nullopt; }

 private:
  std::deque<WatchMessage> messages_;
  std::optional<absl::Status> end_;
};

}  // namespace naval::match
