#include "services/match/snapshot_writer.h"

#include <utility>

#include "lib/base/log.h"

namespace naval::match {
namespace {

// So long it gathers. A process that crashes loses the snapshots of that time.
constexpr absl::Duration kGatherDuration = absl::Milliseconds(500);
// What one statement takes.
constexpr std::size_t kMaxBatch = 256;

}  // namespace

SnapshotWriter::SnapshotWriter(MatchStore& store, base::Clock& clock, MatchObserver& observer)
    : store_(store), clock_(clock), observer_(observer) {}

SnapshotWriter::~SnapshotWriter() { Stop(); }

void SnapshotWriter::Start() {
  thread_ = base::Thread("snapshots", [this] { Run(); });
}

void SnapshotWriter::Keep(Snapshot snapshot) { Queue(std::move(snapshot)); }

void SnapshotWriter::Drop(const std::string& match_id) { Queue({.match_id = match_id}); }

void SnapshotWriter::Queue(Snapshot snapshot) {
  base::MutexLock lock(mutex_);
  if (queue_.size() >= kMaxQueuedSnapshots && !queue_.contains(snapshot.match_id)) {
    return observer_.SnapshotsPassedOver(1);
  }
  if (queue_.empty()) changed_.NotifyOne();
  queue_[snapshot.match_id] = std::move(snapshot);
}

void SnapshotWriter::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyOne();
  }
  thread_.Join();
}

void SnapshotWriter::Run() {
  while (WaitForWork()) {
    for (Batch batch = TakeBatch(); !batch.kept.empty() || !batch.dropped.empty();
         batch = TakeBatch()) {
      Write(batch);
    }
  }
}

bool SnapshotWriter::WaitForWork() {
  base::MutexLock lock(mutex_);
  while (!stopped_ && queue_.empty()) {
    clock_.WaitUntil(changed_, mutex_, absl::InfiniteFuture());
  }
  const absl::Time end = clock_.Now() + kGatherDuration;
  while (!stopped_ && !clock_.WaitUntil(changed_, mutex_, end)) continue;
  return !stopped_;
}

SnapshotWriter::Batch SnapshotWriter::TakeBatch() {
  base::MutexLock lock(mutex_);
  Batch batch;
  while (!stopped_ && !queue_.empty() && batch.kept.size() + batch.dropped.size() < kMaxBatch) {
    Snapshot next = std::move(queue_.extract(queue_.begin()).mapped());
    if (next.body.empty()) {
      batch.dropped.push_back(std::move(next.match_id));
    } else {
      batch.kept.push_back(std::move(next));
    }
  }
  return batch;
}

void SnapshotWriter::Write(const Batch& batch) {
  absl::Status status;
  if (!batch.kept.empty()) status = store_.KeepSnapshots(batch.kept);
  if (!batch.dropped.empty()) status.Update(store_.DropSnapshots(batch.dropped));
  if (status.ok()) return observer_.SnapshotsWritten(batch.kept.size());
  observer_.SnapshotsPassedOver(batch.kept.size());
  base::Log(base::LogLevel::kWarning, "snapshots_not_written", {{"status", status}});
}

}  // namespace naval::match
