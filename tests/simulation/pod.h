#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/auth/sealer.h"
#include "lib/base/executor.h"
#include "lib/base/random.h"
#include "lib/base/thread.h"
#include "services/match/match_core.h"
#include "services/match/unsent_messages.h"
#include "services/match/watchers.h"
#include "tests/simulation/database.h"
#include "tests/simulation/fibers.h"
#include "tests/simulation/referee.h"

namespace naval::simulation {

template <typename T>
using Reply = std::function<void(absl::StatusOr<T>)>;

// Nothing to tell but that it worked.
struct Done {};

// A stream as the process that serves it sees it: what is pushed is checked at once and handed on
// in order when it is flushed, unless its reader stalls: then it waits, in what a WatchStream keeps
// it in.
class ServedStream final : public match::Watcher,
                           public std::enable_shared_from_this<ServedStream> {
 public:
  // Messages in their order, and how it ended if it did.
  using Receive =
      std::function<void(std::vector<match::WatchMessage>, std::optional<absl::Status>)>;

  ServedStream(bool events_together,
               std::function<void(const match::v1::WatchMatchResponse&)> check, Receive receive)
      : events_together_(events_together), check_(std::move(check)), receive_(std::move(receive)) {}

  bool events_together() const override { return events_together_; }
  bool Push(match::WatchMessage message) override;
  void End(const absl::Status& status) override;
  void Flush() override;

  // The connection is gone: nothing arrives any more, whatever is pushed.
  void Break() { broken_ = true; }
  bool broken() const { return broken_; }
  // The reader takes nothing until it goes on.
  void Stall() { stalled_ = true; }
  void GoOn();
  bool stalled() const { return stalled_; }
  // Where it is served; set when it was opened.
  std::weak_ptr<match::LiveMatch> match;
  // A process was asked to open it: a request for it that arrives twice opens one stream.
  bool asked = false;

 private:
  const bool events_together_;
  const std::function<void(const match::v1::WatchMatchResponse&)> check_;
  const Receive receive_;
  bool broken_ = false;
  bool stalled_ = false;
  // Something was handed on.
  bool begun_ = false;
  bool ended_ = false;
  // Its end was handed on.
  bool finished_ = false;
  match::UnsentMessages unsent_;
  std::size_t waiting_ = 0;
};

// Every snapshot that was kept can be read.
class SnapshotObserver final : public match::MatchObserver {
 public:
  void SnapshotUnreadable() override;
};

// A process of the match service: the core of the real one, on a host of its own. What gRPC is to
// the real one is here an executor that runs the calls.
class Pod {
 public:
  struct Ground {
    Fibers& fibers;
    Database& database;
    Referee& referee;
    const auth::Sealer& sealer;
    match::Outbox::Send send_to_lobby;
    match::Outbox::Send send_to_ranking;
    // The matches of a partition are not any more where it handed calls on to.
    std::function<void(int partition)> moved;
    bool bots_pause = true;
    Release release = Release::kThis;
    // How far its clock is off. A SystemClock reads the wall clock once and goes on by the steady
    // one: that the wall clock was stepped is seen by the next process alone.
    absl::Duration clock_error = absl::ZeroDuration();
  };

  // Starts to start. `owner` as MatchCore has it.
  Pod(const Ground& ground, std::string owner, std::uint64_t seed);
  // It has ended.
  ~Pod();

  // It takes calls.
  bool serving() const { return serving_ && !dead_; }
  bool dead() const { return dead_; }
  bool ended() const { return ended_; }
  const std::string& owner() const { return owner_; }

  // To whom the process hands calls about the match on, as its Forwarder does; empty when it
  // answers them itself.
  std::string OwnerAddress(const std::string& match_id);
  // They were not answered there.
  void LookSoon();

  // From this moment nothing of it is seen any more. Its threads are cleared away out of sight.
  void Crash();
  // Gives its matches away, then ends.
  void Drain();
  void Pause();
  void Resume();
  bool paused() const { return paused_; }
  // Blocks until it has ended after Crash or Drain.
  void Join() { main_.Join(); }

  // Calls: answered by `reply` on a thread of this process, or never when it dies.
  void Create(const std::string& match_id, const match::log::v1::MatchCreated& created,
              Reply<Done> reply);
  void Send(const std::string& match_id, const std::string& account, const match::Request& request,
            Reply<std::vector<match::v1::MatchEvent>> reply);
  void Get(const std::string& match_id, const std::string& account, Reply<match::v1::Match> reply);
  void Watch(const std::string& match_id, const std::string& account,
             std::optional<std::int64_t> after_seq, const std::shared_ptr<ServedStream>& stream,
             Reply<Done> reply);
  // The server finds out that the stream is gone.
  void Unwatch(const std::shared_ptr<ServedStream>& stream);

 private:
  void Main();
  bool Start();
  void WaitForEnd();
  // Nobody reads from it what may be out of date.
  void RequireOwner(const std::string& match_id) const;
  template <typename T>
  void Submit(Reply<T> reply, std::function<void(Reply<T>)> call);

  const Ground ground_;
  const std::string owner_;
  const Fibers::Host host_;
  base::SeededRandom random_;
  FiberClock clock_;
  Connection connection_;
  SnapshotObserver observer_;
  std::unique_ptr<match::MatchCore> core_;
  std::unique_ptr<base::Executor> calls_;
  bool serving_ = false;
  bool dead_ = false;
  bool ended_ = false;
  bool draining_ = false;
  bool paused_ = false;
  base::Mutex mutex_;
  base::CondVar told_to_end_;
  base::Thread main_;
};

}  // namespace naval::simulation
