#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/base/simulated_clock.h"
#include "naval/lobby/v1/lobby_internal_service.pb.h"
#include "naval/match/v1/match_service.pb.h"
#include "services/match/fake_match_store.h"
#include "services/match/match_core.h"
#include "tests/support/test_keys.h"

namespace naval::match {

inline constexpr char kTestMatchId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10";
inline constexpr char kFirstAccount[] = "018f3f5e-7b5a-7c3d-8a21-0000000000a1";
inline constexpr char kSecondAccount[] = "018f3f5e-7b5a-7c3d-8a21-0000000000a2";
inline constexpr char kStranger[] = "018f3f5e-7b5a-7c3d-8a21-0000000000a3";

// A Tablú match between the two accounts, or of the first against Jota.
log::v1::MatchCreated TestMatchCreated(bool against_bot = false);

// A legal Tablú fleet in rows 1, 3, 5, 7 and 9, each ship from column A on.
rules::Fleet RowsFleet(const rules::RuleSet& rules);

// The outcome of one append that is written alone, and one match that is read alone.
absl::Status AppendAlone(MatchStore& store, const Append& append);
absl::StatusOr<StoredMatch> LoadAlone(MatchStore& store, const std::string& match_id,
                                      LogPart part = LogPart::kAll);

// Opens a stream and waits for what comes of it.
absl::Status WatchAndWait(LiveMatch& match, const std::string& account_id,
                          std::optional<int64_t> after_seq,
                          const std::shared_ptr<Watcher>& watcher);

// A watcher that keeps what it is sent.
class RecordingWatcher final : public Watcher {
 public:
  explicit RecordingWatcher(bool events_together = false) : events_together_(events_together) {}

  bool events_together() const override { return events_together_; }
  bool Push(WatchMessage message) override;
  void End(const absl::Status& status) override;
  void Flush() override {}

  std::vector<v1::WatchMatchResponse> messages();
  std::vector<v1::MatchEvent> events();
  std::optional<absl::Status> end();

 private:
  const bool events_together_;
  base::Mutex mutex_;
  std::vector<v1::WatchMatchResponse> messages_ NAVAL_GUARDED_BY(mutex_);
  std::optional<absl::Status> end_ NAVAL_GUARDED_BY(mutex_);
};

// Counts the snapshots that could not be read.
class SnapshotCounter final : public MatchObserver {
 public:
  void SnapshotUnreadable() override { ++unreadable_; }
  int unreadable() const { return unreadable_; }

 private:
  std::atomic<int> unreadable_ = 0;
};

// The matches of one process over a store and a clock that may outlive it: making a second one on
// the same store is a restart.
class TestMatches {
 public:
  // `store` and `clock` must outlive this.
  // Its bots answer at once unless they are to pause.
  TestMatches(FakeMatchStore& store, base::SimulatedClock& clock, bool bots_pause = false,
              const std::string& owner = "test",
              const auth::Sealer& sealer = testing::TestSealer());

  LiveMatches& matches() { return core_.matches(); }
  Ownership& ownership() { return core_.ownership(); }
  base::SimulatedClock& lease_clock() { return lease_clock_; }
  int unreadable_snapshots() const { return observer_.unreadable(); }

  absl::Status Create(const log::v1::MatchCreated& created);
  absl::StatusOr<std::shared_ptr<LiveMatch>> Find(const std::string& match_id = kTestMatchId);

  // Sends a command and waits for its answer.
  absl::StatusOr<std::vector<v1::MatchEvent>> Send(rules::Seat seat, rules::Command command,
                                                   const std::string& request_id,
                                                   const std::string& digest = "digest");

  // What it has told the lobby so far.
  std::vector<lobby::v1::RecordMatchChangeRequest> told_lobby() NAVAL_EXCLUDES(mutex_);

 private:
  absl::Status TellLobby(const std::string& body) NAVAL_EXCLUDES(mutex_);

  base::SecureRandom random_;
  const auth::Sealer sealer_;
  SnapshotCounter observer_;
  // Stands still: a process whose clock is moved by minutes was frozen, and owns nothing.
  base::SimulatedClock lease_clock_;
  base::Mutex mutex_;
  std::vector<lobby::v1::RecordMatchChangeRequest> told_lobby_ NAVAL_GUARDED_BY(mutex_);
  MatchCore core_;
};

}  // namespace naval::match
