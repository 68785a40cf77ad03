#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"

namespace naval::postgres {

// The limit on waiting for the server that libpq does not have: one thread shuts down every socket
// whose time is over, and libpq, which waits in poll(2) for as long as it takes, sees its
// connection break. It needs nothing from a server that is frozen or behind a network that swallows
// packets. Thread safe.
class Watchdog {
 public:
  // One connection that is watched; for its one thread.
  class Line {
   public:
    // `watchdog` must outlive the line. Takes over `socket`, which is to be a duplicate: libpq
    // closes its own descriptor when it finds the connection broken, and by the time we act that
    // number could be a socket of somebody else.
    Line(Watchdog& watchdog, int socket);
    ~Line();
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    // Cuts the connection at `deadline`, in place of the one before; absl::InfiniteFuture() never.
    // What was cut stays so.
    void CutAt(absl::Time deadline);
    // As above, `limit` from now.
    void CutAfter(absl::Duration limit) { CutAt(watchdog_.clock_.Now() + limit); }

    bool IsCut() const;

   private:
    Watchdog& watchdog_;
    const int socket_;
  };

  // `clock` must outlive the watchdog.
  explicit Watchdog(base::Clock& clock);
  // No line may be left.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Cuts every line at `end` at the latest, also those to come.
  void CutAllAt(absl::Time end) NAVAL_EXCLUDES(mutex_);

 private:
  void Watch() NAVAL_EXCLUDES(mutex_);
  // Cuts what is due and sets next_look_; gives how many it cut at their own deadlines.
  int CutDue() NAVAL_REQUIRES(mutex_);

  base::Clock& clock_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  // By socket; one that was cut has left.
  absl::flat_hash_map<int, absl::Time> deadlines_ NAVAL_GUARDED_BY(mutex_);
  absl::Time end_ NAVAL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  absl::Time next_look_ NAVAL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace naval::postgres
