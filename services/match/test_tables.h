#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"

namespace naval::match {

// The tables of the service in memory, and what the statements of PgMatchStore do with them: for
// stores that stand in its place. Locks, faults and the time are the business of those. Not thread
// safe.
class TestTables {
 public:
  // Whether there is a match with this id and content; the errors of MatchStore::Create.
  absl::StatusOr<bool> HasMatch(const std::string& match_id, const std::string& created) const;
  void InsertMatch(const std::string& created, const Append& first);

  // What comes of a row in a batch, but for who owns it: OK, STALE_MATCH (ABORTED), or what the
  // whole batch fails with. `alone`: it is all of the batch.
  absl::Status Check(const Append& append, bool alone) const;
  // Requires that it was checked.
  void Insert(const Append& append);

  // As the functions of MatchStore; `now` by the clock of the store.
  absl::StatusOr<StoredMatch> Load(const std::string& match_id, LogPart part) const;
  void KeepSnapshot(const Snapshot& snapshot);
  void DropSnapshot(const std::string& match_id);
  std::vector<std::string> ListDue(int partition, absl::Time until) const;
  std::vector<Lease> ListLeases() const;
  absl::StatusOr<int64_t> TakeOverLease(const Lease& seen, const std::string& owner,
                                        absl::Time now);
  std::vector<int> RenewLeases(absl::Span<const Lease> held, absl::Time now);
  void ReleaseLeases(absl::Span<const Lease> held, absl::Time now);
  void KeepMember(const Member& member, absl::Time now);
  void RemoveMember(const std::string& owner);
  std::vector<Member> ListMembers() const;
  std::vector<ClaimedMessage> ClaimMessages(Destination destination, absl::Time now,
                                            absl::Duration retry_delay, int limit);
  void MarkDelivered(Destination destination, absl::Span<const ClaimedMessage> messages);
  Backlog ReadBacklog(Destination destination) const;

  // For how long a match that is there had no owner since its last row.
  absl::Duration OwnerlessSince(const std::string& match_id) const;
  int64_t EpochOf(int partition) const { return LeaseOf(partition).epoch; }
  // Empty when nobody owns it.
  const std::string& OwnerOf(int partition) const { return LeaseOf(partition).owner; }
  // How many messages are not delivered.
  int undelivered() const;

 private:
  struct Match {
    StoredMatch stored;
    bool over = false;
    std::optional<absl::Time> deadline;
    // That of the partition when the last row was written.
    absl::Duration ownerless_duration;
  };
  struct Message {
    std::string body;
    int attempts = 0;
    absl::Time next_attempt_time;
    bool delivered = false;
  };
  using MessageKey = std::tuple<Destination, std::string, int64_t>;
  struct StoredLease {
    int64_t epoch = 0;
    std::string owner;
    std::optional<absl::Time> renew_time;
    absl::Duration ownerless_duration;
  };

  const StoredLease& LeaseOf(int partition) const {
    return leases_.at(static_cast<size_t>(partition));
  }
  // Null when the lease is under another epoch by now.
  StoredLease* Find(const Lease& held);
  void InsertMessages(const Append& append);
  // Up to so many of those that are due and not delivered, the longest due first.
  std::vector<MessageKey> DueMessages(Destination destination, absl::Time now, int limit) const;

  std::map<std::string, Match> matches_;
  std::map<std::string, Snapshot> snapshots_;
  std::array<StoredLease, kPartitions> leases_;
  std::map<std::string, Member> members_;
  std::map<MessageKey, Message> messages_;
};

}  // namespace naval::match
