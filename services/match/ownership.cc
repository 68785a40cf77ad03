#include "services/match/ownership.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "lib/base/check.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"

namespace naval::match {

Ownership::Ownership(MatchStore& store, base::Clock& clock, std::string owner, std::string address)
    : store_(store), clock_(clock), owner_(std::move(owner)), address_(std::move(address)) {
  NAVAL_CHECK(!owner_.empty());
}

Ownership::~Ownership() { Stop(); }

absl::Status Ownership::Start(Changes changes) {
  changes_ = std::move(changes);
  std::vector<int> acquired;
  NAVAL_RETURN_IF_ERROR(Look(/*starting=*/true, acquired));
  thread_ = std::thread([this] { Run(); });
  pthread_setname_np(thread_.native_handle(), "ownership");
  return absl::OkStatus();
}

void Ownership::Run() {
  while (Wait()) {
    std::vector<int> acquired;
    const absl::Status status = Look(/*starting=*/false, acquired);
    if (!status.ok()) {
      base::Log(base::LogLevel::kWarning, "leases_not_confirmed", {{"status", status}});
    }
    for (const int partition : acquired) changes_.acquired(partition);
  }
}

bool Ownership::Wait() {
  {
    base::MutexLock lock(mutex_);
    while (!draining_ && !stopped_ &&
           !clock_.WaitUntil(changed_, mutex_, last_look_ + kLookInterval)) {
    }
    if (!draining_) return !stopped_;
  }
  GiveBack();
  return false;
}

absl::Status Ownership::Look(bool starting, std::vector<int>& acquired) {
  last_look_ = clock_.Now();
  if (last_look_ - last_renewal_ >= kRenewInterval) {
    NAVAL_RETURN_IF_ERROR(Renew());
    NAVAL_RETURN_IF_ERROR(store_.KeepMember({.owner = owner_, .address = address_}));
  }
  NAVAL_ASSIGN_OR_RETURN(const std::vector<Lease> leases, store_.ListLeases());
  NAVAL_RETURN_IF_ERROR(NoteOwners(leases));
  for (const Lease& lease : leases) {
    // What cannot be locked costs time, and what is owned must not be lost over it.
    if (!starting && clock_.Now() - last_renewal_ >= kRenewInterval) break;
    if (!MayTake(lease, starting)) continue;
    NAVAL_ASSIGN_OR_RETURN(const bool taken, Take(lease));
    if (taken) acquired.push_back(lease.partition);
  }
  if (!acquired.empty()) {
    base::Log(base::LogLevel::kInfo, "partitions_acquired",
              {{"partitions", acquired.size()}, {"owner", owner_}});
  }
  return absl::OkStatus();
}

absl::Status Ownership::Renew() {
  const absl::Time asked = clock_.Now();
  const std::vector<Lease> held = HeldLeases();
  NAVAL_ASSIGN_OR_RETURN(const std::vector<int> renewed, store_.RenewLeases(held));
  last_renewal_ = asked;
  std::vector<int> lost;
  {
    base::MutexLock lock(mutex_);
    for (const Lease& lease : held) {
      std::optional<Held>& mine = held_.at(static_cast<size_t>(lease.partition));
      if (std::find(renewed.begin(), renewed.end(), lease.partition) != renewed.end()) {
        mine->confirm_time = asked;
      } else {
        mine.reset();
        lost.push_back(lease.partition);
      }
    }
  }
  if (lost.empty()) return absl::OkStatus();
  base::Log(base::LogLevel::kWarning, "partitions_lost",
            {{"partitions", lost.size()}, {"owner", owner_}});
  for (const int partition : lost) changes_.lost(partition);
  return absl::OkStatus();
}

absl::Status Ownership::NoteOwners(const std::vector<Lease>& leases) {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<Member> members, store_.ListMembers());
  absl::flat_hash_map<std::string, std::string> addresses;
  for (const Member& member : members) addresses[member.owner] = member.address;
  addresses.erase(owner_);
  std::vector<int> moved;
  {
    base::MutexLock lock(mutex_);
    for (const Lease& lease : leases) {
      std::string& known = owner_addresses_.at(static_cast<size_t>(lease.partition));
      std::string address = addresses[lease.owner];
      if (!known.empty() && address != known) moved.push_back(lease.partition);
      known = std::move(address);
    }
  }
  for (const int partition : moved) changes_.moved(partition);
  return absl::OkStatus();
}

bool Ownership::MayTake(const Lease& lease, bool starting) const {
  if (Holds(lease.partition)) return false;
  return lease.owner.empty() || lease.age >= kLeaseDuration || (starting && lease.owner == owner_);
}

absl::StatusOr<bool> Ownership::Take(const Lease& lease) {
  const absl::Time asked = clock_.Now();
  const bool is_dead = !lease.owner.empty() && lease.owner != owner_;
  const absl::StatusOr<int64_t> epoch =
      store_.TakeOverLease(lease, owner_, is_dead ? kLeaseDuration : absl::ZeroDuration());
  // Somebody else was faster, the owner is alive after all, or the lock was not to be had: the next
  // look will show.
  if (absl::IsAborted(epoch.status())) return false;
  NAVAL_RETURN_IF_ERROR(epoch.status());
  base::MutexLock lock(mutex_);
  held_.at(static_cast<size_t>(lease.partition)) = Held{.epoch = *epoch, .confirm_time = asked};
  return true;
}

void Ownership::GiveBack() {
  absl::Status status = store_.ReleaseLeases(HeldLeases());
  status.Update(store_.RemoveMember(owner_));
  // Then the others have to wait until they run out.
  if (!status.ok()) {
    base::Log(base::LogLevel::kWarning, "partitions_not_given_back", {{"status", status}});
  }
}

std::vector<Lease> Ownership::HeldLeases() const {
  base::MutexLock lock(mutex_);
  std::vector<Lease> leases;
  for (int partition = 0; partition < kPartitions; ++partition) {
    const std::optional<Held>& held = held_.at(static_cast<size_t>(partition));
    if (!held.has_value()) continue;
    leases.push_back({.partition = partition, .epoch = held->epoch, .owner = owner_});
  }
  return leases;
}

bool Ownership::IsConfirmed(const std::optional<Held>& held) const {
  return held.has_value() && !draining_ && clock_.Now() - held->confirm_time < kConfirmedDuration;
}

std::optional<int64_t> Ownership::Confirmed(int partition) const {
  base::MutexLock lock(mutex_);
  const std::optional<Held>& held = held_.at(static_cast<size_t>(partition));
  if (!IsConfirmed(held)) return std::nullopt;
  return held->epoch;
}

bool Ownership::Confirms(int partition, int64_t epoch) const {
  return Confirmed(partition) == epoch;
}

bool Ownership::Holds(int partition) const {
  base::MutexLock lock(mutex_);
  return held_.at(static_cast<size_t>(partition)).has_value();
}

bool Ownership::Holds(int partition, int64_t epoch) const {
  base::MutexLock lock(mutex_);
  const std::optional<Held>& held = held_.at(static_cast<size_t>(partition));
  return held.has_value() && held->epoch == epoch;
}

absl::Duration Ownership::SinceConfirmed(int partition) const {
  base::MutexLock lock(mutex_);
  const std::optional<Held>& held = held_.at(static_cast<size_t>(partition));
  return held.has_value() ? clock_.Now() - held->confirm_time : absl::ZeroDuration();
}

std::string Ownership::OwnerAddress(int partition) const {
  base::MutexLock lock(mutex_);
  if (held_.at(static_cast<size_t>(partition)).has_value()) return "";
  return owner_addresses_.at(static_cast<size_t>(partition));
}

int Ownership::size() const {
  base::MutexLock lock(mutex_);
  return static_cast<int>(
      std::count_if(held_.begin(), held_.end(), [](const auto& held) { return held.has_value(); }));
}

void Ownership::Drain() {
  base::MutexLock lock(mutex_);
  draining_ = true;
  changed_.NotifyAll();
}

void Ownership::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace naval::match
