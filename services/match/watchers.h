#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/rules/view.h"
#include "naval/match/v1/match_service.pb.h"
#include "services/match/match_observer.h"
#include "services/match/recorded_match.h"

namespace naval::match {

using WatchMessage = std::shared_ptr<const v1::WatchMatchResponse>;

// One open stream, as the match sees it. Push and End only record what is to be sent and are called
// in the order of sending, under the match's lock; Flush sends and is called afterwards, without
// it.
class Watcher {
 public:
  virtual ~Watcher() = default;

  // One more message, unless it has ended. A watcher whose reader is too slow ends itself, and says
  // so with false.
  virtual bool Push(WatchMessage message) = 0;

  // Nothing more comes: the stream ends with `status` once all messages are sent.
  virtual void End(const absl::Status& status) = 0;

  virtual void Flush() = 0;
};

// How many events a resumed stream begins with at most. A reader that missed more is told to
// reconnect after them, so that catching up never looks like reading too slowly.
inline constexpr std::size_t kMaxResumedEvents = 64;

inline constexpr int kMaxStreamsPerAccount = 3;
inline constexpr int kMaxStreamsPerMatch = 200;

// After so long a stream is told to reconnect, so that streams spread over new processes and tokens
// are checked anew.
inline constexpr absl::Duration kMaxStreamAge = absl::Minutes(15);

// Everybody who watches one match. Every function that pushes returns whom to Flush. Not thread
// safe: part of a LiveMatch and under its lock.
class Watchers {
 public:
  // `observer` must outlive the watchers.
  explicit Watchers(MatchObserver& observer) : observer_(observer) {}

  using Touched = std::vector<std::shared_ptr<Watcher>>;

  // Adds a stream and pushes what it begins with: the whole state, or the events after `after_seq`.
  // A match that is over ends it at once. INVALID_ARGUMENT, reason AFTER_SEQ_OUT_OF_RANGE;
  // RESOURCE_EXHAUSTED, reason TOO_MANY_STREAMS: then nothing was pushed.
  absl::Status Add(const RecordedMatch& match, const std::string& account_id, rules::Viewer viewer,
                   std::optional<int64_t> after_seq, absl::Time now,
                   std::shared_ptr<Watcher> watcher);

  // The stream is gone.
  void Remove(const Watcher* watcher);

  // Pushes the events of one row to all; ends all when the match is over with it.
  Touched Publish(const RecordedMatch& match, int64_t row_seq);

  // Pushes a heartbeat to all, and a reconnect message to those that are too old.
  Touched Beat(const RecordedMatch& match, absl::Time now);

  // Ends all with a reconnect message.
  Touched Reconnect(const RecordedMatch& match, StreamCut reason);

 private:
  struct Open {
    std::shared_ptr<Watcher> watcher;
    std::string account_id;
    rules::Viewer viewer;
    absl::Time open_time;
    // Ended by us but not yet gone: still counted, sent nothing.
    bool ended = false;
  };

  // Pushes one more message; a reader who is too slow for it has ended.
  void Push(Open& open, WatchMessage message);

  // Pushes the message, whose number is the last that this stream was sent, and ends the stream.
  void PushReconnect(int64_t last_seq, Watcher& watcher, StreamCut reason);

  MatchObserver& observer_;
  std::vector<Open> open_;
};

}  // namespace naval::match
