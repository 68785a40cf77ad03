#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/base/executor.h"
#include "lib/base/mutex.h"
#include "services/match/match_observer.h"
#include "services/match/match_store.h"
#include "services/match/ownership.h"
#include "services/match/recorded_match.h"

namespace naval::match {

// How many matches that somebody waits for may wait to be read: about what a second reads.
inline constexpr size_t kMaxAskedReads = 4096;

// A match as it was read from the store.
struct ReadMatch {
  RecordedMatch match;
  // Of its partition, from before it was read: nobody else has written to it since.
  int64_t epoch = 0;
  // See StoredMatch.
  absl::Duration ownerless_duration;
};

// The match with its whole log at hand. NOT_FOUND, reason MATCH_NOT_FOUND; DATA_LOSS, reason
// MATCH_DAMAGED; the errors of the store. Blocks.
absl::StatusOr<RecordedMatch> ReadWhole(MatchStore& store, const auth::Sealer& sealer,
                                        const std::string& match_id);

// Reads matches from the store, many in one statement: each takes what came up during the one
// before, so that one match that is asked for comes at once, and a hundred thousand after a crash,
// or as many players who come back, in seconds. Thread safe; nothing but Stop blocks.
class MatchReader {
 public:
  enum class Reason {
    // A caller waits.
    kAsked,
    // Its clock ends soon. Read when nobody waits for another.
    kDue,
  };

  // Called once for every match that was queued, on a thread of the reader. Its errors:
  // NOT_FOUND, reason MATCH_NOT_FOUND; UNAVAILABLE, reason NOT_OWNER; DATA_LOSS, reason
  // MATCH_DAMAGED; those of the store.
  using Done = std::function<void(const std::string& match_id, absl::StatusOr<ReadMatch> match)>;

  // All must outlive the reader.
  MatchReader(MatchStore& store, const auth::Sealer& sealer, const Ownership& ownership,
              MatchObserver& observer, Done done);

  // Queues a match, which must not be queued or being read already. For kAsked RESOURCE_EXHAUSTED,
  // reason SERVER_BUSY, when kMaxAskedReads wait; UNAVAILABLE, reason SHUTTING_DOWN, after Stop;
  // both with a retry delay: then it is not queued.
  absl::Status Read(const std::string& match_id, Reason reason) NAVAL_EXCLUDES(mutex_);

  // Somebody waits for a match that was queued as due: unless it is being read already, it is read
  // with those that were asked for.
  void Hurry(const std::string& match_id) NAVAL_EXCLUDES(mutex_);

  // How many wait at this moment.
  size_t queued() const NAVAL_EXCLUDES(mutex_);

  // Returns when all that were queued are read or have failed.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  // What waits for one reason, in order; one that had to hurry is passed over in that of the due.
  using Queue = std::deque<std::string>;

  void Enqueue(const std::string& match_id, Reason reason) NAVAL_REQUIRES(mutex_);
  // Reads batch after batch until nothing waits.
  void Work() NAVAL_EXCLUDES(mutex_);
  // Empty when nothing waits.
  std::vector<std::string> TakeBatch() NAVAL_EXCLUDES(mutex_);
  void ReadBatch(const std::vector<std::string>& match_ids);
  std::vector<absl::StatusOr<StoredMatch>> Load(const std::vector<std::string>& match_ids);
  // From its snapshot, or from the whole log where that cannot be read.
  absl::StatusOr<RecordedMatch> ToMatch(const StoredMatch& stored);
  absl::StatusOr<ReadMatch> Decode(const absl::StatusOr<StoredMatch>& stored, int64_t epoch);

  MatchStore& store_;
  const auth::Sealer& sealer_;
  const Ownership& ownership_;
  MatchObserver& observer_;
  const Done done_;
  mutable base::Mutex mutex_;
  std::array<Queue, 2> queues_ NAVAL_GUARDED_BY(mutex_);
  // Why what is queued is.
  absl::flat_hash_map<std::string, Reason> reasons_ NAVAL_GUARDED_BY(mutex_);
  // How many Work run or are about to.
  size_t working_ NAVAL_GUARDED_BY(mutex_) = 0;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Executor threads_;
};

}  // namespace naval::match
