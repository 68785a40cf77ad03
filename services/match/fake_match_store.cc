#include "services/match/fake_match_store.h"

#include <algorithm>

#include "lib/base/error.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

absl::Status Away() {
  return base::Error(absl::StatusCode::kUnavailable, "DATABASE_UNAVAILABLE", "the store is away");
}

// What Postgres refuses to store, as its CHECK constraints say.
bool BreaksAConstraint(const Append& append) {
  const LogRow& row = append.row;
  return (!row.request_digest.empty() && row.request_id.empty()) ||
         (!row.request_id.empty() && !row.seat.has_value()) ||
         (append.over && append.deadline.has_value());
}

}  // namespace

absl::Status FakeMatchStore::Create(const std::string& created, const Append& first) {
  base::MutexLock lock(mutex_);
  if (!IsOwned(first)) return NotOwner();
  if (const auto it = matches_.find(first.match_id); it != matches_.end()) {
    if (it->second.stored.created == created) return absl::OkStatus();
    return base::Error(absl::StatusCode::kAlreadyExists, "MATCH_EXISTS",
                       "another match has this id");
  }
  matches_[first.match_id].stored = {.match_id = first.match_id, .created = created, .rows = {}};
  Insert(first);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::Status>> FakeMatchStore::AppendRows(
    absl::Span<const Append> appends) {
  base::MutexLock lock(mutex_);
  while (appends_held_) released_.Wait(mutex_);
  if (fate_ == Fate::kAway) return Away();
  for (const Append& append : appends) {
    if (!IsOwned(append) || !Fits(append)) continue;
    if (BreaksAConstraint(append)) {
      return base::Error(absl::StatusCode::kInternal, "DATABASE_ERROR", "a row cannot be stored");
    }
    // One that comes alone is known to be the one that is stale.
    if (appends.size() > 1 && IsRepeated(append)) {
      return base::Error(absl::StatusCode::kAlreadyExists, "UNIQUE_VIOLATION",
                         "a request stands there already");
    }
  }
  std::vector<absl::Status> outcomes;
  for (const Append& append : appends) {
    outcomes.push_back(CanInsert(append));
    if (outcomes.back().ok()) Insert(append);
  }
  if (fate_ == Fate::kInDoubt) {
    return base::Error(absl::StatusCode::kUnavailable, "COMMIT_IN_DOUBT", "the answer was lost");
  }
  return outcomes;
}

absl::Status FakeMatchStore::CanInsert(const Append& append) const {
  if (!IsOwned(append)) return NotOwner();
  return Fits(append) && !IsRepeated(append) ? absl::OkStatus() : StaleMatch();
}

bool FakeMatchStore::IsOwned(const Append& append) const {
  return LeaseOf(append.match_id).epoch == append.epoch;
}

const FakeMatchStore::StoredLease& FakeMatchStore::LeaseOf(const std::string& match_id) const {
  return leases_.at(static_cast<size_t>(PartitionOf(match_id)));
}

bool FakeMatchStore::Fits(const Append& append) const {
  const auto it = matches_.find(append.match_id);
  return it != matches_.end() && !it->second.over &&
         append.row.seq == static_cast<int64_t>(it->second.stored.rows.size()) + 1;
}

bool FakeMatchStore::IsRepeated(const Append& append) const {
  const LogRow& row = append.row;
  if (!Fits(append) || row.request_id.empty()) return false;
  const std::vector<LogRow>& rows = matches_.at(append.match_id).stored.rows;
  return std::any_of(rows.begin(), rows.end(), [&](const LogRow& other) {
    return other.seat == row.seat && other.request_id == row.request_id;
  });
}

void FakeMatchStore::Insert(const Append& append) {
  Match& match = matches_[append.match_id];
  match.stored.rows.push_back(append.row);
  match.over = append.over;
  match.deadline = append.deadline;
  match.ownerless_duration = LeaseOf(append.match_id).ownerless_duration;
  for (const OutboxMessage& message : append.messages) {
    messages_[{message.destination, append.match_id, append.row.seq}] = {
        .body = message.body, .next_attempt_time = append.row.event_time};
  }
}

absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> FakeMatchStore::Load(
    absl::Span<const std::string> match_ids) {
  base::MutexLock lock(mutex_);
  while (loads_held_) released_.Wait(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<absl::StatusOr<StoredMatch>> matches;
  for (const std::string& match_id : match_ids) {
    const auto it = matches_.find(match_id);
    if (it == matches_.end()) {
      matches.push_back(MatchNotFound(match_id));
      continue;
    }
    matches.push_back(it->second.stored);
    matches.back()->ownerless_duration =
        LeaseOf(match_id).ownerless_duration - it->second.ownerless_duration;
  }
  return matches;
}

absl::StatusOr<std::vector<std::string>> FakeMatchStore::ListDue(int partition, absl::Time until) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<std::string> ids;
  for (const auto& [id, match] : matches_) {
    if (PartitionOf(id) != partition) continue;
    if (match.deadline.has_value() && *match.deadline <= until) ids.push_back(id);
  }
  return ids;
}

absl::StatusOr<std::vector<Lease>> FakeMatchStore::ListLeases() {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<Lease> leases;
  for (const StoredLease& lease : leases_) {
    const auto owner = members_.find(lease.owner);
    leases.push_back({.partition = static_cast<int>(leases.size()),
                      .epoch = lease.epoch,
                      .owner = lease.owner,
                      .renew_time = lease.renew_time,
                      .duration = owner == members_.end() ? kUnsaidLeaseDuration
                                                          : owner->second.lease_duration});
  }
  return leases;
}

absl::StatusOr<int64_t> FakeMatchStore::TakeOverLease(const Lease& seen, const std::string& owner) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  StoredLease* lease = Find(seen);
  if (lease == nullptr || lease->renew_time != seen.renew_time) return LeaseChanged();
  *lease = {.epoch = lease->epoch + 1,
            .owner = owner,
            .renew_time = clock_.Now(),
            .ownerless_duration = lease->ownerless_duration + clock_.Now() -
                                  lease->renew_time.value_or(clock_.Now())};
  return lease->epoch;
}

absl::StatusOr<std::vector<int>> FakeMatchStore::RenewLeases(absl::Span<const Lease> held) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<int> renewed;
  for (const Lease& mine : held) {
    StoredLease* lease = Find(mine);
    if (lease == nullptr || lease->owner.empty()) continue;
    lease->renew_time = clock_.Now();
    renewed.push_back(mine.partition);
  }
  return renewed;
}

absl::Status FakeMatchStore::ReleaseLeases(absl::Span<const Lease> held) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  for (const Lease& mine : held) {
    StoredLease* lease = Find(mine);
    if (lease == nullptr) continue;
    lease->owner.clear();
    lease->renew_time = clock_.Now();
  }
  return absl::OkStatus();
}

absl::Status FakeMatchStore::KeepMember(const Member& member) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  const absl::Time now = clock_.Now();
  std::erase_if(members_, [&](const auto& known) {
    return known.second.renew_time < now - kForgetMemberDuration;
  });
  Member& kept = members_[member.owner] = member;
  kept.renew_time = now;
  return absl::OkStatus();
}

absl::Status FakeMatchStore::RemoveMember(const std::string& owner) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  members_.erase(owner);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Member>> FakeMatchStore::ListMembers() {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<Member> members;
  for (const auto& [owner, member] : members_) members.push_back(member);
  return members;
}

FakeMatchStore::StoredLease* FakeMatchStore::Find(const Lease& held) {
  StoredLease& lease = leases_.at(static_cast<size_t>(held.partition));
  return lease.epoch == held.epoch ? &lease : nullptr;
}

absl::StatusOr<std::vector<ClaimedMessage>> FakeMatchStore::ClaimMessages(
    Destination destination, absl::Time now, absl::Duration retry_delay, int limit) {
  base::MutexLock lock(mutex_);
  std::vector<std::pair<const MessageKey, Message>*> due;
  for (auto& entry : messages_) {
    const Message& message = entry.second;
    if (std::get<Destination>(entry.first) != destination || message.delivered) continue;
    if (message.next_attempt_time <= now) due.push_back(&entry);
  }
  std::stable_sort(due.begin(), due.end(), [](const auto* one, const auto* other) {
    return one->second.next_attempt_time < other->second.next_attempt_time;
  });
  due.resize(std::min(due.size(), static_cast<size_t>(limit)));
  std::vector<ClaimedMessage> claimed;
  for (auto* const entry : due) {
    Message& message = entry->second;
    message.next_attempt_time = now + retry_delay * (1 << std::min(message.attempts, 4));
    ++message.attempts;
    claimed.push_back({.match_id = std::get<std::string>(entry->first),
                       .seq = std::get<int64_t>(entry->first),
                       .body = message.body,
                       .attempts = message.attempts});
  }
  return claimed;
}

absl::Status FakeMatchStore::MarkDelivered(Destination destination, const ClaimedMessage& message,
                                           absl::Time) {
  base::MutexLock lock(mutex_);
  messages_.at({destination, message.match_id, message.seq}).delivered = true;
  return absl::OkStatus();
}

absl::StatusOr<Backlog> FakeMatchStore::ReadBacklog(Destination destination) {
  base::MutexLock lock(mutex_);
  Backlog backlog;
  for (const auto& [key, message] : messages_) {
    const auto& [to, match_id, seq] = key;
    if (to != destination || message.delivered) continue;
    const LogRow& row = matches_.at(match_id).stored.rows.at(static_cast<size_t>(seq) - 1);
    ++backlog.messages;
    backlog.oldest = std::min(backlog.oldest.value_or(row.event_time), row.event_time);
  }
  return backlog;
}

void FakeMatchStore::SetFate(Fate fate) {
  base::MutexLock lock(mutex_);
  fate_ = fate;
}

void FakeMatchStore::HoldAppends() {
  base::MutexLock lock(mutex_);
  appends_held_ = true;
}

void FakeMatchStore::ReleaseAppends() {
  base::MutexLock lock(mutex_);
  appends_held_ = false;
  released_.NotifyAll();
}

void FakeMatchStore::HoldLoads() {
  base::MutexLock lock(mutex_);
  loads_held_ = true;
}

void FakeMatchStore::ReleaseLoads() {
  base::MutexLock lock(mutex_);
  loads_held_ = false;
  released_.NotifyAll();
}

}  // namespace naval::match
