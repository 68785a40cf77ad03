#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "lib/base/mutex.h"
#include "services/match/match_observer.h"
#include "services/match/match_store.h"

namespace naval::match {

// Makes decided commands durable, then tells. The one way into the log: nothing is answered,
// published or applied before its row is committed.
//
// Group commit: one thread writes, and each transaction takes all that came up during the one
// before, of any number of matches. So an append that comes alone leaves at once, and under load
// the transactions grow in place of the queue. Two threads are slower than one: they halve the
// batches and share the same disk. The order of the rows of one match is its caller's business (one
// append at a time).
//
// A batch in which one row may be at fault is written again row by row, so that only that one
// fails; a commit in doubt is told to all and never repeated. Thread safe.
class Journal {
 public:
  // Called once with the outcome: OK means committed; anything else leaves open whether the row was
  // written.
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  struct Options {
    // How many appends may wait, and for how long: one that has waited longer is not written any
    // more, for its player has given up and the ones behind it have not.
    size_t max_queued = 4096;
    absl::Duration max_wait = absl::Seconds(5);
    // What one transaction takes. The bytes are those of rows and messages; a single append may
    // have more.
    size_t max_batch_rows = 512;
    size_t max_batch_bytes = size_t{1} << 20;
  };

  // `answers` runs the outcomes, so that the writer goes straight on to the next batch. All must
  // outlive the journal.
  Journal(MatchStore& store, base::Executor& answers, base::Clock& clock, MatchObserver& observer,
          Options options);

  // Queues an append. RESOURCE_EXHAUSTED, reason SERVER_BUSY, when the queue is full, UNAVAILABLE,
  // reason SHUTTING_DOWN, after Stop, both with a retry delay: then `done` is destroyed uncalled
  // and nothing was written.
  absl::Status Submit(Append append, Done done) NAVAL_EXCLUDES(mutex_);

  // How many appends wait at this moment, those that are being written not counted.
  size_t queued() const NAVAL_EXCLUDES(mutex_);

  // The thread that writes, to be looked at.
  const base::Executor& writer() const { return writer_; }

  // Takes nothing more and returns when all that was queued is committed or has failed.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  struct Queued {
    Append append;
    Done done;
    absl::Time arrival_time;
  };
  // The appends of a transaction and, at the same places, who is told.
  struct Batch {
    std::vector<Append> appends;
    std::vector<Done> dones;
    // Who has waited for too long.
    std::vector<Done> late;
  };

  // Writes batch after batch until nothing waits; runs once at a time.
  void Write() NAVAL_EXCLUDES(mutex_);
  // Empty when nothing waits.
  Batch TakeBatch() NAVAL_EXCLUDES(mutex_);
  // The outcome of each.
  std::vector<absl::Status> Store(const std::vector<Append>& appends);
  std::vector<absl::Status> StoreOneByOne(const std::vector<Append>& appends);
  void Tell(std::vector<Done> dones, std::vector<absl::Status> outcomes);

  MatchStore& store_;
  base::Executor& answers_;
  base::Clock& clock_;
  MatchObserver& observer_;
  const Options options_;
  mutable base::Mutex mutex_;
  std::deque<Queued> queue_ NAVAL_GUARDED_BY(mutex_);
  // Write runs or is about to.
  bool writing_ NAVAL_GUARDED_BY(mutex_) = false;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  // Of one thread, with at most one task: Write.
  base::Executor writer_;
};

}  // namespace naval::match
