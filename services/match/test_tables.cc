#include "services/match/test_tables.h"

#include <algorithm>
#include <utility>

#include "lib/base/error.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

// As the CHECK constraints of the tables say.
bool BreaksAConstraint(const Append& append) {
  const LogRow& row = append.row;
  return (!row.request_digest.empty() && row.request_id.empty()) ||
         (!row.request_id.empty() && !row.seat.has_value()) ||
         (append.over && append.deadline.has_value());
}

// Whether a row has this request already.
bool IsRepeated(const StoredMatch& match, const LogRow& row) {
  return !row.request_id.empty() &&
         std::any_of(match.rows.begin(), match.rows.end(), [&](const LogRow& other) {
           return other.seat == row.seat && other.request_id == row.request_id;
         });
}

}  // namespace

absl::StatusOr<bool> TestTables::HasMatch(const std::string& match_id,
                                          const std::string& created) const {
  const auto it = matches_.find(match_id);
  if (it == matches_.end()) return false;
  if (it->second.stored.created == created) return true;
  return base::Error(absl::StatusCode::kAlreadyExists, "MATCH_EXISTS", "another match has this id");
}

void TestTables::InsertMatch(const std::string& created, const Append& first) {
  matches_[first.match_id].stored = {.match_id = first.match_id, .created = created, .rows = {}};
  Insert(first);
}

absl::Status TestTables::Check(const Append& append, bool alone) const {
  const auto it = matches_.find(append.match_id);
  if (it == matches_.end() || it->second.over ||
      append.row.seq != static_cast<int64_t>(it->second.stored.rows.size()) + 1) {
    return StaleMatch();
  }
  if (BreaksAConstraint(append)) {
    return base::Error(absl::StatusCode::kInternal, "DATABASE_ERROR", "a row cannot be stored");
  }
  if (!IsRepeated(it->second.stored, append.row)) return absl::OkStatus();
  // One that comes alone is known to be the one that is stale.
  if (alone) return StaleMatch();
  return base::Error(absl::StatusCode::kAlreadyExists, "UNIQUE_VIOLATION",
                     "a request stands there already");
}

void TestTables::Insert(const Append& append) {
  Match& match = matches_.at(append.match_id);
  match.stored.rows.push_back(append.row);
  match.over = append.over;
  match.deadline = append.deadline;
  match.ownerless_duration = LeaseOf(PartitionOf(append.match_id)).ownerless_duration;
  InsertMessages(append);
}

void TestTables::InsertMessages(const Append& append) {
  for (const OutboxMessage& message : append.messages) {
    messages_[{message.destination, append.match_id, append.row.seq}] = {
        .body = message.body, .next_attempt_time = append.row.event_time};
  }
}

absl::StatusOr<StoredMatch> TestTables::Load(const std::string& match_id, LogPart part) const {
  const auto it = matches_.find(match_id);
  if (it == matches_.end()) return MatchNotFound(match_id);
  StoredMatch stored = it->second.stored;
  stored.ownerless_duration = OwnerlessSince(match_id);
  const auto kept = snapshots_.find(match_id);
  if (part == LogPart::kAll || kept == snapshots_.end()) return stored;
  stored.snapshot = kept->second;
  stored.rows.erase(stored.rows.begin(), stored.rows.begin() + kept->second.seq);
  return stored;
}

void TestTables::KeepSnapshot(const Snapshot& snapshot) {
  const auto it = matches_.find(snapshot.match_id);
  if (it == matches_.end() || it->second.over ||
      static_cast<int64_t>(it->second.stored.rows.size()) < snapshot.seq) {
    return;
  }
  Snapshot& kept = snapshots_[snapshot.match_id];
  if (kept.seq < snapshot.seq) kept = snapshot;
}

void TestTables::DropSnapshot(const std::string& match_id) { snapshots_.erase(match_id); }

absl::Duration TestTables::OwnerlessSince(const std::string& match_id) const {
  return LeaseOf(PartitionOf(match_id)).ownerless_duration -
         matches_.at(match_id).ownerless_duration;
}

std::vector<std::string> TestTables::ListDue(int partition, absl::Time until) const {
  std::vector<std::string> ids;
  for (const auto& [id, match] : matches_) {
    if (PartitionOf(id) != partition) continue;
    if (match.deadline.has_value() && *match.deadline <= until) ids.push_back(id);
  }
  return ids;
}

std::vector<Lease> TestTables::ListLeases() const {
  std::vector<Lease> leases;
  leases.reserve(leases_.size());
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

absl::StatusOr<int64_t> TestTables::TakeOverLease(const Lease& seen, const std::string& owner,
                                                  absl::Time now) {
  StoredLease* const lease = Find(seen);
  if (lease == nullptr || lease->renew_time != seen.renew_time) return LeaseChanged();
  *lease = {
      .epoch = lease->epoch + 1,
      .owner = owner,
      .renew_time = now,
      .ownerless_duration = lease->ownerless_duration + (now - lease->renew_time.value_or(now))};
  return lease->epoch;
}

std::vector<int> TestTables::RenewLeases(absl::Span<const Lease> held, absl::Time now) {
  std::vector<int> renewed;
  for (const Lease& mine : held) {
    StoredLease* const lease = Find(mine);
    if (lease == nullptr || lease->owner.empty()) continue;
    lease->renew_time = now;
    renewed.push_back(mine.partition);
  }
  return renewed;
}

void TestTables::ReleaseLeases(absl::Span<const Lease> held, absl::Time now) {
  for (const Lease& mine : held) {
    StoredLease* const lease = Find(mine);
    if (lease == nullptr) continue;
    lease->owner.clear();
    lease->renew_time = now;
  }
}

TestTables::StoredLease* TestTables::Find(const Lease& held) {
  StoredLease& lease = leases_.at(static_cast<size_t>(held.partition));
  return lease.epoch == held.epoch ? &lease : nullptr;
}

void TestTables::KeepMember(const Member& member, absl::Time now) {
  std::erase_if(members_, [&](const auto& known) {
    return known.second.renew_time < now - kForgetMemberDuration;
  });
  Member& kept = members_[member.owner] = member;
  kept.renew_time = now;
}

void TestTables::RemoveMember(const std::string& owner) { members_.erase(owner); }

std::vector<Member> TestTables::ListMembers() const {
  std::vector<Member> members;
  for (const auto& [owner, member] : members_) members.push_back(member);
  return members;
}

std::vector<TestTables::MessageKey> TestTables::DueMessages(Destination destination, absl::Time now,
                                                            int limit) const {
  std::vector<std::pair<absl::Time, MessageKey>> due;
  for (const auto& [key, message] : messages_) {
    if (std::get<Destination>(key) != destination || message.delivered) continue;
    if (message.attempts > 0 && message.next_attempt_time > now) continue;
    due.emplace_back(message.next_attempt_time, key);
  }
  std::sort(due.begin(), due.end());
  due.resize(std::min(due.size(), static_cast<size_t>(limit)));
  std::vector<MessageKey> keys;
  keys.reserve(due.size());
  for (auto& [next_attempt_time, key] : due) keys.push_back(std::move(key));
  return keys;
}

std::vector<ClaimedMessage> TestTables::ClaimMessages(Destination destination, absl::Time now,
                                                      absl::Duration retry_delay, int limit) {
  std::vector<ClaimedMessage> claimed;
  for (const MessageKey& key : DueMessages(destination, now, limit)) {
    Message& message = messages_.at(key);
    message.next_attempt_time = now + retry_delay * (1 << std::min(message.attempts, 4));
    ++message.attempts;
    claimed.push_back({.match_id = std::get<std::string>(key),
                       .seq = std::get<int64_t>(key),
                       .body = message.body,
                       .attempts = message.attempts});
  }
  return claimed;
}

void TestTables::MarkDelivered(Destination destination, absl::Span<const ClaimedMessage> messages) {
  for (const ClaimedMessage& message : messages) {
    messages_.at({destination, message.match_id, message.seq}).delivered = true;
  }
}

Backlog TestTables::ReadBacklog(Destination destination) const {
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

int TestTables::undelivered() const {
  return static_cast<int>(std::count_if(messages_.begin(), messages_.end(),
                                        [](const auto& entry) { return !entry.second.delivered; }));
}

}  // namespace naval::match
