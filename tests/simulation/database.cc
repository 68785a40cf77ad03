#include "tests/simulation/database.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "services/match/refusals.h"

namespace naval::simulation {
namespace {

using match::Append;
using match::Destination;

// As kTakeOverLockTimeout of pg_match_store.cc.
constexpr absl::Duration kTakeOverLockTimeout = absl::Milliseconds(500);
// What a transaction waits for a row, and how often it is looked whether that is free.
constexpr absl::Duration kRowLockTimeout = absl::Seconds(3);
constexpr absl::Duration kLockPoll = absl::Milliseconds(2);
// A process that gets no answer gives up; the database finds out about a broken connection later.
constexpr absl::Duration kCallTimeout = absl::Seconds(5);
constexpr absl::Duration kBrokenDuration = absl::Seconds(8);

absl::Status Unavailable() {
  return base::Error(absl::StatusCode::kUnavailable, "DATABASE_UNAVAILABLE", "the store is away");
}

absl::Status InDoubt() {
  return base::Error(absl::StatusCode::kUnavailable, "COMMIT_IN_DOUBT", "the answer was lost");
}

absl::Status Conflict() { return absl::AbortedError("a lock was waited for in vain"); }

std::string RowOfLease(int partition) { return absl::StrCat("lease ", partition); }

}  // namespace

// One transaction of one process. Its locks are held until the database knows that it ended, which
// may be long after the process gave it up.
class Connection::Transaction {
 public:
  explicit Transaction(Connection& connection)
      : connection_(connection), database_(connection.database_) {}
  ~Transaction() { Release(*locks_); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Time passes until the next statement runs in the database. After an error the transaction is
  // over.
  absl::Status Statement() {
    NAVAL_RETURN_IF_ERROR(Travel());
    if (database_.OneIn(database_.faults_.statement_lost_one_in)) {
      Abandon();
      return Unavailable();
    }
    return absl::OkStatus();
  }

  bool TryLockShared(int partition) {
    Database::PartitionLock& lock = LockOf(partition);
    // A shared lock that is only tried does not pass those who wait for an exclusive one.
    if (lock.exclusive || lock.waiting > 0) return false;
    ++lock.shared;
    locks_->shared.push_back(partition);
    return true;
  }

  // False when the wait was in vain.
  bool LockExclusive(int partition) {
    Database::PartitionLock& lock = LockOf(partition);
    ++lock.waiting;
    const bool free =
        WaitFor(kTakeOverLockTimeout, [&] { return lock.shared == 0 && !lock.exclusive; });
    --lock.waiting;
    if (!free) return false;
    lock.exclusive = true;
    locks_->exclusive.push_back(partition);
    return true;
  }

  // The row of a match, or the one that RowOfLease names. False when the wait was in vain.
  bool LockRow(const std::string& row, absl::Duration timeout = kRowLockTimeout) {
    if (std::find(locks_->rows.begin(), locks_->rows.end(), row) != locks_->rows.end()) {
      return true;
    }
    if (!WaitFor(timeout, [&] { return !database_.locked_rows_.contains(row); })) return false;
    database_.locked_rows_.insert(row);
    locks_->rows.push_back(row);
    return true;
  }

  // A renewal waits for a release that is in doubt, and the other way round.
  bool LockLeases(absl::Span<const match::Lease> leases) {
    return std::all_of(leases.begin(), leases.end(), [this](const match::Lease& lease) {
      return LockRow(RowOfLease(lease.partition));
    });
  }

  // Makes `effects` durable, or not, and says what the process learns of it.
  absl::Status Commit(absl::AnyInvocable<void()> effects) {
    NAVAL_RETURN_IF_ERROR(Travel());
    if (!database_.OneIn(database_.faults_.commit_in_doubt_one_in)) {
      effects();
      // What the next one sees is what this one did: the answer travels while others go on.
      Release(*locks_);
      return Travel().ok() ? absl::OkStatus() : InDoubt();
    }
    switch (database_.random_.Uniform(3)) {
      case 0:
        effects();
        break;
      case 1:
        Abandon();
        break;
      default:
        Later(std::move(effects));
        break;
    }
    database_.fibers_.Sleep(database_.UpTo(kCallTimeout));
    return InDoubt();
  }

 private:
  struct Locks {
    std::vector<int> shared;
    std::vector<int> exclusive;
    std::vector<std::string> rows;
  };

  Database::PartitionLock& LockOf(int partition) {
    return database_.partition_locks_.at(Database::Index(partition));
  }

  // From the process to the database, or back.
  absl::Status Travel() {
    database_.fibers_.RequireNoLock("a call to the database");
    if (connection_.cut_ || database_.away_) {
      Abandon();
      // Refused at once, or not answered at all.
      database_.fibers_.Sleep(database_.OneIn(2) ? absl::Milliseconds(1) : kCallTimeout);
      return Unavailable();
    }
    const bool slow = database_.OneIn(database_.faults_.slow_one_in);
    database_.fibers_.Sleep(
        database_.UpTo(slow ? database_.faults_.slow_duration : absl::Milliseconds(1)));
    if (!connection_.cut_ && !database_.away_) return absl::OkStatus();
    Abandon();
    return Unavailable();
  }

  bool WaitFor(absl::Duration timeout, const std::function<bool()>& condition) {
    const absl::Time end = database_.fibers_.now() + timeout;
    while (!condition()) {
      if (database_.fibers_.now() >= end) return false;
      database_.fibers_.Sleep(kLockPoll);
    }
    return true;
  }

  // The database rolls it back when it finds out.
  void Abandon() {
    Later([] {});
  }

  void Later(absl::AnyInvocable<void()> effects) {
    database_.events_.In(
        database_.UpTo(kBrokenDuration),
        [&database = database_, locks = std::exchange(locks_, std::make_shared<Locks>()),
         effects = std::move(effects)]() mutable {
          effects();
          Release(database, *locks);
        });
  }

  void Release(Locks& locks) { Release(database_, locks); }
  static void Release(Database& database, Locks& locks) {
    for (const int partition : locks.shared) {
      --database.partition_locks_.at(Database::Index(partition)).shared;
    }
    for (const int partition : locks.exclusive) {
      database.partition_locks_.at(Database::Index(partition)).exclusive = false;
    }
    for (const std::string& row : locks.rows) database.locked_rows_.erase(row);
    locks = {};
  }

  Connection& connection_;
  Database& database_;
  std::shared_ptr<Locks> locks_ = std::make_shared<Locks>();
};

absl::Duration Database::UpTo(absl::Duration limit) {
  return absl::Microseconds(
      random_.Uniform(static_cast<std::uint64_t>(absl::ToInt64Microseconds(limit)) + 1));
}

void Database::Insert(const Append& append) {
  Tell(append, tables_.OwnerlessSince(append.match_id));
  tables_.Insert(append);
}

void Database::Tell(const Append& append, absl::Duration ownerless_duration) {
  const int partition = match::PartitionOf(append.match_id);
  observer_.Appended(append, {.epoch = EpochOf(partition),
                              .since = owned_since_.at(Index(partition)),
                              .ownerless_duration = ownerless_duration});
}

absl::Status Connection::Create(const std::string& created, const Append& first) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  const int partition = match::PartitionOf(first.match_id);
  if (!tx.TryLockShared(partition)) return match::NotOwner();
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (database_.EpochOf(partition) != first.epoch) return match::NotOwner();
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (!tx.LockRow(first.match_id)) return Conflict();
  NAVAL_ASSIGN_OR_RETURN(const bool there, database_.tables_.HasMatch(first.match_id, created));
  if (there) return absl::OkStatus();
  return tx.Commit([&database = database_, created, first] {
    database.observer_.Created(first.match_id, created);
    database.Tell(first, absl::ZeroDuration());
    database.tables_.InsertMatch(created, first);
  });
}

absl::StatusOr<std::vector<absl::Status>> Connection::AppendRows(absl::Span<const Append> appends) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::map<int, bool> locked;
  for (const Append& append : appends) {
    const int partition = match::PartitionOf(append.match_id);
    if (!locked.contains(partition)) locked[partition] = tx.TryLockShared(partition);
  }
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  // The snapshot of the statement that inserts is younger than the locks.
  std::vector<bool> owned;
  for (const Append& append : appends) {
    const int partition = match::PartitionOf(append.match_id);
    owned.push_back(locked.at(partition) && database_.EpochOf(partition) == append.epoch);
  }
  std::vector<absl::Status> outcomes;
  std::vector<Append> written;
  for (std::size_t i = 0; i < appends.size(); ++i) {
    const Append& append = appends[i];
    outcomes.push_back(match::NotOwner());
    if (!owned[i]) continue;
    if (!tx.LockRow(append.match_id)) return Conflict();
    outcomes.back() = database_.tables_.Check(append, appends.size() == 1);
    if (outcomes.back().ok()) {
      written.push_back(append);
    } else if (!absl::IsAborted(outcomes.back())) {
      return outcomes.back();
    }
  }
  NAVAL_RETURN_IF_ERROR(tx.Commit([&database = database_, written = std::move(written)] {
    for (const Append& append : written) database.Insert(append);
  }));
  return outcomes;
}

absl::StatusOr<std::vector<absl::StatusOr<match::StoredMatch>>> Connection::Load(
    absl::Span<const std::string> match_ids, match::LogPart part) {
  if (release_ == Release::kBefore) part = match::LogPart::kAll;
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<absl::StatusOr<match::StoredMatch>> matches;
  for (const std::string& match_id : match_ids) {
    absl::StatusOr<match::StoredMatch>& match =
        matches.emplace_back(database_.tables_.Load(match_id, part));
    if (!match.ok()) continue;
    // An interval has microseconds, and arrives as a number of seconds.
    match->ownerless_duration = absl::Seconds(
        absl::ToDoubleSeconds(absl::Trunc(match->ownerless_duration, absl::Microseconds(1))));
  }
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return matches;
}

absl::Status Connection::KeepSnapshots(absl::Span<const match::Snapshot> snapshots) {
  if (release_ == Release::kBefore) return absl::OkStatus();
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit([&database = database_,
                    kept = std::vector<match::Snapshot>(snapshots.begin(), snapshots.end())] {
    for (const match::Snapshot& snapshot : kept) database.tables_.KeepSnapshot(snapshot);
  });
}

absl::Status Connection::DropSnapshots(absl::Span<const std::string> match_ids) {
  if (release_ == Release::kBefore) return absl::OkStatus();
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit([&database = database_,
                    dropped = std::vector<std::string>(match_ids.begin(), match_ids.end())] {
    for (const std::string& match_id : dropped) database.tables_.DropSnapshot(match_id);
  });
}

absl::StatusOr<std::vector<std::string>> Connection::ListDue(int partition, absl::Time until) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<std::string> ids = database_.tables_.ListDue(partition, until);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return ids;
}

absl::StatusOr<std::vector<match::Lease>> Connection::ListLeases() {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<match::Lease> leases = database_.tables_.ListLeases();
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return leases;
}

absl::StatusOr<std::int64_t> Connection::TakeOverLease(const match::Lease& seen,
                                                       const std::string& owner) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (!tx.LockExclusive(seen.partition)) return match::LeaseBusy();
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (!tx.LockRow(RowOfLease(seen.partition), kTakeOverLockTimeout)) return match::LeaseBusy();
  const auto epoch = std::make_shared<absl::StatusOr<std::int64_t>>(match::LeaseChanged());
  NAVAL_RETURN_IF_ERROR(tx.Commit([&database = database_, seen, owner, epoch] {
    *epoch = database.tables_.TakeOverLease(seen, owner, database.Now());
    if (epoch->ok()) database.owned_since_.at(Database::Index(seen.partition)) = database.Now();
  }));
  return *epoch;
}

absl::StatusOr<std::vector<int>> Connection::RenewLeases(absl::Span<const match::Lease> held) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (!tx.LockLeases(held)) return Conflict();
  // Shared, because a commit that is in doubt may come later.
  const auto renewed = std::make_shared<std::vector<int>>();
  const std::vector<match::Lease> wanted(held.begin(), held.end());
  NAVAL_RETURN_IF_ERROR(tx.Commit([&database = database_, wanted, renewed] {
    *renewed = database.tables_.RenewLeases(wanted, database.Now());
  }));
  return *renewed;
}

absl::Status Connection::ReleaseLeases(absl::Span<const match::Lease> held) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (!tx.LockLeases(held)) return Conflict();
  const std::vector<match::Lease> wanted(held.begin(), held.end());
  return tx.Commit(
      [&database = database_, wanted] { database.tables_.ReleaseLeases(wanted, database.Now()); });
}

absl::Status Connection::KeepMember(const match::Member& member) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit(
      [&database = database_, member] { database.tables_.KeepMember(member, database.Now()); });
}

absl::Status Connection::RemoveMember(const std::string& owner) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit([&database = database_, owner] { database.tables_.RemoveMember(owner); });
}

absl::StatusOr<std::vector<match::Member>> Connection::ListMembers() {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<match::Member> members = database_.tables_.ListMembers();
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return members;
}

absl::StatusOr<std::vector<match::ClaimedMessage>> Connection::ClaimMessages(
    Destination destination, absl::Time now, absl::Duration retry_delay, int limit) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  // Locked until the commit, and passed over by others (SKIP LOCKED): choosing them at the commit
  // comes to the same.
  const auto claimed = std::make_shared<std::vector<match::ClaimedMessage>>();
  NAVAL_RETURN_IF_ERROR(
      tx.Commit([&database = database_, destination, now, retry_delay, limit, claimed] {
        *claimed = database.tables_.ClaimMessages(destination, now, retry_delay, limit);
      }));
  return *claimed;
}

absl::Status Connection::MarkDelivered(Destination destination,
                                       absl::Span<const match::ClaimedMessage> messages,
                                       absl::Time) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  const std::vector<match::ClaimedMessage> delivered(messages.begin(), messages.end());
  return tx.Commit([&database = database_, destination, delivered] {
    database.tables_.MarkDelivered(destination, delivered);
  });
}

absl::StatusOr<match::Backlog> Connection::ReadBacklog(Destination destination) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  const match::Backlog backlog = database_.tables_.ReadBacklog(destination);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return backlog;
}

}  // namespace naval::simulation
