#include "services/match/pg_match_store.h"

#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "services/match/partition.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

using postgres::Array;
using postgres::Bytes;
using postgres::Param;
using postgres::Row;
using postgres::Rows;
using postgres::Transaction;

// How long a takeover waits for what the owner before is writing, which may be frozen in the middle
// of a creation; Postgres ends it after some seconds.
constexpr absl::Duration kTakeOverLockTimeout = absl::Milliseconds(500);

absl::string_view DestinationName(Destination destination) {
  return destination == Destination::kLobby ? "lobby" : "ranking";
}

Param OrNull(const std::string& text) { return text.empty() ? Param(std::nullopt) : Param(text); }

Param BytesOrNull(const std::string& bytes) {
  return bytes.empty() ? Param(std::nullopt) : Param(Bytes{bytes});
}

Param SeatParam(const std::optional<rules::Seat>& seat) {
  return seat.has_value() ? Param(rules::SeatIndex(*seat)) : Param(std::nullopt);
}

// The first row of a match; those that follow are kAppendRows.
absl::Status InsertRow(Transaction& tx, const Append& append) {
  const LogRow& row = append.row;
  NAVAL_RETURN_IF_ERROR(
      tx.Execute("INSERT INTO match.match_log"
                 " (match_id, seq, seat, request_id, request_digest, event_time, body)"
                 " VALUES ($1, $2, $3, $4, $5, $6, $7)",
                 {append.match_id, row.seq, SeatParam(row.seat), OrNull(row.request_id),
                  BytesOrNull(row.request_digest), row.event_time, Bytes{row.body}})
          .status());
  for (const OutboxMessage& message : append.messages) {
    NAVAL_RETURN_IF_ERROR(tx.Execute("INSERT INTO match.match_outbox"
                                     " (match_id, destination, seq, body, next_attempt_time)"
                                     " VALUES ($1, $2, $3, $4, $5)",
                                     {append.match_id, DestinationName(message.destination),
                                      row.seq, Bytes{message.body}, row.event_time})
                              .status());
  }
  return absl::OkStatus();
}

// The class of the advisory locks on partitions ("matc"). An append holds its partitions shared to
// its end and a takeover one exclusively, so that neither comes between the other's look at the
// epoch and its commit. They are of the transaction: one of the session would outlive a connection
// that somebody else then uses.
constexpr int kPartitionLocks = 0x6d617463;

// One round trip for a whole batch; its migration says how it works.
constexpr char kAppendRows[] =
    "SELECT n, owned FROM match.append_rows($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,"
    " $14, $15)";

// One statement, so that all of a match is of one moment: for each first what is there once, its
// snapshot in the place of a row, then its rows after that.
constexpr char kLoadMatches[] =
    "WITH asked AS ("
    "  SELECT n, m.match_id, created, ownerless_duration, snapshot.seq AS snapshot_seq,"
    "    snapshot.body AS snapshot"
    "  FROM unnest($1::uuid[]) WITH ORDINALITY AS ids (match_id, n)"
    "  JOIN match.match m USING (match_id)"
    "  LEFT JOIN match.match_snapshot snapshot"
    "    ON $2 AND snapshot.match_id = m.match_id AND snapshot.seq <= m.head_seq"
    ") SELECT n, match_id, created,"
    "  extract(epoch FROM lease.ownerless_duration - asked.ownerless_duration)::double precision"
    "    AS ownerless,"
    "  coalesce(snapshot_seq, 0) AS seq, NULL::smallint AS seat, NULL::uuid AS request_id,"
    "  NULL::bytea AS request_digest, NULL::timestamptz AS event_time, snapshot AS body"
    " FROM asked JOIN match.partition_lease lease"
    // As PartitionOf says.
    "   ON lease.partition = get_byte(uuid_send(match_id), 15) & 63"
    " UNION ALL SELECT n, NULL, NULL, NULL, log.seq, seat, request_id, request_digest, event_time,"
    "  log.body"
    " FROM asked JOIN match.match_log log"
    "   ON log.match_id = asked.match_id AND log.seq > coalesce(snapshot_seq, 0)"
    " ORDER BY n, seq";

// Nobody waits for a copy: its commit does not wait for the disk. The function is of the
// migrations.
constexpr char kKeepSnapshots[] = "SELECT match.keep_snapshots($1, $2, $3)";
constexpr char kDropSnapshots[] = "SELECT match.drop_snapshots($1)";

// Gives the rows that were not written.
absl::StatusOr<Rows> ExecuteAppends(Transaction& tx, absl::Span<const Append> appends) {
  Array match_ids, partitions, epochs, seqs, overs, deadlines, seats, request_ids, request_digests;
  Array event_times, bodies, message_match_ids, destinations, messages;
  for (const Append& append : appends) {
    const LogRow& row = append.row;
    match_ids.Add(append.match_id);
    partitions.Add(PartitionOf(append.match_id));
    epochs.Add(append.epoch);
    seqs.Add(row.seq);
    overs.Add(append.over);
    deadlines.Add(append.deadline);
    seats.Add(SeatParam(row.seat));
    request_ids.Add(OrNull(row.request_id));
    request_digests.Add(BytesOrNull(row.request_digest));
    event_times.Add(row.event_time);
    bodies.Add(Bytes{row.body});
    for (const OutboxMessage& message : append.messages) {
      message_match_ids.Add(append.match_id);
      destinations.Add(DestinationName(message.destination));
      messages.Add(Bytes{message.body});
    }
  }
  return tx.Execute(kAppendRows, {kPartitionLocks, match_ids, partitions, epochs, seqs, overs,
                                  deadlines, seats, request_ids, request_digests, event_times,
                                  bodies, message_match_ids, destinations, messages});
}

// Whether the partition of a new match is owned under its epoch, and stays so until the end of the
// transaction.
absl::Status RequireOwner(Transaction& tx, const Append& first) {
  const int partition = PartitionOf(first.match_id);
  NAVAL_ASSIGN_OR_RETURN(const Rows lock,
                         tx.Execute("SELECT pg_try_advisory_xact_lock_shared($1, $2) AS locked",
                                    {kPartitionLocks, partition}));
  if (!lock[0].Get<bool>("locked")) return NotOwner();
  // Not in the statement that locks: an epoch that was read before the lock was held may be over.
  NAVAL_ASSIGN_OR_RETURN(
      const Rows owned,
      tx.Execute("SELECT FROM match.partition_lease WHERE partition = $1 AND epoch = $2",
                 {partition, first.epoch}));
  return owned.empty() ? NotOwner() : absl::OkStatus();
}

// The parameters $1, partitions, and $2, epochs.
std::pair<Array, Array> PartitionsAndEpochs(absl::Span<const Lease> leases) {
  std::pair<Array, Array> arrays;
  for (const Lease& lease : leases) {
    arrays.first.Add(lease.partition);
    arrays.second.Add(lease.epoch);
  }
  return arrays;
}

LogRow ToLogRow(const Row& row) {
  LogRow log_row;
  log_row.seq = row.Get<int64_t>("seq");
  if (const auto seat = row.Get<std::optional<int32_t>>("seat"); seat.has_value()) {
    log_row.seat = rules::kSeats[*seat];
  }
  log_row.request_id = row.Get<std::optional<std::string>>("request_id").value_or("");
  log_row.request_digest = row.Get<std::optional<Bytes>>("request_digest").value_or(Bytes{}).value;
  log_row.event_time = row.Get<absl::Time>("event_time");
  log_row.body = row.Get<Bytes>("body").value;
  return log_row;
}

// Of the first row of a match, but for its log.
StoredMatch ToStoredMatch(const Row& row) {
  StoredMatch match = {.match_id = row.Get<std::string>("match_id"),
                       .created = row.Get<Bytes>("created").value,
                       .rows = {},
                       .ownerless_duration = absl::Seconds(row.Get<double>("ownerless"))};
  if (auto body = row.Get<std::optional<Bytes>>("body"); body.has_value()) {
    match.snapshot = {match.match_id, row.Get<int64_t>("seq"), std::move(body->value)};
  }
  return match;
}

}  // namespace

absl::Status PgMatchStore::Create(const std::string& created, const Append& first) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(RequireOwner(tx, first));
    NAVAL_ASSIGN_OR_RETURN(
        const auto inserted,
        tx.Execute(
            "INSERT INTO match.match"
            " (match_id, created, head_seq, deadline, create_time, update_time, ownerless_duration)"
            " SELECT $1, $2, $3, $4, $5, $5, ownerless_duration FROM match.partition_lease"
            " WHERE partition = $6 ON CONFLICT (match_id) DO NOTHING",
            {first.match_id, Bytes{created}, first.row.seq, first.deadline, first.row.event_time,
             PartitionOf(first.match_id)}));
    if (inserted.affected() == 1) return InsertRow(tx, first);
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("SELECT created = $2 AS same FROM match.match WHERE match_id = $1",
                   {first.match_id, Bytes{created}}));
    if (rows.size() == 1 && rows[0].Get<bool>("same")) return absl::OkStatus();
    return base::Error(absl::StatusCode::kAlreadyExists, "MATCH_EXISTS",
                       "a match with this id and another content exists",
                       {{"match_id", first.match_id}});
  });
}

absl::StatusOr<std::vector<absl::Status>> PgMatchStore::AppendRows(
    absl::Span<const Append> appends) {
  std::vector<absl::Status> outcomes(appends.size());
  const absl::Status status = pool_.TransactAlone([&](Transaction& tx) -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(const Rows refused, ExecuteAppends(tx, appends));
    for (const Row& row : refused) {
      outcomes[static_cast<size_t>(row.Get<int64_t>("n")) - 1] =
          row.Get<bool>("owned") ? StaleMatch() : NotOwner();
    }
    return absl::OkStatus();
  });
  if (status.ok()) return outcomes;
  // A request that another writer has stored already: the log in memory is behind.
  if (absl::IsAlreadyExists(status) && appends.size() == 1) return {{StaleMatch()}};
  // Of one row and another transaction; the other rows have nothing to do with it.
  if (base::ReasonOf(status) == postgres::kTransactionConflict) {
    return absl::AbortedError(status.message());
  }
  return status;
}

absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> PgMatchStore::Load(
    absl::Span<const std::string> match_ids, LogPart part) {
  using Loaded = std::vector<absl::StatusOr<StoredMatch>>;
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<Loaded> {
    Loaded matches;
    Array ids;
    for (const std::string& match_id : match_ids) {
      matches.push_back(MatchNotFound(match_id));
      ids.Add(match_id);
    }
    NAVAL_ASSIGN_OR_RETURN(const Rows rows,
                           tx.Execute(kLoadMatches, {ids, part == LogPart::kSinceSnapshot}));
    for (const Row& row : rows) {
      absl::StatusOr<StoredMatch>& match =
          matches.at(static_cast<size_t>(row.Get<int64_t>("n") - 1));
      if (match.ok()) {
        match->rows.push_back(ToLogRow(row));
      } else {
        match = ToStoredMatch(row);
      }
    }
    return matches;
  });
}

absl::Status PgMatchStore::KeepSnapshots(absl::Span<const Snapshot> snapshots) {
  Array match_ids, seqs, bodies;
  for (const Snapshot& snapshot : snapshots) {
    match_ids.Add(snapshot.match_id);
    seqs.Add(snapshot.seq);
    bodies.Add(Bytes{snapshot.body});
  }
  return pool_.TransactAlone([&](Transaction& tx) {
    return tx.Execute(kKeepSnapshots, {match_ids, seqs, bodies}).status();
  });
}

absl::Status PgMatchStore::DropSnapshots(absl::Span<const std::string> match_ids) {
  Array ids;
  for (const std::string& match_id : match_ids) ids.Add(match_id);
  return pool_.TransactAlone(
      [&](Transaction& tx) { return tx.Execute(kDropSnapshots, {ids}).status(); });
}

absl::StatusOr<std::vector<std::string>> PgMatchStore::ListDue(int partition, absl::Time until) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<std::string>> {
    // The first condition is PartitionOf, as the index has it.
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("SELECT match_id FROM match.match"
                   " WHERE (get_byte(uuid_send(match_id), 15) & 63) = $1 AND NOT over"
                   " AND deadline <= $2"
                   " AND deadline_hour <= date_trunc('hour', $2::timestamptz AT TIME ZONE 'UTC')",
                   {partition, until}));
    std::vector<std::string> ids;
    ids.reserve(rows.size());
    for (const Row& row : rows) ids.push_back(row.Get<std::string>("match_id"));
    return ids;
  });
}

absl::StatusOr<std::vector<Lease>> PgMatchStore::ListLeases() {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<Lease>> {
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("SELECT partition, epoch, coalesce(owner, '') AS owner, lease.renew_time,"
                   " coalesce(extract(epoch FROM lease_duration)::double precision, $1) AS duration"
                   " FROM match.partition_lease lease LEFT JOIN match.member USING (owner)"
                   " ORDER BY partition",
                   {absl::ToDoubleSeconds(kUnsaidLeaseDuration)}));
    std::vector<Lease> leases;
    leases.reserve(rows.size());
    for (const Row& row : rows) {
      leases.push_back({.partition = row.Get<int32_t>("partition"),
                        .epoch = row.Get<int64_t>("epoch"),
                        .owner = row.Get<std::string>("owner"),
                        .renew_time = row.Get<std::optional<absl::Time>>("renew_time"),
                        .duration = absl::Seconds(row.Get<double>("duration"))});
    }
    return leases;
  });
}

absl::StatusOr<int64_t> PgMatchStore::TakeOverLease(const Lease& seen, const std::string& owner) {
  absl::StatusOr<int64_t> epoch = pool_.Transact([&](Transaction& tx) -> absl::StatusOr<int64_t> {
    NAVAL_RETURN_IF_ERROR(tx.Execute("SELECT set_config('lock_timeout', $1, true)",
                                     {absl::ToInt64Milliseconds(kTakeOverLockTimeout)})
                              .status());
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("SELECT pg_advisory_xact_lock($1, $2)", {kPartitionLocks, seen.partition})
            .status());
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("UPDATE match.partition_lease"
                   " SET owner = $3, epoch = epoch + 1, renew_time = clock_timestamp(),"
                   "   ownerless_duration = ownerless_duration + coalesce("
                   "     greatest(clock_timestamp() - renew_time, interval '0'), interval '0')"
                   " WHERE partition = $1 AND epoch = $2 AND renew_time IS NOT DISTINCT FROM $4"
                   " RETURNING epoch",
                   {seen.partition, seen.epoch, owner, seen.renew_time}));
    if (rows.empty()) return LeaseChanged();
    return rows[0].Get<int64_t>("epoch");
  });
  if (base::ReasonOf(epoch.status()) == postgres::kTransactionConflict) return LeaseBusy();
  return epoch;
}

absl::StatusOr<std::vector<int>> PgMatchStore::RenewLeases(absl::Span<const Lease> held) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<int>> {
    const auto [partitions, epochs] = PartitionsAndEpochs(held);
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("UPDATE match.partition_lease lease SET renew_time = clock_timestamp()"
                   " FROM unnest($1::integer[], $2::bigint[]) AS held (partition, epoch)"
                   " WHERE lease.partition = held.partition AND lease.epoch = held.epoch"
                   " AND lease.owner IS NOT NULL RETURNING lease.partition",
                   {partitions, epochs}));
    std::vector<int> renewed;
    renewed.reserve(rows.size());
    for (const Row& row : rows) renewed.push_back(row.Get<int32_t>("partition"));
    return renewed;
  });
}

absl::Status PgMatchStore::ReleaseLeases(absl::Span<const Lease> held) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    const auto [partitions, epochs] = PartitionsAndEpochs(held);
    return tx
        .Execute(
            "UPDATE match.partition_lease lease"
            " SET owner = NULL, renew_time = clock_timestamp()"
            " FROM unnest($1::integer[], $2::bigint[]) AS held (partition, epoch)"
            " WHERE lease.partition = held.partition AND lease.epoch = held.epoch",
            {partitions, epochs})
        .status();
  });
}

absl::Status PgMatchStore::KeepMember(const Member& member) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    NAVAL_RETURN_IF_ERROR(
        tx.Execute("INSERT INTO match.member (owner, address, lease_duration, renew_time)"
                   " VALUES ($1, $2, $3 * interval '1 second', clock_timestamp())"
                   " ON CONFLICT (owner) DO UPDATE SET address = EXCLUDED.address,"
                   "   lease_duration = EXCLUDED.lease_duration, renew_time = EXCLUDED.renew_time",
                   {member.owner, member.address, absl::ToDoubleSeconds(member.lease_duration)})
            .status());
    // Those of several processes may want the same rows, in any order.
    return tx
        .Execute(
            "DELETE FROM match.member WHERE owner IN (SELECT owner FROM match.member"
            " WHERE renew_time < clock_timestamp() - $1 * interval '1 second'"
            " FOR UPDATE SKIP LOCKED)",
            {absl::ToDoubleSeconds(kForgetMemberDuration)})
        .status();
  });
}

absl::Status PgMatchStore::RemoveMember(const std::string& owner) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    return tx.Execute("DELETE FROM match.member WHERE owner = $1", {owner}).status();
  });
}

absl::StatusOr<std::vector<Member>> PgMatchStore::ListMembers() {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<Member>> {
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("SELECT owner, address, renew_time,"
                   " extract(epoch FROM lease_duration)::double precision AS lease_duration"
                   " FROM match.member ORDER BY owner"));
    std::vector<Member> members;
    members.reserve(rows.size());
    for (const Row& row : rows) {
      members.push_back({.owner = row.Get<std::string>("owner"),
                         .address = row.Get<std::string>("address"),
                         .lease_duration = absl::Seconds(row.Get<double>("lease_duration")),
                         .renew_time = row.Get<absl::Time>("renew_time")});
    }
    return members;
  });
}

absl::StatusOr<std::vector<ClaimedMessage>> PgMatchStore::ClaimMessages(Destination destination,
                                                                        absl::Time now,
                                                                        absl::Duration retry_delay,
                                                                        int limit) {
  return pool_.TransactAlone([&](Transaction& tx) -> absl::StatusOr<std::vector<ClaimedMessage>> {
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("UPDATE match.match_outbox o SET attempts = o.attempts + 1,"
                   " next_attempt_time = $2 + $3 * interval '1 second' * 2 ^ least(o.attempts, 4)"
                   " FROM (SELECT match_id, destination, seq FROM match.match_outbox"
                   "       WHERE destination = $1 AND delivered_time IS NULL"
                   "       AND (attempts = 0 OR next_attempt_time <= $2)"
                   "       ORDER BY next_attempt_time LIMIT $4"
                   "       FOR UPDATE SKIP LOCKED) due"
                   " WHERE (o.match_id, o.destination, o.seq)"
                   "     = (due.match_id, due.destination, due.seq)"
                   " RETURNING o.match_id, o.seq, o.body, o.attempts",
                   {DestinationName(destination), now, absl::ToDoubleSeconds(retry_delay), limit}));
    std::vector<ClaimedMessage> messages;
    messages.reserve(rows.size());
    for (const Row& row : rows) {
      messages.push_back({.match_id = row.Get<std::string>("match_id"),
                          .seq = row.Get<int64_t>("seq"),
                          .body = row.Get<Bytes>("body").value,
                          .attempts = row.Get<int32_t>("attempts")});
    }
    return messages;
  });
}

absl::Status PgMatchStore::MarkDelivered(Destination destination,
                                         absl::Span<const ClaimedMessage> messages,
                                         absl::Time now) {
  return pool_.TransactAlone([&](Transaction& tx) -> absl::Status {
    Array match_ids;
    Array seqs;
    for (const ClaimedMessage& message : messages) {
      match_ids.Add(message.match_id);
      seqs.Add(message.seq);
    }
    return tx
        .Execute(
            "UPDATE match.match_outbox o SET delivered_time = $4"
            " FROM unnest($2::uuid[], $3::bigint[]) AS delivered (match_id, seq)"
            " WHERE (o.match_id, o.destination, o.seq)"
            "     = (delivered.match_id, $1, delivered.seq)",
            {DestinationName(destination), match_ids, seqs, now})
        .status();
  });
}

absl::StatusOr<Backlog> PgMatchStore::ReadBacklog(Destination destination) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<Backlog> {
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("SELECT count(*) AS messages, min(event_time) AS oldest"
                   " FROM match.match_outbox JOIN match.match_log USING (match_id, seq)"
                   " WHERE destination = $1 AND delivered_time IS NULL",
                   {DestinationName(destination)}));
    return Backlog{.messages = rows[0].Get<int64_t>("messages"),
                   .oldest = rows[0].Get<std::optional<absl::Time>>("oldest")};
  });
}

absl::StatusOr<std::string> PgMatchStore::NewestBody() {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::string> {
    NAVAL_ASSIGN_OR_RETURN(
        const Rows rows,
        tx.Execute("SELECT body FROM match.match_log ORDER BY match_id DESC, seq DESC LIMIT 1"));
    return rows.empty() ? "" : rows[0].Get<Bytes>("body").value;
  });
}

}  // namespace naval::match
