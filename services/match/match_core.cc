#include "services/match/match_core.h"

#include <utility>

#include "lib/base/status_macros.h"

namespace naval::match {

MatchCore::MatchCore(const Ground& ground, Options options)
    : lobby_outbox_(Destination::kLobby, ground.store, ground.clock,
                    std::move(options.send_to_lobby), ground.observer),
      ranking_outbox_(Destination::kRanking, ground.store, ground.clock,
                      std::move(options.send_to_ranking), ground.observer),
      answers_({.name = "answers", .threads = 2, .max_queued = 4096}),
      loader_({.name = "loader", .threads = 2, .max_queued = 1024}),
      whole_reader_({.name = "whole_reader", .threads = 1, .max_queued = 256}),
      journal_(ground.store, answers_, ground.machine_clock, ground.observer, {}),
      timers_(ground.clock),
      snapshots_(ground.store, ground.machine_clock, ground.observer),
      ownership_(ground.store, ground.machine_clock, std::move(options.owner),
                 std::move(options.peer_address)),
      context_{.clock = ground.clock,
               .random = ground.random,
               .sealer = ground.sealer,
               .journal = journal_,
               .timers = timers_,
               .snapshots = snapshots_,
               .ownership = ownership_,
               .read_whole =
                   [this, &store = ground.store, &sealer = ground.sealer,
                    &observer = ground.observer](const std::string& match_id, WholeRead done) {
                     const absl::Status submitted =
                         whole_reader_.Submit([&store, &sealer, &observer, match_id, done] {
                           const auto whole = ReadWhole(store, sealer, match_id);
                           if (absl::IsDataLoss(whole.status())) observer.MatchUnreadable();
                           done(whole);
                         });
                     if (!submitted.ok()) done(submitted);
                   },
               .wake_outbox =
                   [this](Destination destination) {
                     (destination == Destination::kLobby ? lobby_outbox_ : ranking_outbox_).Wake();
                   },
               .observer = ground.observer,
               .bots_pause = options.bots_pause},
      matches_(ground.store, loader_, context_, options.max_matches) {}

absl::Status MatchCore::Start(std::function<void(int partition)> moved) {
  NAVAL_RETURN_IF_ERROR(
      ownership_.Start({.acquired = [this](int partition) { matches_.OnAcquired(partition); },
                        .lost = [this](int partition) { matches_.OnLost(partition); },
                        .moved = std::move(moved)}));
  NAVAL_RETURN_IF_ERROR(matches_.Recover());
  snapshots_.Start();
  lobby_outbox_.Start();
  ranking_outbox_.Start();
  return absl::OkStatus();
}

void MatchCore::Drain() {
  // First the matches, while the store may still be used freely; then the streams are told to
  // reconnect, to whoever takes them.
  ownership_.Drain();
  matches_.Drain();
  // Their last calls may take a while: both at the same time as those of the clients.
  lobby_outbox_.Drain();
  ranking_outbox_.Drain();
}

MatchCore::~MatchCore() { Stop(); }

// Sources of work first, then what the work runs on, so that everything accepted is finished.
void MatchCore::Stop() {
  timers_.Stop();
  ownership_.Stop();
  matches_.Stop();
  loader_.Stop();
  whole_reader_.Stop();
  journal_.Stop();
  answers_.Stop();
  snapshots_.Stop();
  lobby_outbox_.Stop();
  ranking_outbox_.Stop();
}

std::vector<const base::Executor*> MatchCore::executors() const {
  return {&answers_, &loader_, &whole_reader_, &journal_.writer()};
}

}  // namespace naval::match
