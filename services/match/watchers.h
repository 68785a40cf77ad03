#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/rules/seat.h"
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

  // Whether its reader takes several events in one message, see WatchMatchRequest. Always the same.
  virtual bool events_together() const = 0;

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

// A player whose last stream has ended is told to be away with the first heartbeat that comes this
// long after it: longer than a client takes to open another, so that a connection that is opened
// anew shows nothing.
inline constexpr absl::Duration kAwayDelay = absl::Seconds(5);

// Everybody who watches one match, and what the players and spectators are told of it: whether the
// players watch. That is known to this process alone and no part of the match. Every function that
// pushes returns whom to Flush. Not thread safe: part of a LiveMatch and under its lock.
class Watchers {
 public:
  // Nobody watches yet, and of people it is not known whether they are about to. `observer` must
  // outlive the watchers.
  Watchers(const RecordedMatch& match, absl::Time now, MatchObserver& observer);

  using Touched = std::vector<std::shared_ptr<Watcher>>;

  // Whether a stream may be added. INVALID_ARGUMENT, reason AFTER_SEQ_OUT_OF_RANGE;
  // RESOURCE_EXHAUSTED, reason TOO_MANY_STREAMS.
  absl::Status CheckNew(const RecordedMatch& match, const std::string& account_id,
                        rules::Viewer viewer, std::optional<int64_t> after_seq) const;

  // Adds a stream and pushes what it begins with: the whole state, or the events after `after_seq`
  // and who is present. The others hear of a player who was not. A match that is over ends the
  // stream at once. Requires CheckNew. `whole` is the match as it was read a moment ago, where
  // `match` does not have all these events; null where it has.
  Touched Add(const RecordedMatch& match, const RecordedMatch* whole, const std::string& account_id,
              rules::Viewer viewer, std::optional<int64_t> after_seq, absl::Time now,
              const std::shared_ptr<Watcher>& watcher);

  // The stream is gone.
  void Remove(const Watcher* watcher, absl::Time now);

  // The whole match as the viewer may see it, with who is present.
  v1::Match ViewFor(const RecordedMatch& match, rules::Viewer viewer, absl::Time now) const;

  // Pushes the events of the last row, which this entry is, to all; ends all when the match is over
  // with it.
  Touched Publish(const RecordedMatch& match, const Entry& entry);

  // Pushes a heartbeat to all, and a reconnect message to those that are too old; then who is away
  // now.
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

  // What is told of a player.
  struct Player {
    v1::Presence presence = v1::PRESENCE_UNSPECIFIED;
    // When it was last known to have a stream; of nobody, when we began to look.
    absl::Time last_open_time;
  };

  // What the viewer is told of a player: nothing of itself, nor once the match is over.
  v1::Presence PresenceFor(const RecordedMatch& match, rules::Viewer viewer,
                           rules::Seat seat) const;

  // Pushes it to all but the player, if it is another than before.
  void SetPresence(rules::Seat seat, v1::Presence presence, Touched& touched);

  // Pushes what the stream begins with. False when it is to end after that.
  bool PushBeginning(const RecordedMatch& match, const RecordedMatch* whole, rules::Viewer viewer,
                     std::optional<int64_t> after_seq, absl::Time now, Watcher& watcher);

  // A player's stream is open, or was until now.
  void SetOpenTime(rules::Viewer viewer, absl::Time now);

  // Pushes one more message; a reader who is too slow for it has ended.
  void Push(Open& open, WatchMessage message);

  // Pushes the message, whose number is the last that this stream was sent, and ends the stream.
  void PushReconnect(int64_t last_seq, Watcher& watcher, StreamCut reason);

  MatchObserver& observer_;
  std::vector<Open> open_;
  std::array<Player, 2> players_;
};

}  // namespace naval::match
