#include "services/match/live_match.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "lib/bots/lay_fleet.h"
#include "lib/bots/pause.h"
#include "lib/rules/placement.h"
#include "services/match/append.h"
#include "services/match/refusals.h"
#include "services/match/sealed_snapshot.h"

namespace naval::match {
namespace {

absl::Status OutcomeUnknown() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kUnavailable, "MATCH_UNAVAILABLE",
                  "it is not known whether the command was stored; repeat it with the same"
                  " request_id"),
      kReloadDelay);
}

absl::Status MatchUnavailable() {
  return base::WithRetryDelay(base::Error(absl::StatusCode::kUnavailable, "MATCH_UNAVAILABLE",
                                          "the match is not to be had at the moment; try again"),
                              kReloadDelay);
}

absl::Status MatchBusy() {
  return base::WithRetryDelay(base::Error(absl::StatusCode::kResourceExhausted, "MATCH_BUSY",
                                          "too many commands wait for this match; try again"),
                              absl::Seconds(1));
}

absl::Status SnapshotDisagrees(const std::string& match_id) {
  return base::Error(absl::StatusCode::kDataLoss, "MATCH_DAMAGED",
                     "the snapshot of the match knows a request that its log does not",
                     {{"match_id", match_id}});
}

// Only players and operators can be many: there is one clock and one bot.
bool SameSender(const Request& one, const Request& other) {
  const auto aborts = [](const Request& request) {
    return std::holds_alternative<rules::Abort>(request.command);
  };
  if (aborts(one) || aborts(other)) return aborts(one) && aborts(other);
  return one.seat.has_value() && one.seat == other.seat;
}

std::vector<Destination> DestinationsOf(const Append& append) {
  std::vector<Destination> destinations;
  destinations.reserve(append.messages.size());
  for (const OutboxMessage& message : append.messages) destinations.push_back(message.destination);
  return destinations;
}

void FlushAll(const Watchers::Touched& watchers) {
  for (const auto& watcher : watchers) watcher->Flush();
}

}  // namespace

LiveMatch::LiveMatch(RecordedMatch match, int64_t epoch, absl::Duration lost,
                     LiveMatchContext& context)
    : context_(context),
      partition_(PartitionOf(match.match_id())),
      epoch_(epoch),
      rules_(match.game().settings().rules),
      ahead_(std::max(match.last_event_time() - context.clock.Now(), absl::ZeroDuration())),
      match_(std::move(match)),
      match_id_(match_.match_id()),
      watchers_(match_, Now(), context.observer) {
  // One that is over is looked at from its beginning, and leaves memory soon.
  if (!match_.over()) match_.LetGoOfRows();
  if (lost > absl::ZeroDuration()) owed_ = lost;
  for (const rules::Seat seat : rules::kSeats) {
    const std::string bot_id = match_.BotAt(seat);
    if (bot_id.empty()) continue;
    auto bot = bots::MakeBot(bot_id);
    // A RecordedMatch has no other.
    NAVAL_CHECK(bot.ok());
    bot_seat_ = seat;
    bot_ = *std::move(bot);
  }
}

void LiveMatch::Begin() {
  LetBotMove();
  Step();
}

void LiveMatch::Wake() {
  if (ClockEnded()) {
    Post({.command = rules::Tick{}}, [](const auto&) {});
  } else {
    LetBotMove();
  }
  Step();
}

bool LiveMatch::ClockEnded() const {
  base::MutexLock lock(mutex_);
  const std::optional<absl::Time> deadline = match_.game().NextDeadline();
  return deadline.has_value() && *deadline <= Now();
}

void LiveMatch::Post(Request request, Answer answer) {
  Queued queued{.request = std::move(request), .arrival_time = {}, .answer = std::move(answer)};
  const absl::Status refusal = Enqueue(queued);
  if (!refusal.ok()) return queued.answer(refusal);
  Step();
}

// Stamps and takes `queued`; leaves it alone when it is refused.
absl::Status LiveMatch::Enqueue(Queued& queued) {
  base::MutexLock lock(mutex_);
  if (lost_) return MatchUnavailable();
  const auto waiting = std::count_if(queue_.begin(), queue_.end(), [&](const Queued& other) {
    return SameSender(other.request, queued.request);
  });
  if (waiting >= kMaxQueuedCommands) {
    context_.observer.CommandRefused();
    return MatchBusy();
  }
  queued.arrival_time = Now();
  queue_.push_back(std::move(queued));
  return absl::OkStatus();
}

// Decides queued commands until one has to be made durable or none is left.
void LiveMatch::Step() {
  while (true) {
    Effects effects = TakeNext();
    if (effects.nothing_to_decide) return;
    if (effects.disowned) return Lose(NotOwner());
    if (effects.answer) effects.answer();
    if (effects.repetition.has_value()) AnswerRepetition(*std::move(effects.repetition));
    if (!effects.append.has_value()) continue;
    const absl::Status submitted = context_.journal.Submit(
        *std::move(effects.append),
        [self = shared_from_this()](const absl::Status& status) { self->OnCommitted(status); });
    if (!submitted.ok()) PutOff(submitted);
    return;
  }
}

LiveMatch::Effects LiveMatch::TakeNext() {
  base::MutexLock lock(mutex_);
  Effects effects;
  // Also what is answered without a commit is true only as long as nobody else plays the match.
  if (deciding_ == nullptr && !lost_ && !IsOwned()) {
    effects.disowned = true;
    return effects;
  }
  if (owed_.has_value() && deciding_ == nullptr) {
    // Whole, as all times of a match: its clocks must be the same after it was read from the log.
    const absl::Duration owed = absl::Ceil(*owed_, absl::Microseconds(1));
    queue_.push_front({.request = {.command = rules::Resume{owed}},
                       .arrival_time = Now(),
                       .answer = [](const auto&) {}});
    owed_.reset();
  }
  if (deciding_ != nullptr || queue_.empty() || lost_) {
    effects.nothing_to_decide = true;
    return effects;
  }
  Queued next = std::move(queue_.front());
  queue_.pop_front();
  TakeOne(std::move(next), effects);
  return effects;
}

// Answers what was recorded already, or decides.
void LiveMatch::TakeOne(Queued next, Effects& effects) {
  const Request& request = next.request;
  absl::StatusOr<std::vector<v1::MatchEvent>> outcome = std::vector<v1::MatchEvent>();
  absl::StatusOr<std::optional<int64_t>> recorded = std::nullopt;
  if (request.seat.has_value()) {
    recorded = match_.FindRequest(*request.seat, request.request_id, request.request_digest);
  }
  if (!recorded.ok()) {
    outcome = recorded.status();
  } else if (!recorded->has_value()) {
    outcome = Decide(next, effects.append);
    if (effects.append.has_value()) return;
  } else if (match_.HasRow(**recorded)) {
    outcome = match_.EventsOf(**recorded, rules::ViewerAt(*request.seat));
  } else {
    effects.repetition = std::move(next);
    return;
  }
  effects.answer = [answer = std::move(next.answer), outcome = std::move(outcome)]() mutable {
    answer(outcome);
  };
}

void LiveMatch::AnswerRepetition(Queued repetition) {
  // Shared, because a function that is kept has to be one that can be copied.
  const auto shared = std::make_shared<Queued>(std::move(repetition));
  ReadWhole([shared](const absl::StatusOr<RecordedMatch>& whole) {
    const Request& request = shared->request;
    const auto events = [&]() -> absl::StatusOr<std::vector<v1::MatchEvent>> {
      NAVAL_RETURN_IF_ERROR(whole.status());
      NAVAL_ASSIGN_OR_RETURN(
          const std::optional<int64_t> recorded,
          whole->FindRequest(*request.seat, request.request_id, request.request_digest));
      if (!recorded.has_value()) return SnapshotDisagrees(whole->match_id());
      return whole->EventsOf(*recorded, rules::ViewerAt(*request.seat));
    };
    shared->answer(events());
  });
}

void LiveMatch::ReadWhole(WholeRead done) {
  // One client must not keep all others from it.
  if (whole_reads_.fetch_add(1) >= kMaxWholeReads) {
    --whole_reads_;
    context_.observer.CommandRefused();
    return done(MatchBusy());
  }
  context_.read_whole(match_id_, [self = shared_from_this(), done = std::move(done)](
                                     const absl::StatusOr<RecordedMatch>& whole) {
    --self->whole_reads_;
    done(whole);
  });
}

// The answer to `next` if it can be given at once; else moves `next` to deciding_ and sets
// `append`.
absl::StatusOr<std::vector<v1::MatchEvent>> LiveMatch::Decide(Queued& next,
                                                              std::optional<Append>& append) {
  const Request& request = next.request;
  const absl::Time now = std::max(ToMicroseconds(next.arrival_time), match_.last_event_time());
  NAVAL_ASSIGN_OR_RETURN(std::optional<Entry> entry,
                         match_.Decide(request, now, {context_.random, context_.random}));
  if (!entry.has_value()) return std::vector<v1::MatchEvent>();
  const bool clock_ended = std::holds_alternative<rules::Tick>(request.command);
  append = ToAppend(match_, *entry, context_.sealer, context_.random);
  append->epoch = epoch_;
  deciding_ = std::make_unique<Deciding>(
      Deciding{.queued = std::move(next),
               .entry = *std::move(entry),
               .decision_time = Now(),
               .clock_end = clock_ended ? match_.game().NextDeadline() : std::nullopt,
               .told = DestinationsOf(*append)});
  return std::vector<v1::MatchEvent>();
}

void LiveMatch::OnCommitted(const absl::Status& status) {
  if (!status.ok()) return OnFailed(status);
  OweForSlowCommit();
  ApplyDeciding();
  LetBotMove();
  Step();
}

void LiveMatch::OnFailed(const absl::Status& why) {
  {
    base::MutexLock lock(mutex_);
    deciding_->failed = true;
  }
  Lose(why);
}

void LiveMatch::OweForSlowCommit() {
  base::MutexLock lock(mutex_);
  const absl::Duration took = Now() - deciding_->entry.event_time;
  const bool gave_back = std::holds_alternative<rules::Resume>(deciding_->queued.request.command);
  if (took > kSlowCommitDuration && !gave_back) owed_ = took;
}

void LiveMatch::ApplyDeciding() {
  Answer answer;
  std::vector<v1::MatchEvent> events;
  Watchers::Touched touched;
  std::vector<Destination> told;
  {
    base::MutexLock lock(mutex_);
    const Entry& entry = deciding_->entry;
    const absl::Time now = Now();
    context_.observer.Committed(entry.events, now - deciding_->decision_time);
    if (deciding_->clock_end.has_value()) context_.observer.ClockEnded(now - *deciding_->clock_end);
    match_.Apply(entry);
    if (entry.seat.has_value()) events = match_.LastEvents(entry, rules::ViewerAt(*entry.seat));
    answer = std::move(deciding_->queued.answer);
    told = std::move(deciding_->told);
    touched = watchers_.Publish(match_, entry);
    match_.LetGoOfRows();
    KeepSnapshot();
  }
  answer(std::move(events));
  FlushAll(touched);
  for (const Destination destination : told) context_.wake_outbox(destination);
  base::MutexLock lock(mutex_);
  // Only now may the next command be decided: what it publishes comes after this.
  deciding_.reset();
}

// Also while the match is being lost: what was committed stays true, whoever plays it.
void LiveMatch::KeepSnapshot() {
  if (match_.over()) {
    if (match_.head_seq() > kRowsPerSnapshot) context_.snapshots.Drop(match_id_);
  } else if (match_.head_seq() % kRowsPerSnapshot == 0) {
    context_.snapshots.Keep(SealSnapshot(match_, context_.sealer, context_.random));
  }
}

// The journal did not take the row: nothing was written, and the command may come again. What waits
// behind it waits until the alarm rings.
void LiveMatch::PutOff(const absl::Status& why) {
  Answer answer;
  {
    base::MutexLock lock(mutex_);
    const auto& command = deciding_->queued.request.command;
    if (const auto* resume = std::get_if<rules::Resume>(&command)) owed_ = resume->lost;
    answer = std::move(deciding_->queued.answer);
    deciding_.reset();
    Arm(Now() + kReloadDelay);
  }
  answer(why);
}

void LiveMatch::Lose(const absl::Status& why) {
  std::list<Queued> unanswered;
  Answer undecided = [](const auto&) {};
  Watchers::Touched touched;
  {
    base::MutexLock lock(mutex_);
    if (lost_ || (deciding_ != nullptr && !deciding_->failed)) return;
    lost_ = true;
    lost_time_ = Now() - context_.ownership.SinceConfirmed(partition_);
    if (deciding_ != nullptr) {
      lost_time_ = deciding_->queued.arrival_time;
      undecided = std::move(deciding_->queued.answer);
      deciding_.reset();
    }
    unanswered.swap(queue_);
    touched = watchers_.Reconnect(match_, StreamCut::kMatchLost);
    Arm(Now() + kReloadDelay);
  }
  base::Log(base::LogLevel::kWarning, "match_lost", {{"match_id", match_id_}, {"status", why}});
  context_.observer.MatchLost();
  undecided(OutcomeUnknown());
  for (Queued& queued : unanswered) queued.answer(MatchUnavailable());
  FlushAll(touched);
}

// After a commit that is in progress TakeNext finds that the match is not owned.
void LiveMatch::Disown() { Lose(NotOwner()); }

absl::Time LiveMatch::Now() const { return context_.clock.Now() + ahead_; }

void LiveMatch::Arm(absl::Time due) { context_.timers.Arm(match_id_, due - ahead_); }

bool LiveMatch::IsOwned() const { return context_.ownership.Confirms(partition_, epoch_); }

void LiveMatch::SetAlarm() {
  // The alarm of a lost match is that of its return.
  if (lost_) return;
  const absl::Time next_look = Now() + kLingerDuration;
  Arm(std::min(NextChange(), next_look));
}

absl::Time LiveMatch::NextChange() const {
  return std::min(match_.game().NextDeadline().value_or(absl::InfiniteFuture()),
                  bot_due_.value_or(absl::InfiniteFuture()));
}

// The bot thinks without the lock, for that may take milliseconds. What it is to move in cannot
// change meanwhile but by the end of its clock or of the match, and then its move is refused.
void LiveMatch::LetBotMove() {
  std::optional<rules::GameView> view;
  {
    base::MutexLock lock(mutex_);
    view = TakeBotsTurn();
    SetAlarm();
  }
  if (!view.has_value()) return;
  Post(BotRequest(*view), [self = shared_from_this()](const auto& outcome) {
    {
      base::MutexLock lock(self->mutex_);
      self->bot_moves_ = false;
    }
    if (outcome.ok()) return;
    // The human or the clock may have been faster; the next change lets the bot move again.
    base::Log(base::LogLevel::kInfo, "bot_move_refused",
              {{"match_id", self->match_id_}, {"status", outcome.status()}});
  });
}

// What the bot sees when it is to move now. The first time that a move is awaited of it, its pause
// begins.
std::optional<rules::GameView> LiveMatch::TakeBotsTurn() {
  if (bot_ == nullptr || bot_moves_) return std::nullopt;
  const rules::Game& game = match_.game();
  if (!game.Awaits(*bot_seat_)) {
    bot_due_.reset();
    return std::nullopt;
  }
  const absl::Time now = Now();
  if (bot_due_.value_or(now) > now) return std::nullopt;
  rules::GameView view = rules::ViewOf(game, rules::ViewerAt(*bot_seat_));
  if (context_.bots_pause && !bot_due_.has_value()) {
    bot_due_ = now + bots::DrawPause(view, context_.random);
    return std::nullopt;
  }
  bot_due_.reset();
  bot_moves_ = true;
  return view;
}

Request LiveMatch::BotRequest(const rules::GameView& view) const {
  if (view.phase == rules::Phase::kPlacement) {
    return {.command = rules::ConfirmFleet{*bot_seat_, bots::LayFleet(*rules_, context_.random)}};
  }
  const rules::SquareSet shots = bot_->ChooseShots(view, context_.random);
  return {.command = rules::FireShots{*bot_seat_, {shots.begin(), shots.end()}, view.round}};
}

absl::StatusOr<v1::Match> LiveMatch::ViewFor(const std::string& account_id) {
  base::MutexLock lock(mutex_);
  if (lost_) return MatchUnavailable();
  if (!IsOwned()) return NotOwner();
  const auto viewer = match_.ViewerOf(account_id);
  if (!viewer.has_value()) return MatchNotFound(match_id_);
  return watchers_.ViewFor(match_, *viewer, Now());
}

absl::StatusOr<rules::Seat> LiveMatch::SeatOf(const std::string& account_id) {
  base::MutexLock lock(mutex_);
  if (!IsOwned()) return NotOwner();
  if (const auto seat = match_.SeatOf(account_id); seat.has_value()) return *seat;
  if (!match_.ViewerOf(account_id).has_value()) return MatchNotFound(match_id_);
  return base::Error(absl::StatusCode::kPermissionDenied, "NOT_A_PLAYER",
                     "only its two players can act in this match");
}

void LiveMatch::Watch(const std::string& account_id, std::optional<int64_t> after_seq,
                      const std::shared_ptr<Watcher>& watcher,
                      std::function<void(const absl::Status&)> opened) {
  const auto at_once = TryWatch(account_id, after_seq, watcher, nullptr);
  if (!at_once.ok() || *at_once) return opened(at_once.status());
  ReadWhole([=, self = shared_from_this(),
             opened = std::move(opened)](const absl::StatusOr<RecordedMatch>& whole) {
    if (!whole.ok()) return opened(whole.status());
    opened(self->TryWatch(account_id, after_seq, watcher, &*whole).status());
  });
}

absl::StatusOr<bool> LiveMatch::TryWatch(const std::string& account_id,
                                         std::optional<int64_t> after_seq,
                                         const std::shared_ptr<Watcher>& watcher,
                                         const RecordedMatch* whole) {
  Watchers::Touched touched;
  {
    base::MutexLock lock(mutex_);
    if (lost_ || draining_) return MatchUnavailable();
    if (!IsOwned()) return NotOwner();
    const auto viewer = match_.ViewerOf(account_id);
    if (!viewer.has_value()) return MatchNotFound(match_id_);
    NAVAL_RETURN_IF_ERROR(watchers_.CheckNew(match_, account_id, *viewer, after_seq));
    const bool at_hand = !after_seq.has_value() || match_.HasEventsAfter(*after_seq, *viewer);
    if (!at_hand && whole == nullptr) return false;
    touched = watchers_.Add(match_, at_hand ? nullptr : whole, account_id, *viewer, after_seq,
                            Now(), watcher);
  }
  FlushAll(touched);
  return true;
}

void LiveMatch::Unwatch(const Watcher* watcher) {
  base::MutexLock lock(mutex_);
  watchers_.Remove(watcher, Now());
}

void LiveMatch::Beat() {
  Watchers::Touched touched;
  {
    base::MutexLock lock(mutex_);
    if (!IsOwned()) return;
    touched = watchers_.Beat(match_, Now());
  }
  FlushAll(touched);
}

void LiveMatch::Drain() {
  Watchers::Touched touched;
  {
    base::MutexLock lock(mutex_);
    draining_ = true;
    touched = watchers_.Reconnect(match_, StreamCut::kDraining);
  }
  FlushAll(touched);
}

absl::Time LiveMatch::lost_time() const {
  base::MutexLock lock(mutex_);
  return lost_time_ - ahead_;
}

std::optional<rules::MatchEnded> LiveMatch::result() const {
  base::MutexLock lock(mutex_);
  return match_.game().result();
}

bool LiveMatch::waiting() const {
  base::MutexLock lock(mutex_);
  return NextChange() > Now() + kLeastWaitingDuration;
}

}  // namespace naval::match
