#pragma once

#include <string>
#include <vector>

#include "lib/postgres/pool.h"
#include "services/match/match_store.h"

namespace naval::match {

// The MatchStore of production, on the schema "match" of Postgres.
class PgMatchStore final : public MatchStore {
 public:
  // `pool` must outlive the store.
  explicit PgMatchStore(postgres::Pool& pool) : pool_(pool) {}

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

  // The last body of the newest match, by ids that sort by time; empty when there is no match.
  absl::StatusOr<std::string> NewestBody();

 private:
  postgres::Pool& pool_;
};

}  // namespace naval::match
