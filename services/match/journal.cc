#include "services/match/journal.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/log.h"
#include "services/match/refusals.h"

namespace naval::match {
namespace {

// A task for each outcome would wake its thread for each.
constexpr size_t kToldAtOnce = 8;

absl::Status JournalBusy(size_t limit) {
  return base::WithRetryDelay(base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
                                          "too many commands wait to be stored; try again later",
                                          {{"queue", "journal"}, {"limit", absl::StrCat(limit)}}),
                              absl::Seconds(1));
}

absl::Status TooLate() {
  return base::Error(absl::StatusCode::kUnavailable, "SERVER_BUSY",
                     "the command was not stored in time");
}

size_t BytesOf(const Append& append) {
  size_t bytes = append.row.body.size();
  for (const OutboxMessage& message : append.messages) bytes += message.body.size();
  return bytes;
}

}  // namespace

Journal::Journal(MatchStore& store, base::Executor& answers, base::Clock& clock,
                 MatchObserver& observer, Options options)
    : store_(store),
      answers_(answers),
      clock_(clock),
      observer_(observer),
      options_(options),
      writer_({.name = "journal", .threads = 1, .max_queued = 1}) {}

absl::Status Journal::Submit(Append append, Done done) {
  base::MutexLock lock(mutex_);
  if (stopped_) return ShuttingDown();
  if (queue_.size() >= options_.max_queued) {
    observer_.AppendRefused();
    return JournalBusy(options_.max_queued);
  }
  queue_.push_back({std::move(append), std::move(done), clock_.Now()});
  // Under the lock, so that Stop comes before both or after both.
  if (!std::exchange(writing_, true)) NAVAL_CHECK(writer_.Submit([this] { Write(); }).ok());
  return absl::OkStatus();
}

size_t Journal::queued() const {
  base::MutexLock lock(mutex_);
  return queue_.size();
}

void Journal::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
  }
  writer_.Stop();
}

void Journal::Write() {
  while (true) {
    Batch batch = TakeBatch();
    if (!batch.late.empty()) {
      std::vector<absl::Status> too_late(batch.late.size(), TooLate());
      Tell(std::move(batch.late), std::move(too_late));
    }
    if (batch.appends.empty()) return;
    std::vector<absl::Status> outcomes = Store(batch.appends);
    Tell(std::move(batch.dones), std::move(outcomes));
  }
}

Journal::Batch Journal::TakeBatch() {
  base::MutexLock lock(mutex_);
  const absl::Time too_old = clock_.Now() - options_.max_wait;
  Batch batch;
  size_t bytes = 0;
  while (!queue_.empty() && batch.appends.size() < options_.max_batch_rows) {
    Queued& next = queue_.front();
    if (next.arrival_time < too_old) {
      batch.late.push_back(std::move(next.done));
    } else {
      bytes += BytesOf(next.append);
      if (bytes > options_.max_batch_bytes && !batch.appends.empty()) break;
      batch.appends.push_back(std::move(next.append));
      batch.dones.push_back(std::move(next.done));
    }
    queue_.pop_front();
  }
  if (batch.appends.empty()) writing_ = false;
  return batch;
}

std::vector<absl::Status> Journal::Store(const std::vector<Append>& appends) {
  const absl::Time begin = clock_.Now();
  absl::StatusOr<std::vector<absl::Status>> outcomes = store_.AppendRows(appends);
  observer_.BatchWritten(appends.size(), clock_.Now() - begin);
  if (outcomes.ok()) return *std::move(outcomes);
  if (appends.size() == 1 || IsOfTheStore(outcomes.status())) {
    return std::vector<absl::Status>(appends.size(), outcomes.status());
  }
  base::Log(base::LogLevel::kWarning, "batch_split",
            {{"appends", appends.size()}, {"status", outcomes.status()}});
  observer_.BatchSplit();
  return StoreOneByOne(appends);
}

std::vector<absl::Status> Journal::StoreOneByOne(const std::vector<Append>& appends) {
  std::vector<absl::Status> outcomes;
  outcomes.reserve(appends.size());
  for (const Append& append : appends) {
    // A store that went away meanwhile must not be waited for with each.
    if (!outcomes.empty() && IsOfTheStore(outcomes.back())) {
      outcomes.push_back(outcomes.back());
      continue;
    }
    const auto outcome = store_.AppendRows({&append, 1});
    outcomes.push_back(outcome.ok() ? outcome->front() : outcome.status());
  }
  return outcomes;
}

void Journal::Tell(std::vector<Done> dones, std::vector<absl::Status> outcomes) {
  for (size_t begin = 0; begin < dones.size(); begin += kToldAtOnce) {
    const size_t end = std::min(begin + kToldAtOnce, dones.size());
    // Shared, because a refused task is destroyed, and an outcome must never be lost.
    const auto told = std::make_shared<std::vector<std::pair<Done, absl::Status>>>();
    for (size_t i = begin; i < end; ++i) {
      told->emplace_back(std::move(dones[i]), std::move(outcomes[i]));
    }
    const auto tell = [told] {
      for (auto& [done, outcome] : *told) done(outcome);
    };
    if (!answers_.Submit(tell).ok()) tell();
  }
}

}  // namespace naval::match
