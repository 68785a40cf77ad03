#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"

namespace naval::match {

// A lease that was not renewed for this long may be taken over by another process.
inline constexpr absl::Duration kLeaseDuration = absl::Seconds(10);

// Two renewals may fail before that.
inline constexpr absl::Duration kRenewInterval = absl::Seconds(3);

// For this long after its lease was last confirmed an owner answers from what it has in memory.
// Half of the lease, so that it has fallen silent long before another one can speak.
inline constexpr absl::Duration kConfirmedDuration = absl::Seconds(5);

// How often it is looked for partitions that have no owner, or a dead one.
inline constexpr absl::Duration kLookInterval = absl::Seconds(1);

// The partitions that this process owns, and where the others are: takes those that nobody has,
// renews their leases, and finds out when one was lost. This decides who plays a match and who may
// answer for it; that no other process writes to it is the business of the store, which checks the
// epoch with every append and trusts no clock. Thread safe; nothing but Start and Stop blocks.
class Ownership {
 public:
  // Are told of a partition that this process came to own after Start, of one that it lost, and of
  // one that is not any more where OwnerAddress said. Called on this object's own thread with no
  // lock held; must not block.
  struct Changes {
    std::function<void(int partition)> acquired;
    std::function<void(int partition)> lost;
    std::function<void(int partition)> moved = [](int) {};
  };

  // `owner` names this process, and no other that runs; `address` is where the others reach it, as
  // in Member. `store` and `clock` must outlive this.
  Ownership(MatchStore& store, base::Clock& clock, std::string owner, std::string address = "");
  // As Stop().
  ~Ownership();
  Ownership(const Ownership&) = delete;
  Ownership& operator=(const Ownership&) = delete;

  // Takes every partition that is free, whose lease has run out, or that an earlier process of this
  // name held: it must be dead, or there would be two of one name. Then goes on by itself. Blocks;
  // the errors of the store. Call it once.
  absl::Status Start(Changes changes) NAVAL_EXCLUDES(mutex_);

  // The epoch under which the partition is owned, to be given with every append; nullopt when it is
  // not, or when that was not confirmed for kConfirmedDuration, or after Drain: then nothing may be
  // said of its matches.
  std::optional<int64_t> Confirmed(int partition) const NAVAL_EXCLUDES(mutex_);
  // Whether it is so under this epoch.
  bool Confirms(int partition, int64_t epoch) const NAVAL_EXCLUDES(mutex_);

  // Whether the partition is owned under this epoch as far as this process knows, confirmed or not.
  bool Holds(int partition, int64_t epoch) const NAVAL_EXCLUDES(mutex_);
  bool Holds(int partition) const NAVAL_EXCLUDES(mutex_);

  // How long ago it was last confirmed that the partition is owned; zero when it is not.
  absl::Duration SinceConfirmed(int partition) const NAVAL_EXCLUDES(mutex_);

  // Where the partition is owned by another process, as the last look showed it: the address of
  // that Member. Empty when this process owns it, nobody does, or it is not known where.
  std::string OwnerAddress(int partition) const NAVAL_EXCLUDES(mutex_);

  // How many partitions are owned.
  int size() const NAVAL_EXCLUDES(mutex_);

  // Falls silent at once, gives everything back, and takes nothing any more. Does not block.
  void Drain() NAVAL_EXCLUDES(mutex_);

  // Returns when nothing runs any more. What was not given back stays owned until its lease runs
  // out, or until a process of this name starts.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  struct Held {
    int64_t epoch = 0;
    // By this process's clock, from before the store was asked.
    absl::Time confirm_time;
  };

  void Run() NAVAL_EXCLUDES(mutex_);
  // Waits until it is time to look again. False when that is over.
  bool Wait() NAVAL_EXCLUDES(mutex_);
  // Renews what is due, takes what is free, and adds what it took to `acquired`.
  absl::Status Look(bool starting, std::vector<int>& acquired) NAVAL_EXCLUDES(mutex_);
  absl::Status Renew() NAVAL_EXCLUDES(mutex_);
  // Learns who owns the partitions of others, and tells which have moved.
  absl::Status NoteOwners(const std::vector<Lease>& leases) NAVAL_EXCLUDES(mutex_);
  bool MayTake(const Lease& lease, bool starting) const NAVAL_EXCLUDES(mutex_);
  // Whether it was taken.
  absl::StatusOr<bool> Take(const Lease& lease) NAVAL_EXCLUDES(mutex_);
  void GiveBack() NAVAL_EXCLUDES(mutex_);
  std::vector<Lease> HeldLeases() const NAVAL_EXCLUDES(mutex_);
  bool IsConfirmed(const std::optional<Held>& held) const NAVAL_REQUIRES(mutex_);

  MatchStore& store_;
  base::Clock& clock_;
  const std::string owner_;
  const std::string address_;
  Changes changes_;
  // Of the thread that looks: when it began to.
  absl::Time last_look_ = absl::InfinitePast();
  absl::Time last_renewal_ = absl::InfinitePast();
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::array<std::optional<Held>, kPartitions> held_ NAVAL_GUARDED_BY(mutex_);
  // Of the partitions of others; empty where it is not known.
  std::array<std::string, kPartitions> owner_addresses_ NAVAL_GUARDED_BY(mutex_);
  bool draining_ NAVAL_GUARDED_BY(mutex_) = false;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace naval::match
