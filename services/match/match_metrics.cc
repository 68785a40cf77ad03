#include "services/match/match_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>

#include "lib/metrics/families.h"

namespace naval::match {
namespace {

using metrics::Counters;
using metrics::Gauges;
using metrics::Histograms;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;
using prometheus::Registry;

// One metric of a family for each value of an enum, in its order; all with the labels `labels`
// besides.
template <typename Metric, std::size_t size>
std::array<Metric*, size> Each(Family<Metric>& family, const char* label,
                               const std::array<const char*, size>& values, Labels labels = {}) {
  std::array<Metric*, size> metrics;
  for (std::size_t i = 0; i < size; ++i) {
    labels[label] = values[i];
    metrics[i] = &family.Add(labels);
  }
  return metrics;
}

template <typename Metric, std::size_t size, typename Enum>
Metric& At(const std::array<Metric*, size>& metrics, Enum value) {
  return *metrics.at(static_cast<std::size_t>(value));
}

// In the order of rules::ShotResult and of rules::EndReason.
constexpr std::array<const char*, 4> kShotResults = {"water", "hit", "sunk", "unknown"};
constexpr std::array<const char*, 9> kEndReasons = {
    "fleet_destroyed", "resigned", "timed_out",   "illegal_fleet", "turn_skipped",
    "absence_claimed", "idle",     "both_absent", "aborted"};
static_assert(kShotResults.size() == static_cast<std::size_t>(rules::ShotResult::kUnknown) + 1);
static_assert(kEndReasons.size() == static_cast<std::size_t>(rules::EndReason::kAborted) + 1);
constexpr std::array<const char*, 2> kDestinations = {"lobby", "ranking"};
constexpr std::array<const char*, 5> kStreamCuts = {"slow_reader", "age", "behind", "match_lost",
                                                    "draining"};
constexpr std::array<const char*, 6> kForwardOutcomes = {"answered",  "not_owner",   "unreachable",
                                                         "cancelled", "reconnected", "second_hop"};
static_assert(kForwardOutcomes.size() == static_cast<std::size_t>(ForwardOutcome::kSecondHop) + 1);

// The promise is 0.25 s: what lies above that bucket breaks it.
const Histogram::BucketBoundaries kLatenessBuckets = {0.005, 0.01, 0.025, 0.05, 0.1,
                                                      0.25,  0.5,  1,     5,    30};
const Histogram::BucketBoundaries kEventsBuckets = {1, 2, 3, 4, 6, 8};
const Histogram::BucketBoundaries kBatchBuckets = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

}  // namespace

struct MatchMetrics::Metrics {
  explicit Metrics(Registry& where) : registry(where) {}

  Registry& registry;

  Gauge& live_matches =
      Gauges(
          registry, "naval_live_matches",
          "Matches in memory: all in which something happens within minutes, and those that were "
          "used within one. At the limit of the process (TOO_MANY_MATCHES) new ones are refused.")
          .Add({});

  Gauge& queued_reads =
      Gauges(registry, "naval_queued_reads",
             "Matches that wait to be read from Postgres: tens of thousands for seconds after a "
             "crash. At 4096 that players wait for, more are refused.")
          .Add({});

  Gauge& partitions =
      Gauges(
          registry, "naval_owned_partitions",
          "Partitions of all matches, of 64, that this process owns. Over all processes they are "
          "64, in even shares; fewer means matches that nobody plays (NOT_OWNER), for a moment "
          "when "
          "they move and for 10 s when one died. More "
          "for a while: one was frozen and does not know yet.")
          .Add({});
  std::array<Gauge*, 2> streams =
      Each(Gauges(registry, "naval_streams", "Open WatchMatch streams, by whose eyes they have."),
           "viewer", std::array<const char*, 2>{"player", "spectator"});
  std::array<Counter*, kStreamCuts.size()> streams_cut =
      Each(Counters(registry, "naval_streams_cut_total",
                    "Streams that were ended before their match, whose readers come again. "
                    "slow_reader and behind: the reader does not keep up. match_lost: see "
                    "naval_matches_lost_total. age and draining are ordinary."),
           "reason", kStreamCuts);

  std::array<Counter*, kForwardOutcomes.size()> forwarded =
      Each(Counters(registry, "naval_forwarded_calls_total",
                    "Calls and streams about matches of another process that were handed on to it, "
                    "by what became of them; gRPC's metrics count them in both. not_owner: for a "
                    "moment, while partitions move. unreachable: it is dead, frozen or cut off "
                    "from this one. second_hop: it was sent here by a process that knows less."),
           "outcome", kForwardOutcomes);

  Family<Counter>& shot_family =
      Counters(registry, "naval_shots_total",
               "Shots fired, by what they met (unknown: the shots of volleys, of which nobody is "
               "told before the end) and who fired: a player (or a bot), or the clock for a player "
               "who let it run out.");
  std::array<Counter*, kShotResults.size()> shots_by_player =
      Each(shot_family, "result", kShotResults, {{"by", "player"}});
  std::array<Counter*, kShotResults.size()> shots_by_clock =
      Each(shot_family, "result", kShotResults, {{"by", "clock"}});

  std::array<Counter*, kEndReasons.size()> ended =
      Each(Counters(registry, "naval_matches_ended_total", "Matches that ended, by how."), "reason",
           kEndReasons);
  std::array<Counter*, 2> time_outs =
      Each(Counters(registry, "naval_time_outs_total",
                    "Clocks that ended, by their kind. A rise beyond that of shots means players "
                    "who cannot reach us."),
           "clock", std::array<const char*, 2>{"placement", "shot"});
  Histogram& lateness =
      Histograms(registry, "naval_clock_lateness_seconds",
                 "How long after its end a clock took effect. The promise is 0.25 s; more means "
                 "a process without processor time, or one that was just started anew.")
          .Add({}, kLatenessBuckets);

  Histogram& commits =
      Histograms(registry, "naval_commit_seconds",
                 "From the decision of a command until it was durable: a player waits for it.")
          .Add({}, metrics::kTransactionBuckets);
  Histogram& events =
      Histograms(registry, "naval_commit_events", "Events that were made durable with one command.")
          .Add({}, kEventsBuckets);
  Gauge& queued =
      Gauges(registry, "naval_journal_queued_appends",
             "Commands that are decided and wait for the transaction before theirs. At 4096 more "
             "are refused; thousands mean that Postgres does not keep up.")
          .Add({});
  Histogram& batch_appends =
      Histograms(registry, "naval_journal_batch_appends",
                 "Commands that one transaction made durable. It grows with the load: at 512, "
                 "the most it takes, the journal is at its limit.")
          .Add({}, kBatchBuckets);
  Histogram& batch_seconds =
      Histograms(registry, "naval_journal_batch_seconds",
                 "How long such a transaction took. Slow ones with few commands: the disk or the "
                 "network of Postgres.")
          .Add({}, metrics::kTransactionBuckets);
  Counter& split = Counters(registry, "naval_journal_split_batches_total",
                            "Transactions that failed, perhaps because of one command, and were "
                            "done again command by command: look for batch_split in the log.")
                       .Add({});
  Counter& append_refused =
      Counters(registry, "naval_journal_refused_appends_total",
               "Commands that were refused with SERVER_BUSY because too many waited to be stored.")
          .Add({});

  Counter& lost = Counters(registry, "naval_matches_lost_total",
                           "Matches dropped from memory because a commit failed or its outcome is "
                           "not known; each is read anew. Postgres is away or slow.")
                      .Add({});
  Counter& unreadable =
      Counters(
          registry, "naval_matches_unreadable_total",
          "Times that a match could not be read because its log is damaged, or sealed with a "
          "key that --sealing_key_file lacks (DATA_LOSS). Its players cannot go on, the others "
          "can: look for match_damaged and DATA_LOSS in the log, and keep the rows.")
          .Add({});
  Family<Counter>& snapshot_family =
      Counters(registry, "naval_snapshots_total",
               "Snapshots of matches, by what became of them. passed_over: not written, because "
               "Postgres was away or slow. unreadable: found so, and the match read from its whole "
               "log (look for snapshot_unreadable in the log). Both cost but time when matches are "
               "read.");
  Counter& snapshots_written = snapshot_family.Add({{"outcome", "written"}});
  Counter& snapshots_passed_over = snapshot_family.Add({{"outcome", "passed_over"}});
  Counter& snapshots_unreadable = snapshot_family.Add({{"outcome", "unreadable"}});
  Counter& refused = Counters(registry, "naval_commands_refused_total",
                              "Commands that were refused with MATCH_BUSY because too many of "
                              "their player waited: a client that does not wait for answers.")
                         .Add({});

  std::array<Gauge*, 2> backlog =
      Each(Gauges(registry, "naval_outbox_messages",
                  "Messages to another service that are not delivered, read every 5 s. They are "
                  "kept and tried again without end; a rise means that service is away. NaN: "
                  "Postgres cannot be asked."),
           "destination", kDestinations);
  std::array<Gauge*, 2> oldest =
      Each(Gauges(registry, "naval_outbox_oldest_message_age_seconds",
                  "Age of the oldest message that is not delivered, 0 without one; NaN as above. "
                  "Until it is, tables look busy (lobby) or a rating is not counted (ranking)."),
           "destination", kDestinations);
  Family<Counter>& delivery_family =
      Counters(registry, "naval_outbox_deliveries_total",
               "Attempts to deliver a message, by whether the other service took it.");
  std::array<Counter*, 2> delivered =
      Each(delivery_family, "destination", kDestinations, {{"outcome", "ok"}});
  std::array<Counter*, 2> undelivered =
      Each(delivery_family, "destination", kDestinations, {{"outcome", "failed"}});
};

MatchMetrics::MatchMetrics() : metrics_(std::make_unique<Metrics>(registry())) {}

MatchMetrics::~MatchMetrics() = default;

void MatchMetrics::ReadFrom(const LiveMatches& matches, const Journal& journal,
                            const Ownership& ownership, Sources sources) {
  matches_ = &matches;
  journal_ = &journal;
  ownership_ = &ownership;
  ServiceMetrics::ReadFrom(std::move(sources));
}

void MatchMetrics::ReadPresent() const {
  metrics_->live_matches.Set(static_cast<double>(matches_->size()));
  metrics_->partitions.Set(static_cast<double>(ownership_->size()));
  metrics_->queued.Set(static_cast<double>(journal_->queued()));
  metrics_->queued_reads.Set(static_cast<double>(matches_->reader().queued()));
}

void MatchMetrics::Committed(const std::vector<rules::Event>& events, absl::Duration took) {
  metrics_->commits.Observe(absl::ToDoubleSeconds(took));
  metrics_->events.Observe(static_cast<double>(events.size()));
  for (const rules::Event& event : events) {
    if (const auto* shot = std::get_if<rules::ShotFired>(&event)) {
      const auto& shots = shot->by_clock ? metrics_->shots_by_clock : metrics_->shots_by_player;
      At(shots, shot->impact.result).Increment();
    } else if (const auto* volley = std::get_if<rules::VolleyFired>(&event)) {
      const auto& shots = volley->by_clock ? metrics_->shots_by_clock : metrics_->shots_by_player;
      At(shots, rules::ShotResult::kUnknown).Increment(volley->squares.size());
    } else if (const auto* confirmed = std::get_if<rules::FleetConfirmed>(&event)) {
      if (confirmed->by_clock) metrics_->time_outs[0]->Increment();
    } else if (std::holds_alternative<rules::ClockRanOut>(event)) {
      metrics_->time_outs[1]->Increment();
    } else if (const auto* end = std::get_if<rules::MatchEnded>(&event)) {
      At(metrics_->ended, end->reason).Increment();
    }
  }
}

void MatchMetrics::BatchWritten(std::size_t appends, absl::Duration took) {
  metrics_->batch_appends.Observe(static_cast<double>(appends));
  metrics_->batch_seconds.Observe(absl::ToDoubleSeconds(took));
}

void MatchMetrics::BatchSplit() { metrics_->split.Increment(); }
void MatchMetrics::AppendRefused() { metrics_->append_refused.Increment(); }
void MatchMetrics::MatchLost() { metrics_->lost.Increment(); }
void MatchMetrics::MatchUnreadable() { metrics_->unreadable.Increment(); }

void MatchMetrics::SnapshotsWritten(std::size_t snapshots) {
  metrics_->snapshots_written.Increment(static_cast<double>(snapshots));
}

void MatchMetrics::SnapshotsPassedOver(std::size_t snapshots) {
  metrics_->snapshots_passed_over.Increment(static_cast<double>(snapshots));
}

void MatchMetrics::SnapshotUnreadable() { metrics_->snapshots_unreadable.Increment(); }

void MatchMetrics::ClockEnded(absl::Duration lateness) {
  metrics_->lateness.Observe(absl::ToDoubleSeconds(lateness));
}

void MatchMetrics::CommandRefused() { metrics_->refused.Increment(); }

void MatchMetrics::StreamOpened(rules::Viewer viewer) {
  metrics_->streams[viewer == rules::Viewer::kSpectator ? 1 : 0]->Increment();
}

void MatchMetrics::StreamClosed(rules::Viewer viewer) {
  metrics_->streams[viewer == rules::Viewer::kSpectator ? 1 : 0]->Decrement();
}

void MatchMetrics::StreamEndedEarly(StreamCut reason) {
  At(metrics_->streams_cut, reason).Increment();
}

void MatchMetrics::CallForwarded(ForwardOutcome outcome) {
  At(metrics_->forwarded, outcome).Increment();
}

void MatchMetrics::MessageSent(Destination destination, const absl::Status& status) {
  At(status.ok() ? metrics_->delivered : metrics_->undelivered, destination).Increment();
}

void MatchMetrics::BacklogRead(Destination destination, const absl::StatusOr<Backlog>& backlog,
                               absl::Time now) {
  double messages = std::numeric_limits<double>::quiet_NaN();
  double oldest = messages;
  if (backlog.ok()) {
    messages = static_cast<double>(backlog->messages);
    oldest = absl::ToDoubleSeconds(now - backlog->oldest.value_or(now));
  }
  At(metrics_->backlog, destination).Set(messages);
  At(metrics_->oldest, destination).Set(oldest);
}

}  // namespace naval::match
