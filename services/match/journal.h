#pragma once

#include <cstddef>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "lib/base/executor.h"
#include "services/match/match_store.h"

namespace naval::match {

// Makes decided commands durable, then tells. The one way into the log: nothing is answered,
// published or applied before its row is committed. The order of the rows of one match is its
// caller's business (one append at a time); appends of different matches run side by side. Thread
// safe.
class Journal {
 public:
  // Called once with the outcome: OK means committed; anything else leaves open whether the row was
  // written.
  using Done = absl::AnyInvocable<void(const absl::Status&)>;

  struct Options {
    // Threads that wait for commits, each with a connection of its own.
    size_t writers = 4;
    size_t max_queued = 4096;
  };

  // `store` and `answers`, which runs the outcomes so that a writer goes straight on to the next
  // commit, must outlive the journal.
  Journal(MatchStore& store, base::Executor& answers, Options options);

  // Queues an append. RESOURCE_EXHAUSTED when the queue is full, UNAVAILABLE after Stop: then
  // `done` is destroyed uncalled and nothing was written.
  absl::Status Submit(Append append, Done done);

  // The threads that wait for commits, to be looked at.
  const base::Executor& writers() const { return writers_; }

  // Takes nothing more and returns when all that was queued is committed or has failed.
  void Stop() { writers_.Stop(); }

 private:
  MatchStore& store_;
  base::Executor& answers_;
  base::Executor writers_;
};

}  // namespace naval::match
