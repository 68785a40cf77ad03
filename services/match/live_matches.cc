#include "services/match/live_matches.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "services/match/append.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

// The keys of what is done for all among the alarms of the matches, whose keys are UUIDs.
constexpr char kHeartbeatKey[] = "heartbeat";
constexpr char kSweepKey[] = "sweep";

// What stands before the number of a partition that is to be read again, in the same place.
constexpr char kPartitionKey[] = "partition/";

std::optional<int> PartitionOfKey(absl::string_view key) {
  int partition = 0;
  if (!absl::ConsumePrefix(&key, kPartitionKey)) return std::nullopt;
  NAVAL_CHECK(absl::SimpleAtoi(key, &partition));
  return partition;
}

absl::Status TooManyMatches(std::size_t limit) {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_MATCHES",
                  "the server holds as many matches as it may; try again later",
                  {{"limit", absl::StrCat(limit)}}),
      absl::Seconds(10));
}

// The longest pause between two tries to read a match that was lost.
constexpr int kMaxReloadDelays = 8;

}  // namespace

LiveMatches::LiveMatches(MatchStore& store, base::Executor& loader, LiveMatchContext& context,
                         std::size_t max_matches)
    : store_(store),
      loader_(loader),
      context_(context),
      max_matches_(max_matches),
      recovery_({.name = "recovery", .threads = 1, .max_queued = 1}),
      reader_(store, context.sealer, context.ownership, context.observer,
              [this](const std::string& match_id, absl::StatusOr<ReadMatch> read) {
                OnRead(match_id, std::move(read));
              }) {}

void LiveMatches::Stop() {
  recovery_.Stop();
  reader_.Stop();
}

absl::Status LiveMatches::Recover() {
  std::vector<int> owned;
  for (int partition = 0; partition < kPartitions; ++partition) {
    if (context_.ownership.Holds(partition)) owned.push_back(partition);
  }
  {
    base::MutexLock lock(mutex_);
    for (const int partition : owned) BeginRecovery(partition);
  }
  for (const int partition : owned) NAVAL_RETURN_IF_ERROR(RecoverPartition(partition));
  context_.timers.Arm(kHeartbeatKey, context_.clock.Now() + kHeartbeatInterval);
  context_.timers.Arm(kSweepKey, context_.clock.Now() + kSweepInterval);
  context_.timers.Start([this](const std::string& key) { OnAlarm(key); });
  return absl::OkStatus();
}

void LiveMatches::OnAcquired(int partition) {
  base::MutexLock lock(mutex_);
  // Unless this is only another try.
  if (acquired_.insert(partition).second && RecoveryOf(partition).over) BeginRecovery(partition);
  // Refused only when all comes to an end.
  if (!recovering_) recovering_ = recovery_.Submit([this] { RecoverAcquired(); }).ok();
}

std::optional<int> LiveMatches::NextAcquired() {
  base::MutexLock lock(mutex_);
  recovering_ = !acquired_.empty();
  if (!recovering_) return std::nullopt;
  return acquired_.extract(acquired_.begin()).value();
}

void LiveMatches::RecoverAcquired() {
  while (const std::optional<int> partition = NextAcquired()) {
    const absl::Status status = RecoverPartition(*partition);
    if (status.ok()) continue;
    base::Log(base::LogLevel::kWarning, "partition_not_recovered",
              {{"partition", *partition}, {"status", status}});
    context_.timers.Arm(absl::StrCat(kPartitionKey, *partition),
                        context_.clock.Now() + kReloadDelay);
  }
}

absl::Status LiveMatches::RecoverPartition(int partition) {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<std::string> match_ids, ListDueSoon(partition));
  base::MutexLock lock(mutex_);
  NAVAL_RETURN_IF_ERROR(ReadDue(match_ids, std::numeric_limits<std::size_t>::max()));
  RecoveryOf(partition).looked = true;
  EndRecovery(partition);
  return absl::OkStatus();
}

LiveMatches::Recovery& LiveMatches::RecoveryOf(int partition) {
  return recoveries_.at(static_cast<std::size_t>(partition));
}

void LiveMatches::BeginRecovery(int partition) {
  Recovery& recovery = RecoveryOf(partition);
  recovery.begin_time = context_.clock.Now();
  recovery.looked = recovery.over = false;
}

void LiveMatches::EndRecovery(int partition) {
  Recovery& recovery = RecoveryOf(partition);
  if (recovery.over || !recovery.looked || recovery.reading > 0) return;
  recovery.over = true;
  recovery.took = context_.clock.Now() - recovery.begin_time;
  const bool all_over = std::all_of(recoveries_.begin(), recoveries_.end(),
                                    [](const Recovery& each) { return each.over; });
  if (!all_over) return;
  base::Log(base::LogLevel::kInfo, "matches_recovered",
            {{"matches", std::exchange(recovered_, 0)}, {"took", recovery.took}});
}

void LiveMatches::OnLost(int partition) {
  std::vector<std::shared_ptr<LiveMatch>> lost;
  {
    base::MutexLock lock(mutex_);
    acquired_.erase(partition);
    RecoveryOf(partition).over = true;
    for (auto it = slots_.begin(); it != slots_.end();) {
      const auto slot = it++;
      // What is being read finds out by itself.
      if (PartitionOf(slot->first) != partition || slot->second.loading) continue;
      if (slot->second.match != nullptr) lost.push_back(slot->second.match);
      slots_.erase(slot);
    }
  }
  for (const auto& match : lost) match->Disown();
}

void LiveMatches::Create(std::string match_id, log::v1::MatchCreated created,
                         absl::AnyInvocable<void(const absl::Status&)> done) {
  const auto epoch = context_.ownership.Confirmed(PartitionOf(match_id));
  if (!epoch.has_value()) return done(NotOwner());
  {
    base::MutexLock lock(mutex_);
    if (slots_.size() >= max_matches_) return done(TooManyMatches(max_matches_));
  }
  auto match = RecordedMatch::New(std::move(match_id), std::move(created));
  if (!match.ok()) return done(match.status());
  // Shared, because a task that is refused is destroyed.
  const auto shared = std::make_shared<decltype(done)>(std::move(done));
  const absl::Status submitted =
      loader_.Submit([this, shared, epoch = *epoch, match = *std::move(match)] {
        Append first = ToAppend(match, match.Start(ToMicroseconds(context_.clock.Now())),
                                context_.sealer, context_.random);
        first.epoch = epoch;
        const absl::Status stored = store_.Create(match.created().SerializeAsString(), first);
        if (!stored.ok()) return (*shared)(stored);
        OnCreated(match.match_id());
        for (const OutboxMessage& message : first.messages) {
          context_.wake_outbox(message.destination);
        }
        // Read back like any other: there is one way into memory, however often this is called.
        Find(match.match_id(), [this, shared, id = match.match_id()](const auto& found) {
          if (!found.ok()) context_.timers.Arm(id, context_.clock.Now() + kReloadDelay);
          (*shared)(found.status());
        });
      });
  if (!submitted.ok()) (*shared)(submitted);
}

void LiveMatches::OnCreated(const std::string& match_id) {
  base::MutexLock lock(mutex_);
  const auto it = slots_.find(match_id);
  if (it != slots_.end()) it->second.created = it->second.loading;
}

void LiveMatches::Find(const std::string& match_id, Found found) {
  const auto match = InMemoryOrWait(match_id, found);
  if (!match.ok() || *match != nullptr) found(match);
}

absl::StatusOr<std::shared_ptr<LiveMatch>> LiveMatches::InMemoryOrWait(const std::string& match_id,
                                                                       Found& found) {
  if (!context_.ownership.Confirmed(PartitionOf(match_id)).has_value()) return NotOwner();
  base::MutexLock lock(mutex_);
  if (auto match = InMemory(match_id); match != nullptr) return match;
  const auto it = slots_.find(match_id);
  if (it == slots_.end() && slots_.size() >= max_matches_) return TooManyMatches(max_matches_);
  if (it == slots_.end() || !it->second.loading) {
    NAVAL_RETURN_IF_ERROR(reader_.Read(match_id, MatchReader::Reason::kAsked));
  } else if (it->second.waiting.empty()) {
    reader_.Hurry(match_id);
  }
  Slot& slot = slots_[match_id];
  slot.loading = true;
  slot.waiting.push_back(std::move(found));
  return nullptr;
}

std::shared_ptr<LiveMatch> LiveMatches::InMemory(const std::string& match_id) {
  const auto it = slots_.find(match_id);
  if (it == slots_.end() || it->second.match == nullptr) return nullptr;
  Slot& slot = it->second;
  if (!slot.match->lost()) return slot.match;
  slot.lost_time = slot.match->lost_time();
  slot.match = nullptr;
  return nullptr;
}

void LiveMatches::OnRead(const std::string& match_id, absl::StatusOr<ReadMatch> read) {
  absl::StatusOr<std::shared_ptr<LiveMatch>> match = nullptr;
  std::vector<Found> waiting;
  bool drain = false;
  {
    base::MutexLock lock(mutex_);
    Slot& slot = slots_.at(match_id);
    if (absl::IsNotFound(read.status()) && std::exchange(slot.created, false) &&
        reader_.Read(match_id, MatchReader::Reason::kAsked).ok()) {
      return;
    }
    match = Accept(slot, std::move(read));
    waiting.swap(slot.waiting);
    const int partition = PartitionOf(match_id);
    if (slot.due) {
      --RecoveryOf(partition).reading;
      recovered_ += match.ok() ? 1 : 0;
    }
    if (match.ok()) {
      slot = {.match = *match};
      drain = draining_;
    } else {
      OnNotRead(match_id, slot, match.status());
    }
    EndRecovery(partition);
  }
  if (match.ok()) (*match)->Begin();
  if (drain) (*match)->Drain();
  for (Found& found : waiting) found(match);
}

absl::StatusOr<std::shared_ptr<LiveMatch>> LiveMatches::Accept(const Slot& slot,
                                                               absl::StatusOr<ReadMatch> read) {
  NAVAL_RETURN_IF_ERROR(read.status());
  const int partition = PartitionOf(read->match.match_id());
  // Under the lock, so that what is lost after this look OnLost finds in its slot.
  if (!context_.ownership.Holds(partition, read->epoch)) return NotOwner();
  const absl::Time now = context_.clock.Now();
  absl::Duration lost = read->ownerless_duration;
  if (lost > absl::ZeroDuration()) {
    // Nor could it be played while it waited to be read, with all the others.
    const Recovery& recovery = RecoveryOf(partition);
    lost += recovery.over ? recovery.took : now - recovery.begin_time;
  }
  if (slot.lost_time.has_value()) lost = std::max(lost, now - *slot.lost_time);
  return std::make_shared<LiveMatch>(std::move(read->match), read->epoch, lost, context_);
}

void LiveMatches::OnNotRead(const std::string& match_id, Slot& slot, const absl::Status& why) {
  const bool owned = context_.ownership.Holds(PartitionOf(match_id));
  if (slot.due && absl::IsDataLoss(why)) {
    // One match that cannot be read must not keep the others from being played.
    base::Log(base::LogLevel::kError, "match_damaged", {{"match_id", match_id}, {"status", why}});
  } else if (slot.due && owned) {
    context_.timers.Arm(match_id, context_.clock.Now() + kReloadDelay);
  }
  if (!slot.lost_time.has_value() || absl::IsNotFound(why) || !owned) {
    slots_.erase(match_id);
    return;
  }
  slot.loading = slot.due = slot.created = false;
  ++slot.failures;
}

void LiveMatches::OnAlarm(const std::string& key) {
  if (key == kHeartbeatKey) return Beat();
  if (key == kSweepKey) return Sweep();
  if (const auto partition = PartitionOfKey(key); partition.has_value()) {
    if (context_.ownership.Holds(*partition)) OnAcquired(*partition);
    return;
  }
  std::shared_ptr<LiveMatch> match;
  {
    base::MutexLock lock(mutex_);
    match = InMemory(key);
  }
  if (match == nullptr) {
    // It was lost. Its players may be waiting for its clock, so it is tried until it is back.
    return Find(key, [this, key](const absl::StatusOr<std::shared_ptr<LiveMatch>>& found) {
      if (found.ok() || absl::IsNotFound(found.status())) return;
      // With the partition all its matches are gone.
      if (context_.ownership.Holds(PartitionOf(key))) ReadLater(key, found.status());
    });
  }
  if (match->waiting() && Evict(key, match)) return;
  match->Wake();
}

bool LiveMatches::Evict(const std::string& match_id, const std::shared_ptr<LiveMatch>& match) {
  base::MutexLock lock(mutex_);
  const auto it = slots_.find(match_id);
  // Ours and the slot's. A stream, a command and an append hold it too, and no new holder comes
  // while the lock is held.
  if (it == slots_.end() || it->second.match != match || match.use_count() > 2) return false;
  slots_.erase(it);
  return true;
}

void LiveMatches::ReadLater(const std::string& match_id, const absl::Status& why) {
  int failures = 0;
  {
    base::MutexLock lock(mutex_);
    const auto it = slots_.find(match_id);
    if (it != slots_.end()) failures = it->second.failures;
  }
  if (failures <= 1) {
    base::Log(base::LogLevel::kWarning, "match_not_reloaded",
              {{"match_id", match_id}, {"status", why}});
  }
  // Spread, so that all matches of a process do not come back in the same moment.
  const absl::Duration spread =
      absl::Milliseconds(static_cast<int64_t>(context_.random.Uniform(1000)));
  context_.timers.Arm(match_id, context_.clock.Now() + spread +
                                    kReloadDelay * std::clamp(failures, 1, kMaxReloadDelays));
}

void LiveMatches::Beat() {
  for (const auto& match : All()) match->Beat();
  context_.timers.Arm(kHeartbeatKey, context_.clock.Now() + kHeartbeatInterval);
}

void LiveMatches::Sweep() {
  const absl::Status submitted = loader_.Submit([this] {
    if (const absl::Status status = SweepAll(); !status.ok()) {
      base::Log(base::LogLevel::kWarning, "sweep_failed", {{"status", status}});
    }
  });
  if (!submitted.ok()) {
    base::Log(base::LogLevel::kWarning, "sweep_put_off", {{"status", submitted}});
  }
  context_.timers.Arm(kSweepKey, context_.clock.Now() + kSweepInterval);
}

absl::Status LiveMatches::SweepAll() {
  for (int partition = 0; partition < kPartitions; ++partition) {
    if (!context_.ownership.Confirmed(partition).has_value()) continue;
    NAVAL_ASSIGN_OR_RETURN(const std::vector<std::string> match_ids, ListDueSoon(partition));
    base::MutexLock lock(mutex_);
    NAVAL_RETURN_IF_ERROR(ReadDue(match_ids, max_matches_));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> LiveMatches::ListDueSoon(int partition) {
  return store_.ListDue(partition, context_.clock.Now() + kDueSoonDuration);
}

absl::Status LiveMatches::ReadDue(const std::vector<std::string>& match_ids, std::size_t limit) {
  for (const std::string& match_id : match_ids) {
    if (slots_.contains(match_id)) continue;
    if (slots_.size() >= limit) return TooManyMatches(limit);
    NAVAL_RETURN_IF_ERROR(reader_.Read(match_id, MatchReader::Reason::kDue));
    slots_[match_id] = {.loading = true, .due = true};
    ++RecoveryOf(PartitionOf(match_id)).reading;
  }
  return absl::OkStatus();
}

std::size_t LiveMatches::size() const {
  base::MutexLock lock(mutex_);
  return slots_.size();
}

void LiveMatches::Drain() {
  {
    base::MutexLock lock(mutex_);
    draining_ = true;
  }
  for (const auto& match : All()) match->Drain();
}

std::vector<std::shared_ptr<LiveMatch>> LiveMatches::All() {
  base::MutexLock lock(mutex_);
  std::vector<std::shared_ptr<LiveMatch>> all;
  all.reserve(slots_.size());
  for (const auto& [id, slot] : slots_) {
    if (slot.match != nullptr) all.push_back(slot.match);
  }
  return all;
}

}  // namespace naval::match
