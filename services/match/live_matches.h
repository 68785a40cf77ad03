#pragma once

#include <memory>
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

// How many matches a process holds in memory at most.
inline constexpr std::size_t kMaxMatches = 200'000;

// A heartbeat goes to every stream this often; the API promises one every 15 seconds.
inline constexpr absl::Duration kHeartbeatInterval = absl::Seconds(10);

// The matches that this process owns: all that are live, and those that are over and were looked at
// lately. It reads a match from the store when it is not in memory, and once for all who ask at
// that time. Thread safe; nothing but Recover blocks.
class LiveMatches {
 public:
  using Found = absl::AnyInvocable<void(const absl::StatusOr<std::shared_ptr<LiveMatch>>&)>;

  // `store` and `loader`, on which the store is read and written, must outlive this. `context` is
  // shared by all matches.
  LiveMatches(MatchStore& store, base::Executor& loader, LiveMatchContext& context);

  // Reads every live match, so that its clock goes on, and starts the timers. Blocks; call it once,
  // before serving.
  absl::Status Recover();

  // Stores a new match and starts its clock. The errors are those of MatchStore::Create,
  // RecordedMatch::New and Find; `done` is called once, at once or on the loader.
  void Create(std::string match_id, log::v1::MatchCreated created,
              absl::AnyInvocable<void(const absl::Status&)> done);

  // Calls `found` once, at once or on the loader. NOT_FOUND, reason MATCH_NOT_FOUND;
  // RESOURCE_EXHAUSTED, reason SERVER_BUSY; DATA_LOSS; the errors of the store.
  void Find(const std::string& match_id, Found found) NAVAL_EXCLUDES(mutex_);

  // Tells every stream to reconnect and lets no new one into the matches in memory.
  void Drain() NAVAL_EXCLUDES(mutex_);

 private:
  // A match in memory, or, while it is null, those who wait for it to be read.
  struct Slot {
    std::shared_ptr<LiveMatch> match;
    std::vector<Found> waiting;
  };

  void OnAlarm(const std::string& key) NAVAL_EXCLUDES(mutex_);
  void Beat() NAVAL_EXCLUDES(mutex_);
  // The match if it is in memory and good; one that was lost is dropped.
  std::shared_ptr<LiveMatch> InMemory(const std::string& match_id) NAVAL_REQUIRES(mutex_);
  void Load(const std::string& match_id) NAVAL_EXCLUDES(mutex_);
  absl::StatusOr<std::shared_ptr<LiveMatch>> Read(const std::string& match_id);
  std::vector<std::shared_ptr<LiveMatch>> All() NAVAL_EXCLUDES(mutex_);

  MatchStore& store_;
  base::Executor& loader_;
  LiveMatchContext& context_;
  base::Mutex mutex_;
  absl::flat_hash_map<std::string, Slot> slots_ NAVAL_GUARDED_BY(mutex_);
};

}  // namespace naval::match
