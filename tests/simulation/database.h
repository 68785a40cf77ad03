#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "services/match/match_store.h"
#include "services/match/partition.h"
#include "services/match/recorded_match.h"
#include "services/match/test_tables.h"
#include "tests/simulation/events.h"
#include "tests/simulation/fibers.h"

namespace naval::simulation {

// How often what may go wrong between a process and its database does: one in so many; 0 never.
struct DatabaseFaults {
  // The connection breaks at a statement; the transaction is rolled back a while later.
  int statement_lost_one_in = 0;
  // It breaks at the commit, which then happened, did not, or happens later.
  int commit_in_doubt_one_in = 0;
  // A statement takes up to slow_duration.
  int slow_one_in = 0;
  absl::Duration slow_duration = absl::Seconds(3);
};

// Is told what became durable, in the order in which it did.
class CommitObserver {
 public:
  virtual ~CommitObserver() = default;
  virtual void Created(const std::string& match_id, const std::string& created) = 0;
  // How the partition is owned at this moment.
  struct Owned {
    std::int64_t epoch;
    absl::Time since;
    // For so long nobody owned it since the row before was written.
    absl::Duration ownerless_duration;
  };
  virtual void Appended(const match::Append& append, const Owned& owned) = 0;
};

// A model of the Postgres database of the match service, as its migrations make it and
// pg_match_store.cc uses it: transactions in statements, between which others run; advisory locks
// of transactions; an epoch that is read when the statement begins that follows the locks; row
// locks held to the end of the transaction. Only what was committed is seen by others and survives.
// Keeps what the rules of a table demand (keys, checks), not how Postgres does.
class Database {
 public:
  Database(Fibers& fibers, Events& events, base::Random& random, CommitObserver& observer)
      : fibers_(fibers), events_(events), random_(random), observer_(observer) {}

  void SetFaults(const DatabaseFaults& faults) { faults_ = faults; }
  // While it is away nothing is begun, and what is open breaks at its next statement.
  void SetAway(bool away) { away_ = away; }
  bool away() const { return away_; }

  // Who owns the partition; empty when nobody does.
  const std::string& OwnerOf(int partition) const { return tables_.OwnerOf(partition); }
  std::int64_t EpochOf(int partition) const { return tables_.EpochOf(partition); }
  // How many messages are not delivered.
  int undelivered() const { return tables_.undelivered(); }

 private:
  friend class Connection;
  // Of the conformance test.
  friend class HeldPartition;

  // Held by transactions.
  struct PartitionLock {
    int shared = 0;
    bool exclusive = false;
    int waiting = 0;
  };

  static std::size_t Index(int partition) { return static_cast<std::size_t>(partition); }
  void Insert(const match::Append& append);
  void Tell(const match::Append& append, absl::Duration ownerless_duration);
  // As the database's clock shows it.
  absl::Time Now() const { return match::ToMicroseconds(fibers_.now()); }
  bool OneIn(int n) { return n > 0 && random_.Uniform(static_cast<std::uint64_t>(n)) == 0; }
  // Up to that long, evenly.
  absl::Duration UpTo(absl::Duration limit);

  Fibers& fibers_;
  Events& events_;
  base::Random& random_;
  CommitObserver& observer_;
  DatabaseFaults faults_;
  bool away_ = false;
  match::TestTables tables_;
  std::array<PartitionLock, match::kPartitions> partition_locks_;
  std::array<absl::Time, match::kPartitions> owned_since_;
  std::set<std::string> locked_rows_;
};

// What a process knows of the database.
enum class Release {
  kThis,
  // It knows nothing of snapshots: reads whole logs, and keeps and drops none.
  kBefore,
};

// How one process sees the database. Calls block their fiber.
class Connection final : public match::MatchStore {
 public:
  // `database` must outlive the connection.
  explicit Connection(Database& database, Release release = Release::kThis)
      : database_(database), release_(release) {}

  // The process is gone: every call fails, and what it has open ends as the database likes.
  void Cut() { cut_ = true; }

  absl::Status Create(const std::string& created, const match::Append& first) override;
  absl::StatusOr<std::vector<absl::Status>> AppendRows(
      absl::Span<const match::Append> appends) override;
  absl::StatusOr<std::vector<absl::StatusOr<match::StoredMatch>>> Load(
      absl::Span<const std::string> match_ids, match::LogPart part) override;
  absl::Status KeepSnapshots(absl::Span<const match::Snapshot> snapshots) override;
  absl::Status DropSnapshots(absl::Span<const std::string> match_ids) override;
  absl::StatusOr<std::vector<std::string>> ListDue(int partition, absl::Time until) override;
  absl::StatusOr<std::vector<match::Lease>> ListLeases() override;
  absl::StatusOr<std::int64_t> TakeOverLease(const match::Lease& seen,
                                             const std::string& owner) override;
  absl::StatusOr<std::vector<int>> RenewLeases(absl::Span<const match::Lease> held) override;
  absl::Status ReleaseLeases(absl::Span<const match::Lease> held) override;
  absl::Status KeepMember(const match::Member& member) override;
  absl::Status RemoveMember(const std::string& owner) override;
  absl::StatusOr<std::vector<match::Member>> ListMembers() override;
  absl::StatusOr<std::vector<match::ClaimedMessage>> ClaimMessages(match::Destination destination,
                                                                   absl::Time now,
                                                                   absl::Duration retry_delay,
                                                                   int limit) override;
  absl::Status MarkDelivered(match::Destination destination,
                             absl::Span<const match::ClaimedMessage> messages,
                             absl::Time now) override;
  absl::StatusOr<match::Backlog> ReadBacklog(match::Destination destination) override;

 private:
  class Transaction;

  Database& database_;
  const Release release_;
  bool cut_ = false;
};

}  // namespace naval::simulation
