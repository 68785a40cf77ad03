#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"

namespace naval::match {

// A lease that was not renewed for this long may be taken over by another process: so long, and a
// look more, do players wait when a process does not come back.
inline constexpr absl::Duration kLeaseDuration = absl::Seconds(2);

// For this long after its lease was last confirmed an owner answers from what it has in memory. It
// has fallen silent well before another one can speak.
inline constexpr absl::Duration kConfirmedDuration = absl::Milliseconds(1250);

// How often leases are renewed, and it is looked for partitions that have no owner, or a dead one.
inline constexpr absl::Duration kLookInterval = absl::Milliseconds(500);

// And how often at most when somebody asks for it.
inline constexpr absl::Duration kLeastLookInterval = absl::Milliseconds(100);

// How many partitions a look gives back at most, so that few players at a time have to wait.
inline constexpr int kMostGivenBack = 4;

// How long a process that stops waits until it has given its partitions back.
inline constexpr absl::Duration kGiveBackDuration = absl::Milliseconds(300);

// The partitions that this process owns, and where the others are: takes those that nobody has,
// renews their leases, and finds out when one was lost. This decides who plays a match and who may
// answer for it; that no other process writes to it is the business of the store, which checks the
// epoch with every append and trusts no clock.
//
// Who is dead: whose lease this process has seen unchanged for as long as it is good, looking all
// the time. So neither a clock of the store that jumps nor an outage of the store kills anybody.
//
// Who owns how many: each of N processes that live has a share of ceil(64 / N). A look
// - takes what is free, up to the share;
// - takes whatever is dead, and what nobody has taken for kLeaseDuration, however many it has;
// - gives back what it has above the share, those with the highest numbers first, kMostGivenBack of
//   them, once what was given back before has been taken.
// So it comes to rest when nobody has more than the share, and 64 is never more than all shares.
//
// Thread safe; nothing but Start, Drain and Stop blocks.
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

  // Takes its share of the partitions that are free, and those that an earlier process of this name
  // held: it must be dead, or there would be two of one name. Then goes on by itself. Blocks; the
  // errors of the store. Call it once.
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
  // that Member. Empty when nobody owns it or it is not known where; nullopt when this process
  // does.
  std::optional<std::string> OwnerAddress(int partition) const NAVAL_EXCLUDES(mutex_);

  // Looks as soon as may be: OwnerAddress turned out to be wrong, or said nothing.
  void LookSoon() NAVAL_EXCLUDES(mutex_);

  // How many partitions are owned.
  int size() const NAVAL_EXCLUDES(mutex_);

  // Falls silent at once, gives everything back, and takes nothing any more. Returns when that is
  // done, or after kGiveBackDuration.
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

  // How a lease or a member looks, and since when it has looked so, by this process's clock.
  struct Sighting {
    int64_t epoch = -1;
    std::optional<absl::Time> renew_time;
    absl::Time since = absl::InfiniteFuture();
  };

  void Run() NAVAL_EXCLUDES(mutex_);
  // Waits until it is time to look again. False when that is over.
  bool Wait() NAVAL_EXCLUDES(mutex_);
  // Renews, takes what is free or dead, and adds what it took to `acquired`.
  absl::Status Look(std::vector<int>& acquired) NAVAL_EXCLUDES(mutex_);
  absl::Status Renew() NAVAL_EXCLUDES(mutex_);
  // Learns who owns the partitions of others, and tells which have moved.
  void NoteOwners(const std::vector<Lease>& leases, const std::vector<Member>& members)
      NAVAL_EXCLUDES(mutex_);
  // Notes what has changed since the last look.
  void NoteSightings(const std::vector<Lease>& leases, const std::vector<Member>& members);
  void Note(Sighting& sighting, int64_t epoch, std::optional<absl::Time> renew_time) const;
  // When it is dead unless it is seen to have changed, by the sightings.
  absl::Time EndOf(const Lease& lease) const;
  absl::Time EndOf(const Member& member) const;
  // When it can be that somebody turns out to be dead; at the latest after kLookInterval.
  absl::Time NextLook(const std::vector<Lease>& leases) const NAVAL_EXCLUDES(mutex_);
  // How many partitions each process that lives has at most.
  int Share(const std::vector<Lease>& leases, const std::vector<Member>& members) const;
  bool MayTake(const Lease& lease, int share) const NAVAL_EXCLUDES(mutex_);
  // Whether it was taken.
  absl::StatusOr<bool> Take(const Lease& lease) NAVAL_EXCLUDES(mutex_);
  // Gives back what is above the share, few at a time.
  absl::Status GiveBackAbove(int share) NAVAL_EXCLUDES(mutex_);
  void GiveAllBack() NAVAL_EXCLUDES(mutex_);
  std::vector<Lease> HeldLeases() const NAVAL_EXCLUDES(mutex_);
  bool IsConfirmed(const std::optional<Held>& held) const NAVAL_REQUIRES(mutex_);

  MatchStore& store_;
  base::Clock& clock_;
  const std::string owner_;
  const std::string address_;
  Changes changes_;
  // Of the thread that looks: whether it has not done so before, when it began to, when it last saw
  // something, and when it will again.
  bool starting_ = true;
  absl::Time last_look_ = absl::InfinitePast();
  absl::Time last_sight_ = absl::InfinitePast();
  absl::Time next_look_ = absl::InfinitePast();
  std::array<Sighting, kPartitions> lease_sightings_;
  absl::flat_hash_map<std::string, Sighting> member_sightings_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  std::array<std::optional<Held>, kPartitions> held_ NAVAL_GUARDED_BY(mutex_);
  // Of the partitions of others; empty where it is not known.
  std::array<std::string, kPartitions> owner_addresses_ NAVAL_GUARDED_BY(mutex_);
  // LookSoon was called since the last look.
  bool look_soon_ NAVAL_GUARDED_BY(mutex_) = false;
  // The thread runs, and has not ended.
  bool running_ NAVAL_GUARDED_BY(mutex_) = false;
  bool draining_ NAVAL_GUARDED_BY(mutex_) = false;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace naval::match
