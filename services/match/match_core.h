#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "lib/auth/sealer.h"
#include "lib/base/clock.h"
#include "lib/base/executor.h"
#include "lib/base/random.h"
#include "services/match/journal.h"
#include "services/match/live_matches.h"
#include "services/match/match_observer.h"
#include "services/match/match_store.h"
#include "services/match/outbox.h"
#include "services/match/ownership.h"
#include "services/match/snapshot_writer.h"
#include "services/match/timers.h"

namespace naval::match {

// All that plays matches, wired: every part in the order in which each needs the ones above it.
// Free of gRPC and of Postgres, so that a simulation runs the very same.
class MatchCore {
 public:
  struct Options {
    // How results and changes reach the other services.
    Outbox::Send send_to_lobby;
    Outbox::Send send_to_ranking;
    // The name under which this process owns matches; no other process that runs may have it.
    std::string owner;
    // "HOST:PORT" at which the others reach the internal port; empty when they cannot.
    std::string peer_address = {};
    // How many matches are held in memory.
    std::size_t max_matches = kMaxMatches;
    // See LiveMatchContext.
    bool bots_pause = true;
  };

  // All that it stands on, which must outlive it.
  struct Ground {
    MatchStore& store;
    const auth::Sealer& sealer;
    // As LiveMatchContext has it.
    base::Random& random;
    // The time in the matches.
    base::Clock& clock;
    // What runs between processes, leases and waits, whatever time it is in the matches.
    base::Clock& machine_clock;
    MatchObserver& observer;
  };

  MatchCore(const Ground& ground, Options options);
  // As Stop().
  ~MatchCore();
  MatchCore(const MatchCore&) = delete;
  MatchCore& operator=(const MatchCore&) = delete;

  // Takes the partitions that are to be had and has their matches read; from then on it plays.
  // `moved` as in Ownership::Changes. Blocks; the errors of the store. Call it once.
  absl::Status Start(std::function<void(int partition)> moved = [](int) {});

  // Gives the matches away: gives every partition back, for which it blocks as Ownership::Drain
  // does, tells every stream to reconnect, and begins no delivery.
  void Drain();

  // Finishes everything accepted; returns when nothing runs any more.
  void Stop();

  LiveMatches& matches() { return matches_; }
  Ownership& ownership() { return ownership_; }
  const Journal& journal() const { return journal_; }
  // To be looked at.
  std::vector<const base::Executor*> executors() const;

 private:
  Outbox lobby_outbox_;
  Outbox ranking_outbox_;
  base::Executor answers_;
  base::Executor loader_;
  base::Executor whole_reader_;
  Journal journal_;
  Timers timers_;
  SnapshotWriter snapshots_;
  Ownership ownership_;
  LiveMatchContext context_;
  LiveMatches matches_;
};

}  // namespace naval::match
