#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/rules/event.h"
#include "lib/rules/view.h"
#include "services/match/match_store.h"

namespace naval::match {

// Why a stream was ended before its match.
enum class StreamCut {
  // Its reader is too slow.
  kSlowReader,
  // It is kMaxStreamAge old.
  kAge,
  // It resumed too far behind, and begins anew from where it was brought to.
  kBehind,
  // The match was lost from memory.
  kMatchLost,
  // The process stops.
  kDraining,
};

// What became of a call that was about a match of another process.
enum class ForwardOutcome {
  // The owner answered, whatever it said.
  kAnswered,
  // It was none.
  kNotOwner,
  // It did not answer.
  kUnreachable,
  // The caller did not wait.
  kCancelled,
  // The stream was told to reconnect: the match moved, or this process stops.
  kReconnected,
  // It came from another process already, and was refused.
  kSecondHop,
};

// Is told what happens in the matches, to count it: the core knows no metrics. Does nothing by
// itself. Called on any thread, under the lock of a match too; must not block. Thread safe.
class MatchObserver {
 public:
  virtual ~MatchObserver() = default;

  // A command's events were made durable, this long after it was decided.
  virtual void Committed(const std::vector<rules::Event>& /*events*/, absl::Duration /*took*/) {}

  // The journal wrote this many appends in one transaction, which took this long and may have
  // failed.
  virtual void BatchWritten(std::size_t /*appends*/, absl::Duration /*took*/) {}

  // A batch of several failed, perhaps because of one, and is written again one by one.
  virtual void BatchSplit() {}

  // An append was refused because too many wait.
  virtual void AppendRefused() {}

  // A command's row was not made durable, or it is not known; the match is read anew.
  virtual void MatchLost() {}

  // A match cannot be read: its log is damaged.
  virtual void MatchUnreadable() {}

  // Snapshots were written, or given up: there were too many, or the store failed.
  virtual void SnapshotsWritten(std::size_t /*snapshots*/) {}
  virtual void SnapshotsPassedOver(std::size_t /*snapshots*/) {}

  // A snapshot cannot be read; the match was read from its whole log.
  virtual void SnapshotUnreadable() {}

  // The end of a clock took effect this long after it.
  virtual void ClockEnded(absl::Duration /*lateness*/) {}

  // A command was refused because too many of its player waited.
  virtual void CommandRefused() {}

  // A stream was opened; a stream that was is gone.
  virtual void StreamOpened(rules::Viewer /*viewer*/) {}
  virtual void StreamClosed(rules::Viewer /*viewer*/) {}
  virtual void StreamEndedEarly(StreamCut /*reason*/) {}

  // A call about a match of another process has ended.
  virtual void CallForwarded(ForwardOutcome /*outcome*/) {}

  // A message was taken by the other service, or was not and is tried again.
  virtual void MessageSent(Destination /*destination*/, const absl::Status& /*status*/) {}

  // What is not delivered as yet; an error when that is not known now.
  virtual void BacklogRead(Destination /*destination*/, const absl::StatusOr<Backlog>& /*backlog*/,
                           absl::Time /*now*/) {}
};

}  // namespace naval::match
