#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "lib/rules/seat.h"

namespace naval::match {

// One command with all its events, as it is stored.
struct LogRow {
  // 1 for the row that comes with the match, then 2, 3, ... without gaps.
  int64_t seq = 0;
  // Who gave the command; nullopt when a clock or the service itself did.
  std::optional<rules::Seat> seat = std::nullopt;
  // Empty for commands that no client sent.
  std::string request_id = {};
  // Hash of the whole request, in rows that were stored before bodies were sealed; empty in others,
  // where it stands in the body.
  std::string request_digest = {};
  // To the microsecond. Never decreases within a match.
  absl::Time event_time = absl::UnixEpoch();
  // A serialized naval.match.log.v1.LogEntry, sealed (sealed_row.h) or, as they once were, bare.
  std::string body;
};

// What the rows of a match up to one of them come to: a copy, which may be missing, old or
// unreadable without harm, for the log holds all of it.
struct Snapshot {
  std::string match_id;
  // Number of the last row in it.
  int64_t seq = 0;
  // A serialized naval.match.log.v1.MatchSnapshot, sealed (sealed_snapshot.h).
  std::string body;
};

// A match as it is stored.
struct StoredMatch {
  std::string match_id;
  // A serialized naval.match.log.v1.MatchCreated.
  std::string created;
  // What comes before the rows; nullopt where they are the whole log.
  std::optional<Snapshot> snapshot = std::nullopt;
  // In order of seq. Never empty without a snapshot.
  std::vector<LogRow> rows;
  // For how long nobody owned its partition since the last row was written.
  absl::Duration ownerless_duration = absl::ZeroDuration();
};

// How much of a log is read.
enum class LogPart {
  // What came after the snapshot; all, where there is none.
  kSinceSnapshot,
  kAll,
};

enum class Destination { kLobby, kRanking };

// Something that another service has to learn: a serialized request of its internal API.
struct OutboxMessage {
  Destination destination = Destination::kLobby;
  std::string body;
};

// What is written in one transaction: a row, what it makes of the match, and what others have to
// learn of it.
struct Append {
  std::string match_id;
  // Under which the match was read: that of the lease of its partition.
  int64_t epoch = 0;
  LogRow row;
  // The match ended with this row.
  bool over = false;
  std::optional<absl::Time> deadline = std::nullopt;
  // At most one for each destination.
  std::vector<OutboxMessage> messages = {};
};

// For how long a lease is good whose owner does not say it, being of an earlier release.
inline constexpr absl::Duration kUnsaidLeaseDuration = absl::Seconds(10);

// Who owns a partition (partition.h).
struct Lease {
  int partition = 0;
  // Raised with every owner; 0 before the first.
  int64_t epoch = 0;
  // Empty when it was given back.
  std::string owner;
  // When the owner was last heard of, or gave it back, by the clock of the store; nullopt before
  // the first owner.
  std::optional<absl::Time> renew_time;
  // What the owner said as a Member: for how long it is good without being renewed.
  absl::Duration duration = kUnsaidLeaseDuration;
};

// A process that plays matches, or is ready to.
struct Member {
  // Its name, as in Lease.
  std::string owner;
  // "HOST:PORT" at which the others reach its internal API; empty when they cannot.
  std::string address;
  // For how long its leases are good without being renewed.
  absl::Duration lease_duration = kUnsaidLeaseDuration;
  // When it was last heard of, by the clock of the store.
  absl::Time renew_time;
};

// A message that this process may try to deliver now.
struct ClaimedMessage {
  std::string match_id;
  int64_t seq = 0;
  std::string body;
  // Counting this one, from 1.
  int attempts = 0;
};

// The messages for one destination that are not delivered.
struct Backlog {
  int64_t messages = 0;
  // When the oldest of them came up; nullopt when there is none.
  std::optional<absl::Time> oldest;
};

// So long that only those are forgotten that do not come back.
inline constexpr absl::Duration kForgetMemberDuration = absl::Hours(1);

// Where matches are kept. Thread safe. Every call blocks. Besides the errors named, every call
// gives the errors of postgres::Pool; none of them says that a write did not happen, so the caller
// reads the match anew before it goes on.
class MatchStore {
 public:
  virtual ~MatchStore() = default;

  // Stores a new match with its first row (`first.row.seq` is 1). ALREADY_EXISTS, reason
  // MATCH_EXISTS, when there is one with this id and another `created`; OK without effect when
  // there is one with the same. UNAVAILABLE, reason NOT_OWNER, as for AppendRows.
  virtual absl::Status Create(const std::string& created, const Append& first) = 0;

  // Appends rows, at most one to a match, in one transaction. Gives the outcome of each, in their
  // order: OK; ABORTED, reason STALE_MATCH, when the log does not end with the row before it:
  // another writer was faster, or an earlier write in doubt happened after all; UNAVAILABLE,
  // reason NOT_OWNER, when its epoch is not that of its partition, or is about to be raised. Such a
  // row falls out alone; the others are committed.
  //
  // An error is that of all rows. With UNAVAILABLE or RESOURCE_EXHAUSTED it is the store that
  // failed; with any other code nothing was written, and one row may be the reason, for example
  // because it cannot be stored: to write the others, try each alone.
  virtual absl::StatusOr<std::vector<absl::Status>> AppendRows(
      absl::Span<const Append> appends) = 0;

  // The matches in the order of their ids, which are different ones; for each, NOT_FOUND, reason
  // MATCH_NOT_FOUND, where there is none. An error is that of all, with the same sense as that of
  // AppendRows.
  virtual absl::StatusOr<std::vector<absl::StatusOr<StoredMatch>>> Load(
      absl::Span<const std::string> match_ids, LogPart part) = 0;

  // Keeps the snapshots of different matches, each in place of an older one of its match; one that
  // is not newer is passed over, and one of a match that is over, or of rows that it does not have.
  // What is written may be lost if the store crashes soon after.
  virtual absl::Status KeepSnapshots(absl::Span<const Snapshot> snapshots) = 0;

  // Forgets the snapshots of these matches.
  virtual absl::Status DropSnapshots(absl::Span<const std::string> match_ids) = 0;

  // Ids of the matches of a partition whose clock ends at `until` or before.
  virtual absl::StatusOr<std::vector<std::string>> ListDue(int partition, absl::Time until) = 0;

  // All kPartitions of them, in order.
  virtual absl::StatusOr<std::vector<Lease>> ListLeases() = 0;

  // Makes `owner` the owner and gives the new epoch, under which no append of the old one is good
  // any more: those that are being written are waited for, for a moment. The time since it was
  // renewed is time that nobody owned the partition (StoredMatch::ownerless_duration). ABORTED,
  // reason LEASE_CHANGED, when epoch or renew_time are not those of `seen` any more; ABORTED,
  // reason LEASE_BUSY, when the wait is in vain.
  virtual absl::StatusOr<int64_t> TakeOverLease(const Lease& seen, const std::string& owner) = 0;

  // Says that the owner of these lives. Gives the partitions that are still owned under the epoch
  // given; the others are lost.
  virtual absl::StatusOr<std::vector<int>> RenewLeases(absl::Span<const Lease> held) = 0;

  // Gives back those of these that are still owned under the epoch given.
  virtual absl::Status ReleaseLeases(absl::Span<const Lease> held) = 0;

  // Says that this process lives, where, and for how long its leases are good. Those that were not
  // heard of for kForgetMemberDuration are forgotten.
  virtual absl::Status KeepMember(const Member& member) = 0;

  // The process ends; without effect when it is not known.
  virtual absl::Status RemoveMember(const std::string& owner) = 0;

  // By the name of the owner.
  virtual absl::StatusOr<std::vector<Member>> ListMembers() = 0;

  // Takes up to `limit` undelivered messages that are due, those that have been so for longest, and
  // makes each due again `retry_delay` from `now`, twice as long after every failed attempt, up to
  // 16 times. What was never taken is due: the time in its match may be ahead of `now`. Several
  // processes may claim at once; none gets another's.
  virtual absl::StatusOr<std::vector<ClaimedMessage>> ClaimMessages(Destination destination,
                                                                    absl::Time now,
                                                                    absl::Duration retry_delay,
                                                                    int limit) = 0;

  // The messages were delivered and are never claimed again.
  virtual absl::Status MarkDelivered(Destination destination,
                                     absl::Span<const ClaimedMessage> messages, absl::Time now) = 0;

  virtual absl::StatusOr<Backlog> ReadBacklog(Destination destination) = 0;
};

}  // namespace naval::match
