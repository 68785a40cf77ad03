#include "tests/simulation/database.h"

#include <algorithm>
#include <memory>
#include <utility>

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

// As the CHECK constraints of the tables say.
bool BreaksAConstraint(const Append& append) {
  const match::LogRow& row = append.row;
  return (!row.request_digest.empty() && row.request_id.empty()) ||
         (!row.request_id.empty() && !row.seat.has_value()) ||
         (append.over && append.deadline.has_value());
}

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

  bool LockRow(const std::string& match_id) {
    if (std::find(locks_->rows.begin(), locks_->rows.end(), match_id) != locks_->rows.end()) {
      return true;
    }
    if (!WaitFor(kRowLockTimeout, [&] { return !database_.locked_rows_.contains(match_id); })) {
      return false;
    }
    database_.locked_rows_.insert(match_id);
    locks_->rows.push_back(match_id);
    return true;
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

bool Database::Fits(const Append& append) const {
  const auto it = matches_.find(append.match_id);
  return it != matches_.end() && !it->second.over &&
         append.row.seq == static_cast<std::int64_t>(it->second.stored.rows.size()) + 1;
}

bool Database::IsRepeated(const Append& append) const {
  const match::LogRow& row = append.row;
  if (!Fits(append) || row.request_id.empty()) return false;
  const std::vector<match::LogRow>& rows = matches_.at(append.match_id).stored.rows;
  return std::any_of(rows.begin(), rows.end(), [&](const match::LogRow& other) {
    return other.seat == row.seat && other.request_id == row.request_id;
  });
}

void Database::Insert(const Append& append) {
  Match& match = matches_.at(append.match_id);
  const Lease& lease = leases_.at(Index(match::PartitionOf(append.match_id)));
  observer_.Appended(append, lease.epoch, lease.ownerless_duration - match.ownerless_duration);
  match.stored.rows.push_back(append.row);
  match.over = append.over;
  match.deadline = append.deadline;
  match.ownerless_duration = lease.ownerless_duration;
  for (const match::OutboxMessage& message : append.messages) {
    messages_[{message.destination, append.match_id, append.row.seq}] = {
        .body = message.body, .next_attempt_time = append.row.event_time};
  }
}

absl::Duration Database::AgeOf(const Lease& lease) const {
  return lease.renew_time.has_value() ? Now() - *lease.renew_time : absl::ZeroDuration();
}

Database::Lease* Database::Find(const match::Lease& held) {
  Lease& lease = leases_.at(Index(held.partition));
  return lease.epoch == held.epoch ? &lease : nullptr;
}

std::vector<Database::MessageKey> Database::DueMessages(Destination destination, absl::Time now,
                                                        int limit) const {
  std::vector<std::pair<absl::Time, MessageKey>> due;
  for (const auto& [key, message] : messages_) {
    if (std::get<Destination>(key) != destination || message.delivered) continue;
    if (message.next_attempt_time <= now) due.emplace_back(message.next_attempt_time, key);
  }
  std::sort(due.begin(), due.end());
  due.resize(std::min(due.size(), static_cast<std::size_t>(limit)));
  std::vector<MessageKey> keys;
  keys.reserve(due.size());
  for (auto& [next_attempt_time, key] : due) keys.push_back(std::move(key));
  return keys;
}

int Database::undelivered() const {
  return static_cast<int>(std::count_if(messages_.begin(), messages_.end(),
                                        [](const auto& entry) { return !entry.second.delivered; }));
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
  if (const auto it = database_.matches_.find(first.match_id); it != database_.matches_.end()) {
    if (it->second.stored.created == created) return absl::OkStatus();
    return base::Error(absl::StatusCode::kAlreadyExists, "MATCH_EXISTS",
                       "another match has this id");
  }
  return tx.Commit([&database = database_, created, first] {
    database.matches_[first.match_id] = {
        .stored = {.match_id = first.match_id, .created = created, .rows = {}},
        .ownerless_duration =
            database.leases_.at(Database::Index(match::PartitionOf(first.match_id)))
                .ownerless_duration};
    database.observer_.Created(first.match_id, created);
    database.Insert(first);
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
    if (!owned[i]) {
      outcomes.push_back(match::NotOwner());
      continue;
    }
    if (!tx.LockRow(append.match_id)) return Conflict();
    if (!database_.Fits(append)) {
      outcomes.push_back(match::StaleMatch());
    } else if (BreaksAConstraint(append)) {
      return base::Error(absl::StatusCode::kInternal, "DATABASE_ERROR", "a row cannot be stored");
    } else if (database_.IsRepeated(append)) {
      // One that comes alone is known to be the one that is stale.
      if (appends.size() == 1) return {{match::StaleMatch()}};
      return base::Error(absl::StatusCode::kAlreadyExists, "UNIQUE_VIOLATION",
                         "a request stands there already");
    } else {
      outcomes.push_back(absl::OkStatus());
      written.push_back(append);
    }
  }
  NAVAL_RETURN_IF_ERROR(tx.Commit([&database = database_, written = std::move(written)] {
    for (const Append& append : written) database.Insert(append);
  }));
  return outcomes;
}

absl::StatusOr<std::vector<absl::StatusOr<match::StoredMatch>>> Connection::Load(
    absl::Span<const std::string> match_ids) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<absl::StatusOr<match::StoredMatch>> matches;
  for (const std::string& match_id : match_ids) {
    const auto it = database_.matches_.find(match_id);
    if (it == database_.matches_.end()) {
      matches.push_back(match::MatchNotFound(match_id));
      continue;
    }
    const absl::Duration ownerless =
        database_.leases_.at(Database::Index(match::PartitionOf(match_id))).ownerless_duration -
        it->second.ownerless_duration;
    matches.push_back(it->second.stored);
    // An interval has microseconds, and arrives as a number of seconds.
    matches.back()->ownerless_duration =
        absl::Seconds(absl::ToDoubleSeconds(absl::Trunc(ownerless, absl::Microseconds(1))));
  }
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return matches;
}

absl::StatusOr<std::vector<std::string>> Connection::ListDue(int partition, absl::Time until) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<std::string> ids;
  for (const auto& [id, match] : database_.matches_) {
    if (match::PartitionOf(id) != partition) continue;
    if (match.deadline.has_value() && *match.deadline <= until) ids.push_back(id);
  }
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return ids;
}

absl::StatusOr<std::vector<match::Lease>> Connection::ListLeases() {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<match::Lease> leases;
  leases.reserve(match::kPartitions);
  for (const Database::Lease& lease : database_.leases_) {
    const auto owner = database_.members_.find(lease.owner);
    leases.push_back({.partition = static_cast<int>(leases.size()),
                      .epoch = lease.epoch,
                      .owner = lease.owner,
                      .renew_time = lease.renew_time,
                      .duration = owner == database_.members_.end()
                                      ? match::kUnsaidLeaseDuration
                                      : owner->second.lease_duration});
  }
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return leases;
}

absl::StatusOr<std::int64_t> Connection::TakeOverLease(const match::Lease& seen,
                                                       const std::string& owner) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  if (!tx.LockExclusive(seen.partition)) return match::LeaseBusy();
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  // The row itself is locked from here on, by which renewals wait; a model that looks at the commit
  // and not before comes to the same.
  const auto taken = std::make_shared<bool>(false);
  NAVAL_RETURN_IF_ERROR(tx.Commit([&database = database_, seen, owner, taken] {
    Database::Lease* const lease = database.Find(seen);
    if (lease == nullptr || lease->renew_time != seen.renew_time) return;
    *lease = {.epoch = lease->epoch + 1,
              .owner = owner,
              .renew_time = database.Now(),
              .ownerless_duration = lease->ownerless_duration + database.AgeOf(*lease)};
    *taken = true;
  }));
  if (!*taken) return match::LeaseChanged();
  return seen.epoch + 1;
}

absl::StatusOr<std::vector<int>> Connection::RenewLeases(absl::Span<const match::Lease> held) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  // Shared, because a commit that is in doubt may come later.
  const auto renewed = std::make_shared<std::vector<int>>();
  const std::vector<match::Lease> wanted(held.begin(), held.end());
  NAVAL_RETURN_IF_ERROR(tx.Commit([&database = database_, wanted, renewed] {
    for (const match::Lease& mine : wanted) {
      Database::Lease* const lease = database.Find(mine);
      if (lease == nullptr || lease->owner.empty()) continue;
      lease->renew_time = database.Now();
      renewed->push_back(mine.partition);
    }
  }));
  return *renewed;
}

absl::Status Connection::ReleaseLeases(absl::Span<const match::Lease> held) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  const std::vector<match::Lease> wanted(held.begin(), held.end());
  return tx.Commit([&database = database_, wanted] {
    for (const match::Lease& mine : wanted) {
      Database::Lease* const lease = database.Find(mine);
      if (lease == nullptr) continue;
      lease->owner.clear();
      lease->renew_time = database.Now();
    }
  });
}

absl::Status Connection::KeepMember(const match::Member& member) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit([&database = database_, member] {
    const absl::Time now = database.Now();
    std::erase_if(database.members_, [&](const auto& known) {
      return known.second.renew_time < now - match::kForgetMemberDuration;
    });
    match::Member& kept = database.members_[member.owner] = member;
    kept.renew_time = now;
  });
}

absl::Status Connection::RemoveMember(const std::string& owner) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit([&database = database_, owner] { database.members_.erase(owner); });
}

absl::StatusOr<std::vector<match::Member>> Connection::ListMembers() {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  std::vector<match::Member> members;
  for (const auto& [owner, member] : database_.members_) members.push_back(member);
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
        for (const Database::MessageKey& key : database.DueMessages(destination, now, limit)) {
          Database::Message& message = database.messages_.at(key);
          message.next_attempt_time = now + retry_delay * (1 << std::min(message.attempts, 4));
          ++message.attempts;
          claimed->push_back({.match_id = std::get<std::string>(key),
                              .seq = std::get<std::int64_t>(key),
                              .body = message.body,
                              .attempts = message.attempts});
        }
      }));
  return *claimed;
}

absl::Status Connection::MarkDelivered(Destination destination,
                                       const match::ClaimedMessage& message, absl::Time) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return tx.Commit([&database = database_,
                    key = Database::MessageKey(destination, message.match_id, message.seq)] {
    database.messages_.at(key).delivered = true;
  });
}

absl::StatusOr<match::Backlog> Connection::ReadBacklog(Destination destination) {
  Transaction tx(*this);
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  match::Backlog backlog;
  for (const auto& [key, message] : database_.messages_) {
    const auto& [to, match_id, seq] = key;
    if (to != destination || message.delivered) continue;
    const std::vector<match::LogRow>& rows = database_.matches_.at(match_id).stored.rows;
    const absl::Time time = rows.at(static_cast<std::size_t>(seq) - 1).event_time;
    ++backlog.messages;
    backlog.oldest = std::min(backlog.oldest.value_or(time), time);
  }
  NAVAL_RETURN_IF_ERROR(tx.Statement());
  return backlog;
}

}  // namespace naval::simulation
