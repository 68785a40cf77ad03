#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/executor.h"
#include "lib/base/mutex.h"
#include "services/match/live_match.h"
#include "services/match/match_reader.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"

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
// Recover and Stop blocks.
//
// A match of another partition is refused with UNAVAILABLE, reason NOT_OWNER: calls about those are
// handed on to their owner before they come here (Forwarder).
class LiveMatches {
 public:
  using Found = absl::AnyInvocable<void(const absl::StatusOr<std::shared_ptr<LiveMatch>>&)>;

  // `store` and `loader`, on which matches are made and due ones looked for, must outlive this.
  // `context` is shared by all matches. Over `max_matches` no match is taken into memory but those
  // that are due when their partition is taken.
  LiveMatches(MatchStore& store, base::Executor& loader, LiveMatchContext& context,
              std::size_t max_matches = kMaxMatches);

  // Begins: looks which matches of the partitions that are owned are due soon, and has them read.
  // Blocks for that look alone: a match that somebody asks for comes before the others, and each
  // goes on as soon as it is read. Call it once, before serving, when the ownership has started.
  absl::Status Recover() NAVAL_EXCLUDES(mutex_);

  // A partition came to be owned: the same for its matches, on a thread of its own. It was lost:
  // its matches leave memory, and their streams are told to reconnect. Both after the ownership
  // says so.
  void OnAcquired(int partition) NAVAL_EXCLUDES(mutex_);
  void OnLost(int partition) NAVAL_EXCLUDES(mutex_);

  // Returns when no match is looked for or read any more.
  void Stop();

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

  // What reads them, to be looked at.
  const MatchReader& reader() const { return reader_; }

  // Tells every stream to reconnect and takes no new one.
  void Drain() NAVAL_EXCLUDES(mutex_);

 private:
  // A match in memory, or one that is being read or waits to be read again.
  struct Slot {
    std::shared_ptr<LiveMatch> match;
    bool loading = false;
    // It is being read because its clock ends soon.
    bool due = false;
    // It was created since it is being read: not to find it says nothing.
    bool created = false;
    std::vector<Found> waiting;
    // Since when a match that was lost could not be played.
    std::optional<absl::Time> lost_time;
    // How often it could not be read since.
    int failures = 0;
  };

  // How what is due of a partition comes into memory after it was taken.
  struct Recovery {
    absl::Time begin_time;
    // The store was looked through for them.
    bool looked = false;
    // How many of them are being read.
    std::size_t reading = 0;
    bool over = true;
    // Once it is over.
    absl::Duration took;
  };

  // Looks through what OnAcquired said, one partition after the other.
  void RecoverAcquired() NAVAL_EXCLUDES(mutex_);
  std::optional<int> NextAcquired() NAVAL_EXCLUDES(mutex_);
  absl::Status RecoverPartition(int partition) NAVAL_EXCLUDES(mutex_);
  Recovery& RecoveryOf(int partition) NAVAL_REQUIRES(mutex_);
  void BeginRecovery(int partition) NAVAL_REQUIRES(mutex_);
  // When nothing of it is left.
  void EndRecovery(int partition) NAVAL_REQUIRES(mutex_);
  void OnAlarm(const std::string& key) NAVAL_EXCLUDES(mutex_);
  void Beat() NAVAL_EXCLUDES(mutex_);
  // Has what is due soon and not in memory read.
  void Sweep() NAVAL_EXCLUDES(mutex_);
  absl::Status SweepAll() NAVAL_EXCLUDES(mutex_);
  absl::StatusOr<std::vector<std::string>> ListDueSoon(int partition);
  // Has those of these matches read that are not in memory or on their way there, as long as there
  // are fewer than `limit` slots.
  absl::Status ReadDue(const std::vector<std::string>& match_ids, std::size_t limit)
      NAVAL_REQUIRES(mutex_);
  // The match if it is in memory and good; of one that was lost only the slot is kept.
  std::shared_ptr<LiveMatch> InMemory(const std::string& match_id) NAVAL_REQUIRES(mutex_);
  // The match if it is in memory; else null, and `found` is called when it was read.
  absl::StatusOr<std::shared_ptr<LiveMatch>> InMemoryOrWait(const std::string& match_id,
                                                            Found& found) NAVAL_EXCLUDES(mutex_);
  // Lets go of a match that nobody else holds. False when somebody does.
  bool Evict(const std::string& match_id, const std::shared_ptr<LiveMatch>& match)
      NAVAL_EXCLUDES(mutex_);
  void OnRead(const std::string& match_id, absl::StatusOr<ReadMatch> read) NAVAL_EXCLUDES(mutex_);
  void OnCreated(const std::string& match_id) NAVAL_EXCLUDES(mutex_);
  // The match that was read, unless its partition was lost since.
  absl::StatusOr<std::shared_ptr<LiveMatch>> Accept(const Slot& slot,
                                                    absl::StatusOr<ReadMatch> read)
      NAVAL_REQUIRES(mutex_);
  // Gives the slot up, unless the match was lost and has to be read again.
  void OnNotRead(const std::string& match_id, Slot& slot, const absl::Status& why)
      NAVAL_REQUIRES(mutex_);
  // Puts off reading a match that was lost and cannot be read.
  void ReadLater(const std::string& match_id, const absl::Status& why) NAVAL_EXCLUDES(mutex_);
  std::vector<std::shared_ptr<LiveMatch>> All() NAVAL_EXCLUDES(mutex_);

  MatchStore& store_;
  base::Executor& loader_;
  LiveMatchContext& context_;
  const std::size_t max_matches_;
  mutable base::Mutex mutex_;
  // Ordered, so that what is done with all of them is done in the same order in every process.
  std::map<std::string, Slot> slots_ NAVAL_GUARDED_BY(mutex_);
  bool draining_ NAVAL_GUARDED_BY(mutex_) = false;
  // Partitions that are still to be looked through.
  std::set<int> acquired_ NAVAL_GUARDED_BY(mutex_);
  std::array<Recovery, kPartitions> recoveries_ NAVAL_GUARDED_BY(mutex_);
  // How many matches were read by those that are not over, and the last that are.
  std::size_t recovered_ NAVAL_GUARDED_BY(mutex_) = 0;
  // RecoverAcquired runs or is about to.
  bool recovering_ NAVAL_GUARDED_BY(mutex_) = false;
  // Of one thread, with at most one task: RecoverAcquired.
  base::Executor recovery_;
  MatchReader reader_;
};

}  // namespace naval::match
