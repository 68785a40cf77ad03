#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/executor.h"
#include "lib/base/mutex.h"
#include "services/match/live_match.h"
#include "services/match/match_store.h"

namespace naval::match {

// How many matches a process holds in memory at most, unless it is told to hold fewer.
inline constexpr std::size_t kMaxMatches = 200'000;

// A heartbeat goes to every stream this often; the API promises one every 15 seconds.
inline constexpr absl::Duration kHeartbeatInterval = absl::Seconds(10);

// Matches that wait in the store are looked through this often for those that are due soon.
inline constexpr absl::Duration kSweepInterval = absl::Minutes(1);

// Due soon: long enough to be in memory in time after a sweep that failed, and so short that a
// match that was read for it does not leave memory again (kLeastWaitingDuration).
inline constexpr absl::Duration kDueSoonDuration = absl::Minutes(5);

// Of the matches of the partitions that this process owns, those in memory: those in which
// something happens by itself soon, and those that were looked at lately. It reads a match from the
// store when it is not in memory, and once for all who ask at that time. Thread safe; nothing but
// Recover blocks.
//
// A match of another partition is refused with UNAVAILABLE, reason NOT_OWNER: here a call would be
// handed on to the owner.
class LiveMatches {
 public:
  using Found = absl::AnyInvocable<void(const absl::StatusOr<std::shared_ptr<LiveMatch>>&)>;

  // `store` and `loader`, on which the store is read and written, must outlive this. `context` is
  // shared by all matches. Over `max_matches` no match is taken into memory but those of Recover.
  LiveMatches(MatchStore& store, base::Executor& loader, LiveMatchContext& context,
              std::size_t max_matches = kMaxMatches);

  // Reads every match that is due soon of the partitions that are owned, then lets all clocks go on
  // at once. Blocks; call it once, before serving, when the ownership has started.
  absl::Status Recover();

  // A partition came to be owned: its matches that are due soon are read, on a thread of its own,
  // and go on. It was lost: its matches leave memory, and their streams are told to reconnect. Both
  // after the ownership says so.
  void OnAcquired(int partition) NAVAL_EXCLUDES(mutex_);
  void OnLost(int partition) NAVAL_EXCLUDES(mutex_);

  // Returns when no partition is being read any more.
  void Stop() { recovery_.Stop(); }

  // Stores a new match and starts its clock. The errors are those of MatchStore::Create,
  // RecordedMatch::New and Find; `done` is called once, at once or on the loader.
  void Create(std::string match_id, log::v1::MatchCreated created,
              absl::AnyInvocable<void(const absl::Status&)> done);

  // Calls `found` once, at once or on the loader. NOT_FOUND, reason MATCH_NOT_FOUND;
  // RESOURCE_EXHAUSTED, reason SERVER_BUSY or TOO_MANY_MATCHES; DATA_LOSS; the errors of the
  // store.
  void Find(const std::string& match_id, Found found) NAVAL_EXCLUDES(mutex_);

  // How many are in memory or on their way there.
  std::size_t size() const NAVAL_EXCLUDES(mutex_);

  // Tells every stream to reconnect and takes no new one.
  void Drain() NAVAL_EXCLUDES(mutex_);

 private:
  // A match in memory, or one that is being read or waits to be read again.
  struct Slot {
    std::shared_ptr<LiveMatch> match;
    bool loading = false;
    std::vector<Found> waiting;
    // Since when a match that was lost could not be played.
    std::optional<absl::Time> lost_time;
    // How often it could not be read since.
    int failures = 0;
  };

  // A match in memory; or null, and whether the caller is the one to read it.
  struct Lookup {
    std::shared_ptr<LiveMatch> match = nullptr;
    bool load = false;
  };

  // Reads what OnAcquired said, one partition after the other.
  void RecoverAcquired() NAVAL_EXCLUDES(mutex_);
  std::optional<int> NextAcquired() NAVAL_EXCLUDES(mutex_);
  // Takes the matches of a partition that are due soon into memory and adds those that were not
  // there to `read`, also when it fails in the middle; call Begin of them next.
  absl::Status ReadPartition(int partition, std::vector<std::shared_ptr<LiveMatch>>& read)
      NAVAL_EXCLUDES(mutex_);
  // Whether `match` is in memory now and was not before.
  bool Add(const std::shared_ptr<LiveMatch>& match) NAVAL_EXCLUDES(mutex_);
  void OnAlarm(const std::string& key) NAVAL_EXCLUDES(mutex_);
  void Beat() NAVAL_EXCLUDES(mutex_);
  // Reads what is due soon and not in memory, on the loader.
  void Sweep() NAVAL_EXCLUDES(mutex_);
  void ReadDueSoon() NAVAL_EXCLUDES(mutex_);
  absl::Status ReadDueSoonOf(int partition) NAVAL_EXCLUDES(mutex_);
  // The match if it is in memory and good; of one that was lost only the slot is kept.
  std::shared_ptr<LiveMatch> InMemory(const std::string& match_id) NAVAL_REQUIRES(mutex_);
  // Takes `found` when the match has to be waited for.
  absl::StatusOr<Lookup> InMemoryOrWait(const std::string& match_id, Found& found)
      NAVAL_EXCLUDES(mutex_);
  // Lets go of a match that nobody else holds. False when somebody does.
  bool Evict(const std::string& match_id, const std::shared_ptr<LiveMatch>& match)
      NAVAL_EXCLUDES(mutex_);
  void Load(const std::string& match_id) NAVAL_EXCLUDES(mutex_);
  void Loaded(const std::string& match_id, absl::StatusOr<std::shared_ptr<LiveMatch>> match)
      NAVAL_EXCLUDES(mutex_);
  // Puts off reading a match that was lost and cannot be read.
  void LoadLater(const std::string& match_id, const absl::Status& why) NAVAL_EXCLUDES(mutex_);
  absl::StatusOr<std::shared_ptr<LiveMatch>> Read(const std::string& match_id)
      NAVAL_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<LiveMatch>> All() NAVAL_EXCLUDES(mutex_);

  MatchStore& store_;
  base::Executor& loader_;
  LiveMatchContext& context_;
  const std::size_t max_matches_;
  mutable base::Mutex mutex_;
  absl::flat_hash_map<std::string, Slot> slots_ NAVAL_GUARDED_BY(mutex_);
  bool draining_ NAVAL_GUARDED_BY(mutex_) = false;
  // Partitions whose matches are still to be read.
  std::set<int> acquired_ NAVAL_GUARDED_BY(mutex_);
  // RecoverAcquired runs or is about to.
  bool recovering_ NAVAL_GUARDED_BY(mutex_) = false;
  // Of one thread, with at most one task: RecoverAcquired.
  base::Executor recovery_;
};

}  // namespace naval::match
