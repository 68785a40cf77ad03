#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"
#include "services/match/match_observer.h"
#include "services/match/match_store.h"

namespace naval::match {

// Delivers what one other service has to learn of matches, at least once and in any order, however
// often this process or the other one dies. What is due is claimed many at a time, sent one by one
// and marked as delivered together: what was sent but not marked is sent again. A message that
// could not be delivered is tried again after 2 s, then 4 s, up to 32 s; nothing is ever given up.
// Several processes may deliver side by side.
class Outbox {
 public:
  // Sends one message; OK means that the other service has it for good. Blocks, for a few seconds
  // at most.
  using Send = std::function<absl::Status(const std::string& body)>;

  // `store`, `clock` and `observer` must outlive the outbox.
  Outbox(Destination destination, MatchStore& store, base::Clock& clock, Send send,
         MatchObserver& observer);
  // As Stop().
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  // Begins to deliver, on a thread of its own.
  void Start();

  // There may be something new. Never blocks.
  void Wake() NAVAL_EXCLUDES(mutex_);

  // Begins no further delivery. Never blocks.
  void Drain() NAVAL_EXCLUDES(mutex_);

  // As Drain, and returns when a delivery in progress has ended.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  void Run() NAVAL_EXCLUDES(mutex_);
  // Tells how much is left, now and then.
  void TellBacklog();
  // Whether more may be due.
  bool DeliverDue();
  // What became of claimed messages.
  struct Sent {
    std::vector<ClaimedMessage> delivered;
    int tried = 0;
    // The other service is.
    bool away = false;
  };
  Sent SendAll(const std::vector<ClaimedMessage>& messages, absl::Time claim_end);
  absl::Status Deliver(const ClaimedMessage& message);
  bool stopped() NAVAL_EXCLUDES(mutex_);
  // Returns false when it is time to stop.
  bool WaitForWork(bool more_is_due) NAVAL_EXCLUDES(mutex_);

  const Destination destination_;
  MatchStore& store_;
  base::Clock& clock_;
  const Send send_;
  MatchObserver& observer_;
  // Its thread's own. How many messages it claims: as many as there was time for, and one to find
  // out whether the other service is back, for one that is claimed and not sent waits the longer.
  int batch_;
  absl::Time next_backlog_time_ = absl::InfinitePast();
  base::Mutex mutex_;
  base::CondVar changed_;
  bool woken_ NAVAL_GUARDED_BY(mutex_) = true;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  base::Thread thread_;
};

}  // namespace naval::match
