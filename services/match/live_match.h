#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/random.h"
#include "lib/bots/bot.h"
#include "lib/rules/view.h"
#include "naval/match/v1/match.pb.h"
#include "services/match/journal.h"
#include "services/match/match_observer.h"
#include "services/match/ownership.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_row.h"
#include "services/match/snapshot_writer.h"
#include "services/match/timers.h"
#include "services/match/watchers.h"

namespace naval::match {

// A match in which nothing happens by itself for so long, as in those that are played over days,
// waits in the store alone...
inline constexpr absl::Duration kLeastWaitingDuration = absl::Minutes(10);

// ... once nobody has held it for so long.
inline constexpr absl::Duration kLingerDuration = absl::Minutes(1);

// How soon a match that was lost from memory is read again, so that its clocks go on.
inline constexpr absl::Duration kReloadDelay = absl::Seconds(1);

// How many commands of one seat, or of operators, may wait. An honest player has one or two, and a
// rival's many must not stand in the way of them.
inline constexpr std::ptrdiff_t kMaxQueuedCommands = 8;

// After so many rows the snapshot of a match is taken anew: who reads it reads as many rows at
// most, but for those of the moment that writing one takes.
inline constexpr int64_t kRowsPerSnapshot = 8;

// How often the whole of one match may be being read: for the streams and the repetitions of its
// players. A match that is asked for more of it at once is busy.
inline constexpr int kMaxWholeReads = 4;

// A commit that took longer than this is time that a player lost to us, and is given back.
inline constexpr absl::Duration kSlowCommitDuration = absl::Seconds(1);

// What came of reading the whole of a match.
using WholeRead = std::function<void(const absl::StatusOr<RecordedMatch>& whole)>;

// What every live match works with. All of it outlives the matches.
struct LiveMatchContext {
  base::Clock& clock;
  // Thread safe, and nobody can know its state (see rules::Chance).
  base::Random& random;
  const auth::Sealer& sealer;
  Journal& journal;
  Timers& timers;
  SnapshotWriter& snapshots;
  const Ownership& ownership;
  // Reads the whole of a match: what a live one does not hold of itself is seldom asked for. `done`
  // is called once, at once with RESOURCE_EXHAUSTED when too many are being read or UNAVAILABLE at
  // the end of the process. Thread safe, must not block.
  std::function<void(const std::string& match_id, WholeRead done)> read_whole;
  // Tells the outbox of a destination that there may be something to deliver. Thread safe, must not
  // block.
  std::function<void(Destination)> wake_outbox;
  MatchObserver& observer;
  // Bots take the time that a person would.
  bool bots_pause = true;
};

// The one queue of one match. A player's command, a bot's, the end of a clock and the return after
// an outage all enter by Post, get their arrival stamp there, and are decided one after the other:
// decide, make durable, apply, answer, publish, let the bot move, set the alarm anew: for the end
// of the clock, or the end of the bot's pause. Commit first, publish then.
//
// When a row cannot be made durable, or it is not confirmed that this process owns the match, the
// match is lost: what is in memory may be behind the log, so every waiting command is answered
// UNAVAILABLE (a repeat with the same request_id finds what became of it), every stream is told to
// reconnect, and the owner reads the match anew. Thread safe; nothing here blocks.
class LiveMatch : public std::enable_shared_from_this<LiveMatch> {
 public:
  // Called once with the events that the command caused, as its sender sees them (none for a sender
  // without a seat), or with the refusal. Runs with no lock held and must not block.
  using Answer = absl::AnyInvocable<void(const absl::StatusOr<std::vector<v1::MatchEvent>>&)>;

  // `match` is what the store held when its partition was owned under `epoch`. For a time of `lost`
  // after its last row it could not be played: unless that is none, the running clock gets it back
  // before anything else is decided (rules::Resume). Call Begin next.
  LiveMatch(RecordedMatch match, int64_t epoch, absl::Duration lost, LiveMatchContext& context);

  // Arms the clock and lets a bot move.
  void Begin() NAVAL_EXCLUDES(mutex_);

  // Queues a command. RESOURCE_EXHAUSTED, reason MATCH_BUSY, when too many of its
  // sender wait.
  void Post(Request request, Answer answer) NAVAL_EXCLUDES(mutex_);

  // The whole match as the account may see it. NOT_FOUND, reason MATCH_NOT_FOUND, when it may not
  // know of it; UNAVAILABLE, reason NOT_OWNER, when that could be out of date.
  absl::StatusOr<v1::Match> ViewFor(const std::string& account_id) NAVAL_EXCLUDES(mutex_);

  // Opens a stream, see Watchers::Add, and calls `opened` once: at once, unless the stream begins
  // so far back that the whole match has to be read. NOT_FOUND and UNAVAILABLE as above;
  // UNAVAILABLE also when the match was lost or is drained; the errors of ReadWhole.
  void Watch(const std::string& account_id, std::optional<int64_t> after_seq,
             const std::shared_ptr<Watcher>& watcher,
             std::function<void(const absl::Status&)> opened) NAVAL_EXCLUDES(mutex_);
  void Unwatch(const Watcher* watcher) NAVAL_EXCLUDES(mutex_);

  // The alarm of the match rang: its clock has ended, or the pause of its bot, or something was put
  // off, or the alarm was early and is set again.
  void Wake() NAVAL_EXCLUDES(mutex_);

  // Sends heartbeats.
  void Beat() NAVAL_EXCLUDES(mutex_);

  // Tells every stream to reconnect and takes no new one.
  void Drain() NAVAL_EXCLUDES(mutex_);

  // The seat of an account. PERMISSION_DENIED, reason NOT_A_PLAYER, for one that only may watch,
  // NOT_FOUND and UNAVAILABLE as above.
  absl::StatusOr<rules::Seat> SeatOf(const std::string& account_id) NAVAL_EXCLUDES(mutex_);

  // Another process plays the match from now on: it is lost, when a commit in progress has ended at
  // the latest. The partition must not be held any more.
  void Disown() NAVAL_EXCLUDES(mutex_);

  // The time in the match, as all times here are but those of others.
  absl::Time Now() const;

  const std::string& match_id() const { return match_id_; }
  int64_t epoch() const { return epoch_; }
  // Fixed when the match was created.
  const rules::RuleSet& rules() const { return *rules_; }

  // The match must be read anew: this object answers nothing any more.
  bool lost() const { return lost_; }
  // Since when it could not be played, by the process's clock. Requires lost().
  absl::Time lost_time() const NAVAL_EXCLUDES(mutex_);
  // How the match ended; nullopt while it lasts.
  std::optional<rules::MatchEnded> result() const NAVAL_EXCLUDES(mutex_);
  // Nothing happens in it by itself for kLeastWaitingDuration: no clock of it ends, and no bot is
  // to move.
  bool waiting() const NAVAL_EXCLUDES(mutex_);

 private:
  struct Queued {
    Request request;
    absl::Time arrival_time;
    Answer answer;
  };

  // A decided command whose row is on its way to the log.
  struct Deciding {
    Queued queued;
    Entry entry;
    absl::Time decision_time;
    // The clock whose end is decided.
    std::optional<absl::Time> clock_end;
    // Whom it tells something.
    std::vector<Destination> told;
    // It was not made durable.
    bool failed = false;
  };

  // What a step did under the lock and has still to do without it.
  struct Effects {
    absl::AnyInvocable<void()> answer;
    std::optional<Append> append;
    // A repetition of what came so long ago that the whole match has to be read for the answer.
    std::optional<Queued> repetition;
    bool nothing_to_decide = false;
    bool disowned = false;
  };

  absl::Status Enqueue(Queued& queued) NAVAL_EXCLUDES(mutex_);
  void Step() NAVAL_EXCLUDES(mutex_);
  Effects TakeNext() NAVAL_EXCLUDES(mutex_);
  void TakeOne(Queued next, Effects& effects) NAVAL_REQUIRES(mutex_);
  absl::StatusOr<std::vector<v1::MatchEvent>> Decide(Queued& next, std::optional<Append>& append)
      NAVAL_REQUIRES(mutex_);
  void AnswerRepetition(Queued repetition);
  // RESOURCE_EXHAUSTED, reason MATCH_BUSY, when kMaxWholeReads are on their way; the errors of
  // LiveMatchContext::read_whole.
  void ReadWhole(WholeRead done);

  void OnCommitted(const absl::Status& status) NAVAL_EXCLUDES(mutex_);
  void OnFailed(const absl::Status& why) NAVAL_EXCLUDES(mutex_);
  void OweForSlowCommit() NAVAL_EXCLUDES(mutex_);
  void ApplyDeciding() NAVAL_EXCLUDES(mutex_);
  void KeepSnapshot() NAVAL_REQUIRES(mutex_);
  // Opens a stream, if need be with the `whole` match at hand. False, and nothing was done: that is
  // needed.
  absl::StatusOr<bool> TryWatch(const std::string& account_id, std::optional<int64_t> after_seq,
                                const std::shared_ptr<Watcher>& watcher, const RecordedMatch* whole)
      NAVAL_EXCLUDES(mutex_);
  void PutOff(const absl::Status& why) NAVAL_EXCLUDES(mutex_);
  // Unless a commit is in progress.
  void Lose(const absl::Status& why) NAVAL_EXCLUDES(mutex_);
  // Whether it is confirmed that this process owns the match as it is in memory.
  bool IsOwned() const;
  // Sets the one alarm of the match.
  void Arm(absl::Time due);
  bool ClockEnded() const NAVAL_EXCLUDES(mutex_);
  void SetAlarm() NAVAL_REQUIRES(mutex_);
  // When something happens in it by itself; infinite future where nothing does.
  absl::Time NextChange() const NAVAL_REQUIRES(mutex_);
  // Once it is time for that, and sets the alarm.
  void LetBotMove() NAVAL_EXCLUDES(mutex_);
  std::optional<rules::GameView> TakeBotsTurn() NAVAL_REQUIRES(mutex_);
  Request BotRequest(const rules::GameView& view) const;

  LiveMatchContext& context_;
  const int partition_;
  const int64_t epoch_;
  const std::shared_ptr<const rules::RuleSet> rules_;
  // How far the time in the match is ahead of this process's clock, for the times of a log never
  // decrease: not at all, unless the clock was set back. What counts from a time of the log, as
  // every deadline does, would stand still for as long otherwise.
  const absl::Duration ahead_;
  // Where a bot sits, and the bot; both absent between two people.
  std::optional<rules::Seat> bot_seat_;
  std::unique_ptr<bots::Bot> bot_;
  mutable base::Mutex mutex_;
  RecordedMatch match_ NAVAL_GUARDED_BY(mutex_);
  // That of the match, which never changes.
  const std::string& match_id_;
  // These two take no memory while nothing happens, which is most of the time of most matches.
  std::list<Queued> queue_ NAVAL_GUARDED_BY(mutex_);
  std::unique_ptr<Deciding> deciding_ NAVAL_GUARDED_BY(mutex_);
  // A move of the bot is queued or being decided.
  bool bot_moves_ NAVAL_GUARDED_BY(mutex_) = false;
  // The end of the bot's pause before the move that is awaited of it.
  std::optional<absl::Time> bot_due_ NAVAL_GUARDED_BY(mutex_);
  Watchers watchers_ NAVAL_GUARDED_BY(mutex_);
  // Time to give back to the running clock before anything else is decided.
  std::optional<absl::Duration> owed_ NAVAL_GUARDED_BY(mutex_);
  // Written under the mutex; read without it by those who hold the lock of all matches.
  std::atomic<bool> lost_ = false;
  absl::Time lost_time_ NAVAL_GUARDED_BY(mutex_);
  bool draining_ NAVAL_GUARDED_BY(mutex_) = false;
  // How many are on their way.
  std::atomic<int> whole_reads_ = 0;
};

}  // namespace naval::match
