#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"
#include "services/match/match_observer.h"
#include "services/match/match_store.h"

namespace naval::match {

// How many matches may have a snapshot that waits to be written: 3 MB of ordinary ones, 20 MB of
// those with the most rows. What comes when there are so many is passed over; the match has another
// soon.
inline constexpr std::size_t kMaxQueuedSnapshots = 4096;

// Writes snapshots behind the back of the matches: nobody waits for them, and the log does without
// those that are lost. Waits a moment before it writes, so that one statement takes those of many
// matches. Thread safe.
class SnapshotWriter {
 public:
  // All must outlive the writer.
  SnapshotWriter(MatchStore& store, base::Clock& clock, MatchObserver& observer);
  // As Stop().
  ~SnapshotWriter();
  SnapshotWriter(const SnapshotWriter&) = delete;
  SnapshotWriter& operator=(const SnapshotWriter&) = delete;

  // Begins to write, on a thread of its own.
  void Start();

  // Queues a snapshot in place of an older one of its match. Never blocks.
  void Keep(Snapshot snapshot) NAVAL_EXCLUDES(mutex_);

  // Queues that the match needs none any more. Never blocks.
  void Drop(const std::string& match_id) NAVAL_EXCLUDES(mutex_);

  // Returns when a statement in progress has ended; what waits is not written any more.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  struct Batch {
    std::vector<Snapshot> kept;
    std::vector<std::string> dropped;
  };

  void Queue(Snapshot snapshot) NAVAL_EXCLUDES(mutex_);
  void Run() NAVAL_EXCLUDES(mutex_);
  // Returns false when it is time to stop.
  bool WaitForWork() NAVAL_EXCLUDES(mutex_);
  Batch TakeBatch() NAVAL_EXCLUDES(mutex_);
  void Write(const Batch& batch);

  MatchStore& store_;
  base::Clock& clock_;
  MatchObserver& observer_;
  base::Mutex mutex_;
  base::CondVar changed_;
  // By the match. One without a body stands for none.
  std::map<std::string, Snapshot> queue_ NAVAL_GUARDED_BY(mutex_);
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace naval::match
