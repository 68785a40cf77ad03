#include "services/match/live_matches.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "services/match/announcement.h"

namespace naval::match {
namespace {

// The key of the heartbeats among the alarms of the matches, whose keys are UUIDs.
constexpr char kHeartbeatKey[] = "heartbeat";

absl::Status TooManyMatches() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_MATCHES",
                  "the server holds as many matches as it can; try again later"),
      absl::Seconds(10));
}

// What is stored with a new match.
Append FirstAppend(const RecordedMatch& match, absl::Time now) {
  RecordedMatch::Entry entry = match.Start(now);
  rules::Game after = match.game();
  for (const rules::Event& event : entry.events) after.Apply(event);
  return {.match_id = match.match_id(),
          .row = entry.row,
          .deadline = after.NextDeadline(),
          .messages = Announce(match, entry)};
}

}  // namespace

LiveMatches::LiveMatches(MatchStore& store, base::Executor& loader, LiveMatchContext& context)
    : store_(store), loader_(loader), context_(context) {}

absl::Status LiveMatches::Recover() {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<std::string> ids, store_.ListLive());
  for (const std::string& id : ids) {
    auto match = Read(id);
    if (absl::IsDataLoss(match.status())) {
      // One match that cannot be read must not keep the others from being played.
      base::Log(base::LogLevel::kError, "match_damaged",
                {{"match_id", id}, {"status", match.status()}});
      continue;
    }
    NAVAL_RETURN_IF_ERROR(match.status());
    {
      base::MutexLock lock(mutex_);
      slots_[id].match = *match;
    }
    (*match)->Begin(/*after_outage=*/true);
  }
  base::Log(base::LogLevel::kInfo, "matches_recovered", {{"matches", ids.size()}});
  context_.timers.Arm(kHeartbeatKey, context_.clock.Now() + kHeartbeatInterval);
  context_.timers.Start([this](const std::string& key) { OnAlarm(key); });
  return absl::OkStatus();
}

void LiveMatches::Create(std::string match_id, log::v1::MatchCreated created,
                         absl::AnyInvocable<void(const absl::Status&)> done) {
  auto match = RecordedMatch::New(match_id, std::move(created));
  if (!match.ok()) return done(match.status());
  // Shared, because a task that is refused is destroyed.
  const auto shared = std::make_shared<decltype(done)>(std::move(done));
  const absl::Status submitted = loader_.Submit([this, shared, match = *std::move(match)] {
    const absl::Status stored = store_.Create(
        match.created().SerializeAsString(),
        FirstAppend(match, absl::FromUnixMicros(absl::ToUnixMicros(context_.clock.Now()))));
    if (!stored.ok()) return (*shared)(stored);
    // Read back like any other: there is one way into memory, however often this is called.
    Find(match.match_id(), [shared](const auto& found) { (*shared)(found.status()); });
    context_.wake_outbox();
  });
  if (!submitted.ok()) (*shared)(submitted);
}

void LiveMatches::Find(const std::string& match_id, Found found) {
  std::shared_ptr<LiveMatch> match;
  absl::Status refusal;
  bool load = false;
  {
    base::MutexLock lock(mutex_);
    match = InMemory(match_id);
    const bool known = slots_.contains(match_id);
    if (match == nullptr && !known && slots_.size() >= kMaxMatches) {
      refusal = TooManyMatches();
    } else if (match == nullptr) {
      slots_[match_id].waiting.push_back(std::move(found));
      load = !known;
    }
  }
  if (match != nullptr) return found(match);
  if (!refusal.ok()) return found(refusal);
  if (load) Load(match_id);
}

std::shared_ptr<LiveMatch> LiveMatches::InMemory(const std::string& match_id) {
  const auto it = slots_.find(match_id);
  if (it == slots_.end() || it->second.match == nullptr) return nullptr;
  if (!it->second.match->lost()) return it->second.match;
  slots_.erase(it);
  return nullptr;
}

void LiveMatches::Load(const std::string& match_id) {
  const auto finish = [this, match_id](const absl::StatusOr<std::shared_ptr<LiveMatch>>& match) {
    std::vector<Found> waiting;
    {
      base::MutexLock lock(mutex_);
      waiting.swap(slots_[match_id].waiting);
      if (match.ok()) {
        slots_[match_id].match = *match;
      } else {
        slots_.erase(match_id);
      }
    }
    if (match.ok()) (*match)->Begin(/*after_outage=*/true);
    for (Found& found : waiting) found(match);
  };
  const absl::Status submitted =
      loader_.Submit([this, match_id, finish] { finish(Read(match_id)); });
  if (!submitted.ok()) finish(submitted);
}

absl::StatusOr<std::shared_ptr<LiveMatch>> LiveMatches::Read(const std::string& match_id) {
  NAVAL_ASSIGN_OR_RETURN(StoredMatch stored, store_.Load(match_id));
  NAVAL_ASSIGN_OR_RETURN(RecordedMatch match, RecordedMatch::FromStored(std::move(stored)));
  return std::make_shared<LiveMatch>(std::move(match), context_);
}

void LiveMatches::OnAlarm(const std::string& key) {
  if (key == kHeartbeatKey) return Beat();
  std::shared_ptr<LiveMatch> match;
  {
    base::MutexLock lock(mutex_);
    match = InMemory(key);
    if (match != nullptr && match->idle()) {
      slots_.erase(key);
      return;
    }
  }
  if (match != nullptr && !match->over()) return match->Wake();
  if (match != nullptr) {
    // Over, but somebody is still there.
    return context_.timers.Arm(key, context_.clock.Now() + kLingerDuration);
  }
  // It was lost. Its players may be waiting for its clock, so it is tried until it is back.
  Find(key, [this, key](const absl::StatusOr<std::shared_ptr<LiveMatch>>& found) {
    if (found.ok() || absl::IsNotFound(found.status())) return;
    base::Log(base::LogLevel::kWarning, "match_not_reloaded",
              {{"match_id", key}, {"status", found.status()}});
    context_.timers.Arm(key, context_.clock.Now() + kReloadDelay);
  });
}

void LiveMatches::Beat() {
  for (const auto& match : All()) match->Beat();
  context_.timers.Arm(kHeartbeatKey, context_.clock.Now() + kHeartbeatInterval);
}

void LiveMatches::Drain() {
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
