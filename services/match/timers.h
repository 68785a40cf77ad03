#pragma once

#include <optional>
#include <string>
#include <utility>

#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"

namespace naval::match {

// The alarm clock of all matches: one ordered set of (due, key) and one thread that waits for the
// first. Thread safe.
class Timers {
 public:
  using Fire = absl::AnyInvocable<void(const std::string& key)>;

  // `clock` must outlive the timers.
  explicit Timers(base::Clock& clock) : clock_(clock) {}
  // As Stop().
  ~Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  // Begins to fire: calls `fire` once for every key that became due, in order of time, on the
  // timers' own thread, with no lock held. `fire` must not block and may call Arm.
  void Start(Fire fire) NAVAL_EXCLUDES(mutex_);

  // Sets the one alarm of `key`, in place of what it had; nullopt takes it away. An alarm that has
  // fired is gone.
  void Arm(const std::string& key, std::optional<absl::Time> due) NAVAL_EXCLUDES(mutex_);

  // Fires nothing any more; returns when a `fire` in progress has returned.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  void Run(Fire fire) NAVAL_EXCLUDES(mutex_);

  base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar changed_;
  absl::btree_set<std::pair<absl::Time, std::string>> queue_ NAVAL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, absl::Time> due_ NAVAL_GUARDED_BY(mutex_);
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace naval::match
