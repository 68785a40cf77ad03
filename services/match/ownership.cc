#include "services/match/ownership.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
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
  NAVAL_RETURN_IF_ERROR(Look(acquired));
  starting_ = false;
  {
    base::MutexLock lock(mutex_);
    running_ = true;
  }
  thread_ = base::Thread("ownership", [this] { Run(); });
  return absl::OkStatus();
}

void Ownership::Run() {
  while (Wait()) {
    std::vector<int> acquired;
    const absl::Status status = Look(acquired);
    if (!status.ok()) {
      base::Log(base::LogLevel::kWarning, "leases_not_confirmed", {{"status", status}});
    }
    for (const int partition : acquired) changes_.acquired(partition);
  }
  base::MutexLock lock(mutex_);
  running_ = false;
  changed_.NotifyAll();
}

bool Ownership::Wait() {
  {
    base::MutexLock lock(mutex_);
    const auto next = [this]() NAVAL_REQUIRES(mutex_) {
      return look_soon_ ? last_look_ + kLeastLookInterval : next_look_;
    };
    while (!draining_ && !stopped_ && !clock_.WaitUntil(changed_, mutex_, next())) {
    }
    look_soon_ = false;
    if (!draining_) return !stopped_;
  }
  GiveAllBack();
  return false;
}

absl::Status Ownership::Look(std::vector<int>& acquired) {
  last_look_ = clock_.Now();
  next_look_ = last_look_ + kLookInterval;
  NAVAL_RETURN_IF_ERROR(Renew());
  NAVAL_RETURN_IF_ERROR(
      store_.KeepMember({.owner = owner_, .address = address_, .lease_duration = kLeaseDuration}));
  NAVAL_ASSIGN_OR_RETURN(const std::vector<Lease> leases, store_.ListLeases());
  NAVAL_ASSIGN_OR_RETURN(const std::vector<Member> members, store_.ListMembers());
  NoteOwners(leases, members);
  NoteSightings(leases, members);
  const int share = Share(leases, members);
  for (const Lease& lease : leases) {
    // What cannot be locked costs time, and what is owned must not be lost over it.
    if (!starting_ && clock_.Now() - last_look_ >= kLookInterval) break;
    if (!MayTake(lease, share)) continue;
    NAVAL_ASSIGN_OR_RETURN(const bool taken, Take(lease));
    if (taken) acquired.push_back(lease.partition);
  }
  if (!acquired.empty()) {
    base::Log(base::LogLevel::kInfo, "partitions_acquired",
              {{"partitions", acquired.size()}, {"owner", owner_}});
  }
  next_look_ = NextLook(leases);
  const bool some_are_free = std::any_of(leases.begin(), leases.end(),
                                         [](const Lease& lease) { return lease.owner.empty(); });
  return starting_ || some_are_free ? absl::OkStatus() : GiveBackAbove(share);
}

absl::Status Ownership::Renew() {
  const absl::Time asked = clock_.Now();
  const std::vector<Lease> held = HeldLeases();
  NAVAL_ASSIGN_OR_RETURN(const std::vector<int> renewed, store_.RenewLeases(held));
  std::array<bool, kPartitions> is_renewed = {};
  for (const int partition : renewed) is_renewed.at(static_cast<size_t>(partition)) = true;
  std::vector<int> lost;
  {
    base::MutexLock lock(mutex_);
    for (const Lease& lease : held) {
      std::optional<Held>& mine = held_.at(static_cast<size_t>(lease.partition));
      if (is_renewed.at(static_cast<size_t>(lease.partition))) {
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

void Ownership::NoteOwners(const std::vector<Lease>& leases, const std::vector<Member>& members) {
  absl::flat_hash_map<absl::string_view, absl::string_view> addresses;
  for (const Member& member : members) {
    if (member.owner != owner_) addresses[member.owner] = member.address;
  }
  std::vector<int> moved;
  {
    base::MutexLock lock(mutex_);
    for (const Lease& lease : leases) {
      std::string& known = owner_addresses_.at(static_cast<size_t>(lease.partition));
      const auto it = addresses.find(lease.owner);
      const absl::string_view address = it == addresses.end() ? "" : it->second;
      if (address == known) continue;
      if (!known.empty()) moved.push_back(lease.partition);
      known = std::string(address);
    }
  }
  for (const int partition : moved) changes_.moved(partition);
}

void Ownership::NoteSightings(const std::vector<Lease>& leases,
                              const std::vector<Member>& members) {
  // Who did not look for a while knows nothing of that time.
  if (last_look_ - last_sight_ >= kConfirmedDuration) {
    lease_sightings_ = {};
    member_sightings_.clear();
  }
  last_sight_ = clock_.Now();
  for (const Lease& lease : leases) {
    Note(lease_sightings_.at(static_cast<size_t>(lease.partition)), lease.epoch, lease.renew_time);
  }
  absl::flat_hash_map<std::string, Sighting> before;
  before.swap(member_sightings_);
  for (const Member& member : members) {
    Sighting& sighting = member_sightings_[member.owner] = before[member.owner];
    Note(sighting, /*epoch=*/0, member.renew_time);
  }
}

void Ownership::Note(Sighting& sighting, int64_t epoch,
                     std::optional<absl::Time> renew_time) const {
  if (sighting.epoch == epoch && sighting.renew_time == renew_time) return;
  sighting = {.epoch = epoch, .renew_time = renew_time, .since = last_sight_};
}

absl::Time Ownership::EndOf(const Lease& lease) const {
  const Sighting& sighting = lease_sightings_.at(static_cast<size_t>(lease.partition));
  return sighting.since + (lease.owner.empty() ? kLeaseDuration : lease.duration);
}

absl::Time Ownership::EndOf(const Member& member) const {
  return member_sightings_.at(member.owner).since + member.lease_duration;
}

absl::Time Ownership::NextLook(const std::vector<Lease>& leases) const {
  absl::Time next = last_look_ + kLookInterval;
  for (const Lease& lease : leases) {
    if (lease.owner.empty() || lease.owner == owner_) continue;
    next = std::min(next, EndOf(lease));
  }
  return std::max(next, last_look_ + kLeastLookInterval);
}

int Ownership::Share(const std::vector<Lease>& leases, const std::vector<Member>& members) const {
  absl::flat_hash_set<absl::string_view> living;
  living.insert(owner_);
  for (const Member& member : members) {
    if (EndOf(member) > last_look_) living.insert(member.owner);
  }
  // Those of a release that knows no members.
  for (const Lease& lease : leases) {
    if (!lease.owner.empty() && EndOf(lease) > last_look_) living.insert(lease.owner);
  }
  const int processes = static_cast<int>(living.size());
  return (kPartitions + processes - 1) / processes;
}

bool Ownership::MayTake(const Lease& lease, int share) const {
  const bool may_take = EndOf(lease) <= last_look_ || (lease.owner.empty() && size() < share) ||
                        (starting_ && lease.owner == owner_);
  return may_take && !Holds(lease.partition);
}

absl::StatusOr<bool> Ownership::Take(const Lease& lease) {
  const absl::Time asked = clock_.Now();
  const absl::StatusOr<int64_t> epoch = store_.TakeOverLease(lease, owner_);
  // Somebody else was faster, the owner is alive after all, or the lock was not to be had: the next
  // look will show.
  if (absl::IsAborted(epoch.status())) return false;
  NAVAL_RETURN_IF_ERROR(epoch.status());
  base::MutexLock lock(mutex_);
  held_.at(static_cast<size_t>(lease.partition)) = Held{.epoch = *epoch, .confirm_time = asked};
  return true;
}

absl::Status Ownership::GiveBackAbove(int share) {
  const int surplus = size() - share;
  if (surplus <= 0) return absl::OkStatus();
  std::vector<Lease> given = HeldLeases();
  given.erase(given.begin(), given.end() - std::min(surplus, kMostGivenBack));
  const auto each = [&](auto change) {
    base::MutexLock lock(mutex_);
    for (const Lease& lease : given) change(held_.at(static_cast<size_t>(lease.partition)));
  };
  // Silent first; should it not be given back after all, the next renewal confirms it again.
  each([](std::optional<Held>& mine) { mine->confirm_time = absl::InfinitePast(); });
  NAVAL_RETURN_IF_ERROR(store_.ReleaseLeases(given));
  each([](std::optional<Held>& mine) { mine.reset(); });
  base::Log(base::LogLevel::kInfo, "partitions_given_back",
            {{"partitions", given.size()}, {"owner", owner_}, {"share", share}});
  for (const Lease& lease : given) changes_.lost(lease.partition);
  return absl::OkStatus();
}

void Ownership::GiveAllBack() {
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

std::optional<std::string> Ownership::OwnerAddress(int partition) const {
  base::MutexLock lock(mutex_);
  if (held_.at(static_cast<size_t>(partition)).has_value()) return std::nullopt;
  return owner_addresses_.at(static_cast<size_t>(partition));
}

int Ownership::size() const {
  base::MutexLock lock(mutex_);
  return static_cast<int>(
      std::count_if(held_.begin(), held_.end(), [](const auto& held) { return held.has_value(); }));
}

void Ownership::LookSoon() {
  base::MutexLock lock(mutex_);
  look_soon_ = true;
  changed_.NotifyAll();
}

void Ownership::Drain() {
  base::MutexLock lock(mutex_);
  draining_ = true;
  changed_.NotifyAll();
  const absl::Time deadline = clock_.Now() + kGiveBackDuration;
  while (running_ && !clock_.WaitUntil(changed_, mutex_, deadline)) {
  }
}

void Ownership::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

}  // namespace naval::match
