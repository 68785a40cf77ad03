#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lib/metrics/service_metrics.h"
#include "services/match/journal.h"
#include "services/match/live_matches.h"
#include "services/match/match_observer.h"
#include "services/match/ownership.h"

namespace naval::match {

// All metrics of the match service; each one's HELP, in match_metrics.cc, says what it means to
// whoever is on call. Thread safe.
class MatchMetrics final : public MatchObserver, public metrics::ServiceMetrics {
 public:
  MatchMetrics();
  ~MatchMetrics() override;

  // All must live as long as pages are collected.
  void ReadFrom(const LiveMatches& matches, const Journal& journal, const Ownership& ownership,
                Sources sources);

  void Committed(const std::vector<rules::Event>& events, absl::Duration took) override;
  void BatchWritten(std::size_t appends, absl::Duration took) override;
  void BatchSplit() override;
  void AppendRefused() override;
  void MatchLost() override;
  void MatchUnreadable() override;
  void SnapshotsWritten(std::size_t snapshots) override;
  void SnapshotsPassedOver(std::size_t snapshots) override;
  void SnapshotUnreadable() override;
  void ClockEnded(absl::Duration lateness) override;
  void CommandRefused() override;
  void StreamOpened(rules::Viewer viewer) override;
  void StreamClosed(rules::Viewer viewer) override;
  void StreamEndedEarly(StreamCut reason) override;
  void CallForwarded(ForwardOutcome outcome) override;
  void MessageSent(Destination destination, const absl::Status& status) override;
  void BacklogRead(Destination destination, const absl::StatusOr<Backlog>& backlog,
                   absl::Time now) override;

 private:
  struct Metrics;

  void ReadPresent() const override;

  const std::unique_ptr<Metrics> metrics_;
  const LiveMatches* matches_ = nullptr;
  const Journal* journal_ = nullptr;
  const Ownership* ownership_ = nullptr;
};

}  // namespace naval::match
