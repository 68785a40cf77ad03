#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "services/match/match_store.h"
#include "services/match/test_tables.h"

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
      absl::Span<const std::string> match_ids, LogPart part) override;
  absl::Status KeepSnapshots(absl::Span<const Snapshot> snapshots) override;
  absl::Status DropSnapshots(absl::Span<const std::string> match_ids) override;
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
  absl::Status MarkDelivered(Destination destination, absl::Span<const ClaimedMessage> messages,
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
  bool IsOwned(const Append& append) const NAVAL_REQUIRES(mutex_);

  const base::Clock& clock_;
  base::Mutex mutex_;
  base::CondVar released_;
  TestTables tables_ NAVAL_GUARDED_BY(mutex_);
  Fate fate_ NAVAL_GUARDED_BY(mutex_) = Fate::kStored;
  bool appends_held_ NAVAL_GUARDED_BY(mutex_) = false;
  bool loads_held_ NAVAL_GUARDED_BY(mutex_) = false;
};

}  // namespace naval::match
