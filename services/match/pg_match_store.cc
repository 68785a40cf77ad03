#include "services/match/pg_match_store.h"

#include <optional>
#include <utility>

#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

using postgres::Array;
using postgres::Bytes;
using postgres::Param;
using postgres::PreparedStatement;
using postgres::Row;
using postgres::Rows;
using postgres::Transaction;

absl::string_view DestinationName(Destination destination) {
  return destination == Destination::kLobby ? "lobby" : "ranking";
}

absl::Status StaleMatch() {
  return base::Error(absl::StatusCode::kAborted, "STALE_MATCH",
                     "the match has gone on in the meantime; try again");
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

// One statement for a whole batch, whose rows cost a tenth of what a statement for each would. A
// row is written if and only if it raised the head of its match by one; n says which of the batch
// did.
constexpr PreparedStatement kAppendRows = {
    "append_rows",
    "WITH head AS ("
    "  UPDATE match.match m SET head_seq = a.seq, over = a.over, deadline = a.deadline,"
    "    update_time = a.event_time"
    "  FROM unnest($1::uuid[], $2::bigint[], $3::boolean[], $4::timestamptz[], $5::smallint[],"
    "    $6::uuid[], $7::bytea[], $8::timestamptz[], $9::bytea[])"
    "    WITH ORDINALITY AS a (match_id, seq, over, deadline, seat, request_id, request_digest,"
    "      event_time, body, n)"
    "  WHERE m.match_id = a.match_id AND m.head_seq = a.seq - 1 AND NOT m.over"
    "  RETURNING a.*"
    "), log AS ("
    "  INSERT INTO match.match_log"
    "    (match_id, seq, seat, request_id, request_digest, event_time, body)"
    "  SELECT match_id, seq, seat, request_id, request_digest, event_time, body FROM head"
    "), outbox AS ("
    "  INSERT INTO match.match_outbox (match_id, destination, seq, body, next_attempt_time)"
    "  SELECT match_id, o.destination, seq, o.body, event_time"
    "  FROM unnest($10::uuid[], $11::text[], $12::bytea[]) AS o (match_id, destination, body)"
    "  JOIN head USING (match_id)"
    ") SELECT n FROM head"};

absl::StatusOr<Rows> ExecuteAppends(Transaction& tx, absl::Span<const Append> appends) {
  Array match_ids, seqs, overs, deadlines, seats, request_ids, request_digests, event_times, bodies;
  Array message_match_ids, destinations, messages;
  for (const Append& append : appends) {
    const LogRow& row = append.row;
    match_ids.Add(append.match_id);
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
  return tx.Execute(kAppendRows,
                    {match_ids, seqs, overs, deadlines, seats, request_ids, request_digests,
                     event_times, bodies, message_match_ids, destinations, messages});
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

}  // namespace

absl::Status PgMatchStore::Create(const std::string& created, const Append& first) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(
        const auto inserted,
        tx.Execute(
            "INSERT INTO match.match"
            " (match_id, created, head_seq, deadline, create_time, update_time)"
            " VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT (match_id) DO NOTHING",
            {first.match_id, Bytes{created}, first.row.seq, first.deadline, first.row.event_time}));
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
  std::vector<absl::Status> outcomes(appends.size(), StaleMatch());
  const absl::Status status = pool_.Transact([&](Transaction& tx) -> absl::Status {
    NAVAL_ASSIGN_OR_RETURN(const Rows appended, ExecuteAppends(tx, appends));
    for (const Row& row : appended) {
      outcomes[static_cast<size_t>(row.Get<int64_t>("n")) - 1] = absl::OkStatus();
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

absl::StatusOr<StoredMatch> PgMatchStore::Load(const std::string& match_id) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<StoredMatch> {
    StoredMatch match;
    match.match_id = match_id;
    // One statement, so that match and log are of one moment.
    NAVAL_ASSIGN_OR_RETURN(const auto rows,
                           tx.Execute("SELECT CASE WHEN seq = 1 THEN created END AS created,"
                                      " seq, seat, request_id, request_digest, event_time, body"
                                      " FROM match.match JOIN match.match_log USING (match_id)"
                                      " WHERE match_id = $1 ORDER BY seq",
                                      {match_id}));
    if (rows.empty()) return MatchNotFound(match_id);
    match.created = rows[0].Get<Bytes>("created").value;
    match.rows.reserve(rows.size());
    for (const Row& row : rows) match.rows.push_back(ToLogRow(row));
    return match;
  });
}

absl::StatusOr<std::vector<std::string>> PgMatchStore::ListDue(absl::Time until) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<std::string>> {
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("SELECT match_id FROM match.match WHERE NOT over AND deadline <= $1"
                   " AND deadline_hour <= date_trunc('hour', $1::timestamptz AT TIME ZONE 'UTC')",
                   {until}));
    std::vector<std::string> ids;
    ids.reserve(rows.size());
    for (const Row& row : rows) ids.push_back(row.Get<std::string>("match_id"));
    return ids;
  });
}

absl::StatusOr<std::vector<ClaimedMessage>> PgMatchStore::ClaimMessages(Destination destination,
                                                                        absl::Time now,
                                                                        absl::Duration retry_delay,
                                                                        int limit) {
  return pool_.Transact([&](Transaction& tx) -> absl::StatusOr<std::vector<ClaimedMessage>> {
    NAVAL_ASSIGN_OR_RETURN(
        const auto rows,
        tx.Execute("UPDATE match.match_outbox o SET attempts = o.attempts + 1,"
                   " next_attempt_time = $2 + $3 * interval '1 second' * 2 ^ least(o.attempts, 4)"
                   " FROM (SELECT match_id, destination, seq FROM match.match_outbox"
                   "       WHERE destination = $1 AND delivered_time IS NULL"
                   "       AND next_attempt_time <= $2 ORDER BY next_attempt_time LIMIT $4"
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

absl::Status PgMatchStore::MarkDelivered(Destination destination, const ClaimedMessage& message,
                                         absl::Time now) {
  return pool_.Transact([&](Transaction& tx) -> absl::Status {
    return tx
        .Execute(
            "UPDATE match.match_outbox SET delivered_time = $4"
            " WHERE match_id = $1 AND destination = $2 AND seq = $3",
            {message.match_id, DestinationName(destination), message.seq, now})
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

}  // namespace naval::match
