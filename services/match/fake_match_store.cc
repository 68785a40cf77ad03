#include "services/match/fake_match_store.h"

#include <cstddef>

#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "services/match/partition.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

absl::Status Away() {
  return base::Error(absl::StatusCode::kUnavailable, "DATABASE_UNAVAILABLE", "the store is away");
}

}  // namespace

absl::Status FakeMatchStore::Create(const std::string& created, const Append& first) {
  base::MutexLock lock(mutex_);
  if (!IsOwned(first)) return NotOwner();
  NAVAL_ASSIGN_OR_RETURN(const bool there, tables_.HasMatch(first.match_id, created));
  if (!there) tables_.InsertMatch(created, first);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::Status>> FakeMatchStore::AppendRows(
    absl::Span<const Append> appends) {
  base::MutexLock lock(mutex_);
  while (appends_held_) released_.Wait(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<absl::Status> outcomes;
  for (const Append& append : appends) {
    outcomes.push_back(NotOwner());
    if (!IsOwned(append)) continue;
    outcomes.back() = tables_.Check(append, appends.size() == 1);
    if (!outcomes.back().ok() && !absl::IsAborted(outcomes.back())) return outcomes.back();
  }
  for (std::size_t i = 0; i < appends.size(); ++i) {
    if (outcomes[i].ok()) tables_.Insert(appends[i]);
  }
  if (fate_ == Fate::kInDoubt) {
    return base::Error(absl::StatusCode::kUnavailable, "COMMIT_IN_DOUBT", "the answer was lost");
  }
  return outcomes;
}

bool FakeMatchStore::IsOwned(const Append& append) const {
  return tables_.EpochOf(PartitionOf(append.match_id)) == append.epoch;
}

absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> FakeMatchStore::Load(
    absl::Span<const std::string> match_ids, LogPart part) {
  base::MutexLock lock(mutex_);
  while (loads_held_) released_.Wait(mutex_);
  if (fate_ == Fate::kAway) return Away();
  std::vector<absl::StatusOr<StoredMatch>> matches;
  for (const std::string& match_id : match_ids) matches.push_back(tables_.Load(match_id, part));
  return matches;
}

absl::Status FakeMatchStore::KeepSnapshots(absl::Span<const Snapshot> snapshots) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  for (const Snapshot& snapshot : snapshots) tables_.KeepSnapshot(snapshot);
  return absl::OkStatus();
}

absl::Status FakeMatchStore::DropSnapshots(absl::Span<const std::string> match_ids) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  for (const std::string& match_id : match_ids) tables_.DropSnapshot(match_id);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> FakeMatchStore::ListDue(int partition, absl::Time until) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  return tables_.ListDue(partition, until);
}

absl::StatusOr<std::vector<Lease>> FakeMatchStore::ListLeases() {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  return tables_.ListLeases();
}

absl::StatusOr<int64_t> FakeMatchStore::TakeOverLease(const Lease& seen, const std::string& owner) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  return tables_.TakeOverLease(seen, owner, clock_.Now());
}

absl::StatusOr<std::vector<int>> FakeMatchStore::RenewLeases(absl::Span<const Lease> held) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  return tables_.RenewLeases(held, clock_.Now());
}

absl::Status FakeMatchStore::ReleaseLeases(absl::Span<const Lease> held) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  tables_.ReleaseLeases(held, clock_.Now());
  return absl::OkStatus();
}

absl::Status FakeMatchStore::KeepMember(const Member& member) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  tables_.KeepMember(member, clock_.Now());
  return absl::OkStatus();
}

absl::Status FakeMatchStore::RemoveMember(const std::string& owner) {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  tables_.RemoveMember(owner);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Member>> FakeMatchStore::ListMembers() {
  base::MutexLock lock(mutex_);
  if (fate_ == Fate::kAway) return Away();
  return tables_.ListMembers();
}

absl::StatusOr<std::vector<ClaimedMessage>> FakeMatchStore::ClaimMessages(
    Destination destination, absl::Time now, absl::Duration retry_delay, int limit) {
  base::MutexLock lock(mutex_);
  return tables_.ClaimMessages(destination, now, retry_delay, limit);
}

absl::Status FakeMatchStore::MarkDelivered(Destination destination,
                                           absl::Span<const ClaimedMessage> messages, absl::Time) {
  base::MutexLock lock(mutex_);
  tables_.MarkDelivered(destination, messages);
  return absl::OkStatus();
}

absl::StatusOr<Backlog> FakeMatchStore::ReadBacklog(Destination destination) {
  base::MutexLock lock(mutex_);
  return tables_.ReadBacklog(destination);
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
