#include "tests/simulation/store_operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "lib/base/error.h"

namespace naval::simulation {
namespace {

using match::Append;
using match::ClaimedMessage;
using match::Destination;
using match::Lease;
using match::LogPart;
using match::MatchStore;
using match::Member;
using match::OutboxMessage;
using match::Snapshot;
using match::StoredMatch;

// All times of leases and members are whole numbers of these, give or take how long the test takes:
// the clock of Postgres cannot be made to stand still.
constexpr absl::Duration kTimeUnit = absl::Hours(10);
// Few, so that the operations meet.
constexpr int kUsedPartitions = 6;
constexpr std::size_t kMatchesInPlay = 24;

std::string Say(const absl::Status& status) { return CodeAndReason(status); }

// In whole units.
std::string Say(absl::Duration duration) {
  absl::Duration rest;
  return absl::StrCat(absl::IDivDuration(duration + kTimeUnit / 2, kTimeUnit, &rest), " units");
}

std::string Say(const std::optional<rules::Seat>& seat) {
  return seat.has_value() ? absl::StrCat("seat ", rules::SeatIndex(*seat)) : "nobody";
}

std::string Say(const std::optional<absl::Time>& time) {
  return time.has_value() ? absl::StrCat(absl::ToUnixMicros(*time)) : "never";
}

std::string Say(const match::LogRow& row) {
  return absl::StrCat(row.seq, " by ", Say(row.seat), " ", row.request_id, " ",
                      absl::BytesToHexString(row.request_digest), " at ",
                      absl::ToUnixMicros(row.event_time), " ", absl::BytesToHexString(row.body));
}

std::string Say(const Append& append) {
  std::string text = absl::StrCat(append.match_id, " under ", append.epoch, ": ", Say(append.row),
                                  append.over ? " over" : "", ", due ", Say(append.deadline));
  for (const OutboxMessage& message : append.messages) {
    absl::StrAppend(&text, ", ", message.destination == Destination::kLobby ? "lobby" : "ranking",
                    " <- ", message.body);
  }
  return text;
}

std::string Say(const Snapshot& snapshot) {
  return absl::StrCat(snapshot.match_id, " up to ", snapshot.seq, " ",
                      absl::BytesToHexString(snapshot.body));
}

std::string Say(const absl::StatusOr<StoredMatch>& match) {
  if (!match.ok()) return Say(match.status());
  std::string text = absl::StrCat(match->match_id, " ", match->created, ", without an owner for ",
                                  Say(match->ownerless_duration));
  if (match->snapshot.has_value()) {
    absl::StrAppend(&text, "\n    snapshot ", Say(*match->snapshot));
  }
  for (const match::LogRow& row : match->rows) absl::StrAppend(&text, "\n    ", Say(row));
  return text;
}

std::string Say(const Lease& lease) {
  return absl::StrCat(lease.partition, " under ", lease.epoch, " of ", lease.owner, ", good for ",
                      absl::FormatDuration(lease.duration));
}

std::string Say(const Member& member) {
  return absl::StrCat(member.owner, " at ", member.address, ", leases good for ",
                      absl::FormatDuration(member.lease_duration));
}

std::string Say(const ClaimedMessage& message) {
  return absl::StrCat(message.match_id, "/", message.seq, " ", message.body, ", try ",
                      message.attempts);
}

std::string Say(const std::string& text) { return text; }
std::string Say(int number) { return absl::StrCat(number); }

template <typename T>
std::string SayAll(const std::vector<T>& values) {
  return absl::StrJoin(values, "\n  ",
                       [](std::string* out, const T& value) { out->append(Say(value)); });
}

template <typename T>
std::string SayAll(const absl::StatusOr<std::vector<T>>& values) {
  return values.ok() ? SayAll(*values) : Say(values.status());
}

// Of values whose order the contract leaves open.
template <typename T>
std::string SaySorted(const absl::StatusOr<std::vector<T>>& values) {
  if (!values.ok()) return Say(values.status());
  std::vector<std::string> texts;
  for (const T& value : *values) texts.push_back(Say(value));
  std::sort(texts.begin(), texts.end());
  return SayAll(texts);
}

std::string Say(const absl::StatusOr<match::Backlog>& backlog) {
  if (!backlog.ok()) return Say(backlog.status());
  return absl::StrCat(backlog->messages, " since ", Say(backlog->oldest));
}

// Leases or members, with how long before the newest each was renewed: the clocks of the stores
// differ.
template <typename T>
std::string SayWithTimes(const absl::StatusOr<std::vector<T>>& values) {
  if (!values.ok()) return Say(values.status());
  std::optional<absl::Time> newest;
  for (const T& value : *values) {
    newest = std::max(newest, std::optional<absl::Time>(value.renew_time));
  }
  std::string text;
  for (const T& value : *values) {
    const std::optional<absl::Time> renew_time = value.renew_time;
    absl::StrAppend(&text, Say(value), ", renewed ",
                    renew_time.has_value() ? Say(*newest - *renew_time) : "never", "\n  ");
  }
  return text;
}

std::string ReadLeases(MatchStore& store, Side& side) {
  const auto leases = store.ListLeases();
  if (leases.ok()) side.leases = *leases;
  return SayWithTimes(leases);
}

}  // namespace

std::string CodeAndReason(const absl::Status& status) {
  if (status.ok()) return "OK";
  return absl::StrCat(absl::StatusCodeToString(status.code()), " ", base::ReasonOf(status));
}

Operation OperationList::Next() {
  now_ += absl::Microseconds(1 + Below(100'000));
  struct Draw {
    int weight;
    Operation (OperationList::*make)();
  };
  const Draw draws[] = {{10, &OperationList::Create},     {38, &OperationList::AppendBatch},
                        {8, &OperationList::Load},        {5, &OperationList::ListDue},
                        {6, &OperationList::Keep},        {2, &OperationList::Drop},
                        {4, &OperationList::ListLeases},  {8, &OperationList::TakeOver},
                        {4, &OperationList::Renew},       {3, &OperationList::Release},
                        {3, &OperationList::KeepMember},  {2, &OperationList::RemoveMember},
                        {2, &OperationList::ListMembers}, {8, &OperationList::Claim},
                        {8, &OperationList::Deliver},     {3, &OperationList::ReadBacklog},
                        {2, &OperationList::Age}};
  int weight = 0;
  for (const Draw& draw : draws) weight += draw.weight;
  weight = Below(weight);
  const Draw* draw = draws;
  while (weight >= draw->weight) weight -= (draw++)->weight;
  return (this->*draw->make)();
}

Operation OperationList::Everything(bool all) const {
  std::vector<std::string> ids = in_play_;
  if (all) {
    ids.clear();
    for (const auto& [id, match] : matches_) ids.push_back(id);
  }
  return {"everything", [ids, now = now_](MatchStore& store, Side&) {
            std::string text = SayAll(store.Load(ids, LogPart::kAll));
            absl::StrAppend(&text, "\n", SayAll(store.Load(ids, LogPart::kSinceSnapshot)));
            absl::StrAppend(&text, "\nleases ", SayWithTimes(store.ListLeases()), "\nmembers ",
                            SayWithTimes(store.ListMembers()), "\ndue ");
            for (int partition = 0; partition < match::kPartitions; ++partition) {
              absl::StrAppend(&text, SaySorted(store.ListDue(partition, now)), "; ");
            }
            for (const Destination destination : {Destination::kLobby, Destination::kRanking}) {
              absl::StrAppend(&text, "\nbacklog ", Say(store.ReadBacklog(destination)));
            }
            return text;
          }};
}

int OperationList::Below(int bound) {
  return static_cast<int>(random_.Uniform(static_cast<std::uint64_t>(bound)));
}

bool OperationList::OneIn(int n) { return Below(n) == 0; }

std::string OperationList::NewId(int last_byte) {
  return absl::StrFormat("018f3f5e-7b5a-7c3d-8a21-%010x%02x", ++ids_, last_byte);
}

std::string OperationList::NewMatchId() { return NewId(Below(kUsedPartitions) + 64 * Below(4)); }

std::string OperationList::AnyMatchId() {
  if (in_play_.empty() || OneIn(40)) return NewMatchId();
  return AnyOf(in_play_);
}

std::string OperationList::AnyBytes() {
  std::string bytes(static_cast<std::size_t>(Below(12)), '\0');
  for (char& byte : bytes) byte = static_cast<char>(Below(256));
  return bytes;
}

std::int64_t OperationList::AnyEpoch(int partition) {
  const std::int64_t epoch = epochs_.at(static_cast<std::size_t>(partition));
  if (!OneIn(12)) return epoch;
  return std::max<std::int64_t>(epoch + (OneIn(2) ? -1 : 1), 0);
}

Append OperationList::AnyRow(const std::string& match_id, std::int64_t seq) {
  Append append = {.match_id = match_id,
                   .epoch = AnyEpoch(match::PartitionOf(match_id)),
                   .row = {.seq = seq, .event_time = now_, .body = AnyBytes()}};
  if (!OneIn(4)) {
    append.deadline = now_ + absl::Microseconds(Below(2'000'000)) * (OneIn(4) ? 3600 : 1);
  }
  for (const Destination destination : {Destination::kLobby, Destination::kRanking}) {
    if (!OneIn(5)) continue;
    append.messages.push_back({destination, absl::StrCat("message ", ++messages_)});
  }
  if (OneIn(3)) return append;
  append.row.seat = rules::kSeats[Below(2)];
  if (OneIn(8)) return append;
  append.row.request_id = NewId(Below(256));
  if (OneIn(2)) append.row.request_digest = AnyBytes();
  return append;
}

Operation OperationList::Create() {
  const bool again = !in_play_.empty() && OneIn(4);
  const std::string id = again ? AnyOf(in_play_) : NewMatchId();
  const std::string created = absl::StrCat(OneIn(8) ? "other " : "", "match ", id);
  const Append first = AnyRow(id, 1);
  if (!again) {
    in_play_.push_back(id);
    if (in_play_.size() > kMatchesInPlay) in_play_.erase(in_play_.begin());
  }
  return {absl::StrCat("create ", created, ", ", Say(first)),
          [this, created, first](MatchStore& store, Side&) {
            const absl::Status status = store.Create(created, first);
            if (status.ok()) matches_.try_emplace(first.match_id, Known{.head_seq = 1});
            return Say(status);
          }};
}

Append OperationList::AnyAppend(const std::string& match_id) {
  const auto known = matches_.find(match_id);
  const std::int64_t head_seq = known == matches_.end() ? 0 : known->second.head_seq;
  Append append =
      AnyRow(match_id, OneIn(10) ? 1 + Below(static_cast<int>(head_seq) + 3) : head_seq + 1);
  append.over = OneIn(30);
  if (append.over) append.deadline = std::nullopt;
  return append;
}

void OperationList::Spoil(Append& append) {
  const auto known = matches_.find(append.match_id);
  switch (Below(4)) {
    case 0:
      append.row.request_id.clear();
      append.row.request_digest = "digest";
      break;
    case 1:
      append.row.request_id = NewId(0);
      append.row.seat = std::nullopt;
      break;
    case 2:
      append.over = true;
      append.deadline = now_;
      break;
    default:
      if (known == matches_.end() || known->second.requests.empty()) return;
      std::tie(append.row.seat, append.row.request_id) = AnyOf(known->second.requests);
      // Another player's request of this id is another request.
      if (OneIn(3)) append.row.seat = rules::Rival(*append.row.seat);
      break;
  }
}

Operation OperationList::AppendBatch() {
  std::set<std::string> ids;
  for (int left = OneIn(2) ? 1 : 1 + Below(8); left > 0; --left) ids.insert(AnyMatchId());
  std::vector<Append> batch;
  for (const std::string& id : ids) batch.push_back(AnyAppend(id));
  for (std::size_t left = batch.size(); left > 1; --left) {
    std::swap(batch[left - 1], batch[random_.Uniform(left)]);
  }
  // Of two of them Postgres tells either.
  if (OneIn(8)) Spoil(batch.front());
  return {"append " + SayAll(batch), [this, batch](MatchStore& store, Side&) {
            const auto outcomes = store.AppendRows(batch);
            for (std::size_t i = 0; outcomes.ok() && i < batch.size(); ++i) {
              if ((*outcomes)[i].ok()) Learn(batch[i]);
            }
            return SayAll(outcomes);
          }};
}

void OperationList::Learn(const Append& append) {
  Known& match = matches_[append.match_id];
  if (match.head_seq == append.row.seq) return;
  match.head_seq = append.row.seq;
  if (append.row.request_id.empty()) return;
  match.requests.emplace_back(*append.row.seat, append.row.request_id);
}

std::vector<std::string> OperationList::AnyMatchIds() {
  std::set<std::string> ids;
  for (int left = Below(6); left > 0; --left) ids.insert(AnyMatchId());
  return {ids.begin(), ids.end()};
}

Operation OperationList::Load() {
  const std::vector<std::string> asked = AnyMatchIds();
  const LogPart part = OneIn(3) ? LogPart::kAll : LogPart::kSinceSnapshot;
  return {"load " + absl::StrJoin(asked, " "),
          [asked, part](MatchStore& store, Side&) { return SayAll(store.Load(asked, part)); }};
}

// Also old ones, and ones of rows that are not there.
Operation OperationList::Keep() {
  std::vector<Snapshot> kept;
  for (const std::string& id : AnyMatchIds()) {
    const auto known = matches_.find(id);
    const std::int64_t head_seq = known == matches_.end() ? 0 : known->second.head_seq;
    kept.push_back({id, 1 + Below(static_cast<int>(head_seq) + (OneIn(4) ? 3 : 1)), AnyBytes()});
  }
  return {"snapshots " + SayAll(kept),
          [kept](MatchStore& store, Side&) { return Say(store.KeepSnapshots(kept)); }};
}

Operation OperationList::Drop() {
  const std::vector<std::string> dropped = AnyMatchIds();
  return {"drop " + absl::StrJoin(dropped, " "),
          [dropped](MatchStore& store, Side&) { return Say(store.DropSnapshots(dropped)); }};
}

Operation OperationList::ListDue() {
  const int partition = Below(kUsedPartitions);
  const absl::Time until = now_ + absl::Seconds(Below(7200) - 1800);
  return {absl::StrCat("list due ", partition, " until ", absl::ToUnixMicros(until)),
          [partition, until](MatchStore& store, Side&) {
            return SaySorted(store.ListDue(partition, until));
          }};
}

Operation OperationList::ListLeases() { return {"list leases", ReadLeases}; }

// Mostly as it stands, else as it was read before.
Operation OperationList::TakeOver() {
  const int partition = Below(kUsedPartitions);
  const std::string owner = AnyOwner();
  return {absl::StrCat("take over ", partition, " by ", owner),
          [this, partition, owner, looks = OneIn(2)](MatchStore& store, Side& side) {
            if (looks || side.leases.empty()) ReadLeases(store, side);
            const Lease& seen = side.leases.at(static_cast<std::size_t>(partition));
            const auto epoch = store.TakeOverLease(seen, owner);
            if (!epoch.ok()) return Say(epoch.status());
            epochs_.at(static_cast<std::size_t>(partition)) = *epoch;
            return absl::StrCat("epoch ", *epoch);
          }};
}

std::vector<Lease> OperationList::AnyHeld() {
  std::vector<Lease> held;
  for (int partition = 0; partition < kUsedPartitions; ++partition) {
    if (OneIn(2)) held.push_back({.partition = partition, .epoch = AnyEpoch(partition)});
  }
  return held;
}

Operation OperationList::Renew() {
  const std::vector<Lease> held = AnyHeld();
  return {"renew " + SayAll(held),
          [held](MatchStore& store, Side&) { return SaySorted(store.RenewLeases(held)); }};
}

Operation OperationList::Release() {
  const std::vector<Lease> held = AnyHeld();
  return {"release " + SayAll(held),
          [held](MatchStore& store, Side&) { return Say(store.ReleaseLeases(held)); }};
}

std::string OperationList::AnyOwner() { return std::string(1, static_cast<char>('a' + Below(5))); }

Operation OperationList::KeepMember() {
  const Member member = {.owner = AnyOwner(),
                         .address = absl::StrCat(Below(3)),
                         .lease_duration = absl::Milliseconds(500 * (1 + Below(4)))};
  return {"keep " + Say(member),
          [member](MatchStore& store, Side&) { return Say(store.KeepMember(member)); }};
}

Operation OperationList::RemoveMember() {
  const std::string owner = AnyOwner();
  return {"remove " + owner,
          [owner](MatchStore& store, Side&) { return Say(store.RemoveMember(owner)); }};
}

Operation OperationList::ListMembers() {
  return {"list members",
          [](MatchStore& store, Side&) { return SayWithTimes(store.ListMembers()); }};
}

Destination OperationList::AnyDestination() {
  return OneIn(2) ? Destination::kLobby : Destination::kRanking;
}

Operation OperationList::Claim() {
  const Destination destination = AnyDestination();
  const absl::Duration retry_delay = absl::Milliseconds(500 * (1 + Below(4)));
  const int limit = AnyLimit(destination);
  return {absl::StrCat("claim ", limit, " at ", absl::ToUnixMicros(now_), " for ",
                       absl::FormatDuration(retry_delay)),
          [=, this, now = now_](MatchStore& store, Side&) {
            const auto claimed = store.ClaimMessages(destination, now, retry_delay, limit);
            if (claimed.ok()) claimed_ = {destination, *claimed};
            return SaySorted(claimed);
          }};
}

// One that does not part those that are due since the same moment: which of these comes first is
// open.
int OperationList::AnyLimit(Destination destination) {
  std::vector<int> limits = {1000};
  const absl::Status read = pool_.Transact([&](postgres::Transaction& tx) {
    const auto rows = tx.Execute(
        "SELECT DISTINCT count(*) OVER (ORDER BY next_attempt_time) AS n FROM match.match_outbox"
        " WHERE destination = $1 AND delivered_time IS NULL AND next_attempt_time <= $2",
        {destination == Destination::kLobby ? "lobby" : "ranking", now_});
    if (!rows.ok()) return rows.status();
    for (const postgres::Row& row : *rows) {
      limits.push_back(static_cast<int>(row.Get<std::int64_t>("n")));
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
  std::sort(limits.begin(), limits.end());
  return AnyOf(limits);
}

Operation OperationList::Deliver() {
  std::vector<ClaimedMessage> delivered;
  for (const ClaimedMessage& message : claimed_.second) {
    if (!OneIn(4)) delivered.push_back(message);
  }
  return {"deliver " + SayAll(delivered),
          [delivered, destination = claimed_.first, now = now_](MatchStore& store, Side&) {
            return Say(store.MarkDelivered(destination, delivered, now));
          }};
}

Operation OperationList::ReadBacklog() {
  const Destination destination = AnyDestination();
  return {"backlog",
          [destination](MatchStore& store, Side&) { return Say(store.ReadBacklog(destination)); }};
}

// The clock of Postgres stands, and what it wrote down grows older: what was read before does not
// hold after.
Operation OperationList::Age() {
  const absl::Duration duration = kTimeUnit * (1 + Below(3));
  return {"age " + Say(duration), [duration](MatchStore& store, Side& side) {
            side.age(duration);
            return ReadLeases(store, side);
          }};
}

}  // namespace naval::simulation
