#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"

namespace naval::match {

// A MatchStore in memory that keeps the whole contract, and fails when told to. match_store_test
// runs the same tests on this one and on Postgres.
class FakeMatchStore : public MatchStore {
 public:
  // `clock` is that of the leases; it must outlive the store.
  explicit FakeMatchStore(const base::Clock& clock) : clock_(clock) {}

  absl::Status Create(const std::string& created, const Append& first) override;
  absl::StatusOr<std::vector<absl::Status>> AppendRows(absl::Span<const Append> appends) override;
  absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> Load(
      absl::Span<const std::string> match_ids) override;
  absl::StatusOr<std::vector<std::string>> ListDue(int partition, absl::Time until) override;
  absl::StatusOr<std::vector<Lease>> ListLeases() override;
  absl::StatusOr<int64_t> TakeOverLease(const Lease& seen, const std::string& owner) override;
  absl::StatusOr<std::vector<int>> RenewLeases(absl::Span<const Lease> held) override;
  absl::Status ReleaseLeases(absl::Span<const Lease> held) override;
  absl::Status KeepMember(const Member& member) override;
  absl::Status RemoveMember(const std::string& owner) override;
  absl::StatusOr<std::vector<Member>> ListMembers() override;
  absl::StatusOr<std::vector<ClaimedMessage>> ClaimMessages(Destination destination, absl::Time now,
                                                            absl::Duration retry_delay,
                                                            int limit) override;
  absl::Status MarkDelivered(Destination destination, const ClaimedMessage& message,
                             absl::Time now) override;
  absl::StatusOr<Backlog> ReadBacklog(Destination destination) override;

  // How the coming AppendRows calls end.
  enum class Fate {
    kStored,
    // The database is away; nothing is stored.
    kAway,
    // It is stored, but the answer is lost.
    kInDoubt,
  };
  void SetFate(Fate fate) NAVAL_EXCLUDES(mutex_);

  // Holds AppendRows calls back until ReleaseAppends.
  void HoldAppends() NAVAL_EXCLUDES(mutex_);
  void ReleaseAppends() NAVAL_EXCLUDES(mutex_);

  // The same for Load.
  void HoldLoads() NAVAL_EXCLUDES(mutex_);
  void ReleaseLoads() NAVAL_EXCLUDES(mutex_);

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

  // OK, NOT_OWNER, or STALE_MATCH.
  absl::Status CanInsert(const Append& append) const NAVAL_REQUIRES(mutex_);
  bool Fits(const Append& append) const NAVAL_REQUIRES(mutex_);
  bool IsRepeated(const Append& append) const NAVAL_REQUIRES(mutex_);
  void Insert(const Append& append) NAVAL_REQUIRES(mutex_);

  bool IsOwned(const Append& append) const NAVAL_REQUIRES(mutex_);
  const StoredLease& LeaseOf(const std::string& match_id) const NAVAL_REQUIRES(mutex_);
  // Null when the lease is under another epoch by now.
  StoredLease* Find(const Lease& held) NAVAL_REQUIRES(mutex_);

  const base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar released_;
  std::map<std::string, Match> matches_ NAVAL_GUARDED_BY(mutex_);
  std::array<StoredLease, kPartitions> leases_ NAVAL_GUARDED_BY(mutex_);
  std::map<std::string, Member> members_ NAVAL_GUARDED_BY(mutex_);
  std::map<MessageKey, Message> messages_ NAVAL_GUARDED_BY(mutex_);
  Fate fate_ NAVAL_GUARDED_BY(mutex_) = Fate::kStored;
  bool appends_held_ NAVAL_GUARDED_BY(mutex_) = false;
  bool loads_held_ NAVAL_GUARDED_BY(mutex_) = false;
};

}  // namespace naval::match
