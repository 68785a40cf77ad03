#include "services/match/match_reader.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "lib/base/status_macros.h"
#include "services/match/partition.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

// Two, for reading is as much work here as in Postgres.
constexpr size_t kThreads = 2;

// What one statement reads: more would not be cheaper, and lets who asks for one match wait.
constexpr size_t kMaxBatch = 64;

absl::Status ReaderBusy() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
                  "too many matches wait to be read; try again later",
                  {{"queue", "reader"}, {"limit", absl::StrCat(kMaxAskedReads)}}),
      absl::Seconds(1));
}

}  // namespace

absl::StatusOr<RecordedMatch> ReadWhole(MatchStore& store, const auth::Sealer& sealer,
                                        const std::string& match_id) {
  NAVAL_ASSIGN_OR_RETURN(const auto stored, store.Load({&match_id, 1}, LogPart::kAll));
  NAVAL_RETURN_IF_ERROR(stored.front().status());
  return RecordedMatch::FromStored(*stored.front(), sealer);
}

MatchReader::MatchReader(MatchStore& store, const auth::Sealer& sealer, const Ownership& ownership,
                         MatchObserver& observer, Done done)
    : store_(store),
      sealer_(sealer),
      ownership_(ownership),
      observer_(observer),
      done_(std::move(done)),
      threads_({.name = "reader", .threads = kThreads, .max_queued = kThreads}) {}

absl::Status MatchReader::Read(const std::string& match_id, Reason reason) {
  base::MutexLock lock(mutex_);
  if (stopped_) return ShuttingDown();
  const Queue& asked = queues_.at(static_cast<size_t>(Reason::kAsked));
  if (reason == Reason::kAsked && asked.size() >= kMaxAskedReads) return ReaderBusy();
  Enqueue(match_id, reason);
  if (working_ == kThreads) return absl::OkStatus();
  ++working_;
  // Under the lock, so that Stop comes before both or after both.
  NAVAL_CHECK(threads_.Submit([this] { Work(); }).ok());
  return absl::OkStatus();
}

void MatchReader::Hurry(const std::string& match_id) {
  base::MutexLock lock(mutex_);
  if (reasons_.contains(match_id)) Enqueue(match_id, Reason::kAsked);
}

void MatchReader::Enqueue(const std::string& match_id, Reason reason) {
  reasons_[match_id] = reason;
  queues_.at(static_cast<size_t>(reason)).push_back(match_id);
}

size_t MatchReader::queued() const {
  base::MutexLock lock(mutex_);
  return reasons_.size();
}

void MatchReader::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
  }
  threads_.Stop();
}

void MatchReader::Work() {
  while (true) {
    const std::vector<std::string> match_ids = TakeBatch();
    if (match_ids.empty()) return;
    ReadBatch(match_ids);
  }
}

std::vector<std::string> MatchReader::TakeBatch() {
  base::MutexLock lock(mutex_);
  std::vector<std::string> match_ids;
  for (const Reason reason : {Reason::kAsked, Reason::kDue}) {
    Queue& queue = queues_.at(static_cast<size_t>(reason));
    while (!queue.empty() && match_ids.size() < kMaxBatch) {
      const auto it = reasons_.find(queue.front());
      if (it != reasons_.end() && it->second == reason) {
        reasons_.erase(it);
        match_ids.push_back(std::move(queue.front()));
      }
      queue.pop_front();
    }
  }
  if (match_ids.empty()) --working_;
  return match_ids;
}

void MatchReader::ReadBatch(const std::vector<std::string>& match_ids) {
  std::vector<std::string> owned;
  std::vector<int64_t> epochs;
  for (const std::string& match_id : match_ids) {
    // Before the match, which then is as the owner before left it or newer.
    const std::optional<int64_t> epoch = ownership_.Confirmed(PartitionOf(match_id));
    if (!epoch.has_value()) {
      done_(match_id, NotOwner());
      continue;
    }
    owned.push_back(match_id);
    epochs.push_back(*epoch);
  }
  if (owned.empty()) return;
  const auto stored = Load(owned);
  for (size_t i = 0; i < owned.size(); ++i) {
    // What was not there may be by now, if another process owned it meanwhile.
    const bool open = absl::IsNotFound(stored[i].status()) &&
                      !ownership_.Confirms(PartitionOf(owned[i]), epochs[i]);
    done_(owned[i], open ? NotOwner() : Decode(stored[i], epochs[i]));
  }
}

std::vector<absl::StatusOr<StoredMatch>> MatchReader::Load(
    const std::vector<std::string>& match_ids) {
  auto stored = store_.Load(match_ids, LogPart::kSinceSnapshot);
  if (stored.ok()) return *std::move(stored);
  if (match_ids.size() == 1 || IsOfTheStore(stored.status())) {
    return std::vector<absl::StatusOr<StoredMatch>>(match_ids.size(), stored.status());
  }
  // One of them may be at fault.
  std::vector<absl::StatusOr<StoredMatch>> each;
  for (const std::string& match_id : match_ids) each.push_back(Load({match_id}).front());
  return each;
}

absl::StatusOr<RecordedMatch> MatchReader::ToMatch(const StoredMatch& stored) {
  auto match = RecordedMatch::FromStored(stored, sealer_);
  if (match.ok() || !stored.snapshot.has_value()) return match;
  base::Log(base::LogLevel::kWarning, "snapshot_unreadable",
            {{"match_id", stored.match_id}, {"status", match.status()}});
  observer_.SnapshotUnreadable();
  return ReadWhole(store_, sealer_, stored.match_id);
}

absl::StatusOr<ReadMatch> MatchReader::Decode(const absl::StatusOr<StoredMatch>& stored,
                                              int64_t epoch) {
  NAVAL_RETURN_IF_ERROR(stored.status());
  absl::StatusOr<RecordedMatch> match = ToMatch(*stored);
  if (absl::IsDataLoss(match.status())) observer_.MatchUnreadable();
  NAVAL_RETURN_IF_ERROR(match.status());
  return ReadMatch{
      .match = *std::move(match), .epoch = epoch, .ownerless_duration = stored->ownerless_duration};
}

}  // namespace naval::match
