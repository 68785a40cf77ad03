#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "google/protobuf/repeated_field.h"
#include "google/protobuf/timestamp.pb.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "naval/match/v1/match.pb.h"
#include "naval/match/v1/match_service.pb.h"
#include "tools/client/client.h"
#include "tools/client/match_stream.h"

namespace naval::client {

using MatchEvents = google::protobuf::RepeatedPtrField<match::v1::MatchEvent>;

// Follows one match until it is over, on a thread of its own: the state, and every event since. A
// stream that ends or breaks is opened anew from the last number on, for as long as the service is
// away. An event of a kind that is not known here, of a server newer than this client, costs its
// news alone: the feed goes on from the whole state, which it asks for anew. The feed fails, for
// good, with DATA_LOSS when the server breaks its promises (an event out of its order, a number in
// a heartbeat that is not the last event's, the whole state where it goes on from events, one older
// than the last event or one that CheckMatch refuses) and with the error of WatchMatch when that is
// one that trying again does not mend. Thread safe.
class MatchFeed {
 public:
  // Begins to follow. `client` and `clock` must outlive the feed.
  MatchFeed(Client& client, base::Clock& clock, std::string match_id);
  // Stops following.
  ~MatchFeed();
  MatchFeed(const MatchFeed&) = delete;
  MatchFeed& operator=(const MatchFeed&) = delete;

  // Waits until `condition` holds and gives the state of that moment. DEADLINE_EXCEEDED after
  // `limit`; the error of the feed when it failed. `condition` must not call the feed.
  absl::StatusOr<match::v1::Match> WaitFor(
      absl::FunctionRef<bool(const match::v1::Match&)> condition,
      absl::Duration limit = absl::Seconds(30)) NAVAL_EXCLUDES(mutex_);

  // The state, once a stream has brought it; when none has within `limit`, the error that keeps it
  // away.
  absl::StatusOr<match::v1::Match> WaitForState(absl::Duration limit);

  // Waits until the stream has brought these events of an answer. DATA_LOSS, reason EVENTS_DIFFER,
  // when it brought others under their numbers; else as WaitFor. Events that events() does not hold
  // are passed over.
  absl::Status Confirm(const MatchEvents& answered);

  // Every event since the state that the feed began with, in order. Numbers are left out where it
  // went on from the whole state: from an event that is not known here to the last before that one.
  std::vector<match::v1::MatchEvent> events() const NAVAL_EXCLUDES(mutex_);

  // How often a stream was opened.
  int streams_opened() const NAVAL_EXCLUDES(mutex_);

  // OK as long as the feed follows, and once it has followed to the end.
  absl::Status status() const NAVAL_EXCLUDES(mutex_);

  // OK while news would come at once; else how the last stream ended, and the feed goes on trying
  // unless status() is an error too.
  absl::Status connection() const NAVAL_EXCLUDES(mutex_);

  // The server's time now, as far as the stream told it: count deadlines down against it.
  absl::Time ServerNow() const NAVAL_EXCLUDES(mutex_);

 private:
  void Run() NAVAL_EXCLUDES(mutex_);
  // Takes what the stream brings, and returns how it ended or why it cannot be followed on.
  absl::Status Follow(MatchStream& stream) NAVAL_EXCLUDES(mutex_);
  // Null when it is time to stop.
  std::shared_ptr<MatchStream> Open() NAVAL_EXCLUDES(mutex_);
  absl::Status Take(const match::v1::WatchMatchResponse& message) NAVAL_EXCLUDES(mutex_);
  absl::Status TakeMessage(const match::v1::WatchMatchResponse& message) NAVAL_REQUIRES(mutex_);
  absl::Status TakeSnapshot(const match::v1::Match& snapshot) NAVAL_REQUIRES(mutex_);
  absl::Status TakeEvent(const match::v1::MatchEvent& event) NAVAL_REQUIRES(mutex_);
  void SetServerTime(const google::protobuf::Timestamp& server_time) NAVAL_REQUIRES(mutex_);
  // Whether to go on after a stream that ended like this; waits a moment where that may help.
  bool GoOnAfter(absl::Status status) NAVAL_EXCLUDES(mutex_);
  void Fail(const absl::Status& status) NAVAL_EXCLUDES(mutex_);

  Client& client_;
  base::Clock& clock_;
  const std::string match_id_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::optional<match::v1::Match> match_ NAVAL_GUARDED_BY(mutex_);
  // Whether the next stream begins with the whole state: always at first.
  bool snapshot_due_ NAVAL_GUARDED_BY(mutex_) = true;
  std::vector<match::v1::MatchEvent> events_ NAVAL_GUARDED_BY(mutex_);
  std::shared_ptr<MatchStream> stream_ NAVAL_GUARDED_BY(mutex_);
  int streams_opened_ NAVAL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ NAVAL_GUARDED_BY(mutex_);
  absl::Status last_end_ NAVAL_GUARDED_BY(mutex_);
  // Before the next stream is opened; zero once the one before brought news.
  absl::Duration pause_ NAVAL_GUARDED_BY(mutex_);
  absl::Duration server_ahead_ NAVAL_GUARDED_BY(mutex_);
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace naval::client
