#include "services/match/outbox.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/base/log.h"

namespace naval::match {
namespace {

// Messages claimed at once at most.
constexpr int kMaxBatch = 20;
// The shortest that a claim lasts.
constexpr absl::Duration kRetryDelay = absl::Seconds(2);
// How often it looks for what another process left behind.
constexpr absl::Duration kPollInterval = absl::Seconds(1);
// How often it counts what is left.
constexpr absl::Duration kBacklogInterval = absl::Seconds(5);

}  // namespace

Outbox::Outbox(Destination destination, MatchStore& store, base::Clock& clock, Send send,
               MatchObserver& observer)
    : destination_(destination),
      store_(store),
      clock_(clock),
      send_(std::move(send)),
      observer_(observer),
      batch_(kMaxBatch) {}

Outbox::~Outbox() { Stop(); }

void Outbox::Start() {
  thread_ = base::Thread("outbox", [this] { Run(); });
}

void Outbox::Wake() {
  base::MutexLock lock(mutex_);
  woken_ = true;
  changed_.NotifyOne();
}

void Outbox::Drain() {
  base::MutexLock lock(mutex_);
  stopped_ = true;
  changed_.NotifyOne();
}

bool Outbox::stopped() {
  base::MutexLock lock(mutex_);
  return stopped_;
}

void Outbox::Stop() {
  Drain();
  thread_.Join();
}

void Outbox::Run() {
  bool more_is_due = false;
  while (WaitForWork(more_is_due)) {
    more_is_due = DeliverDue();
    TellBacklog();
  }
}

void Outbox::TellBacklog() {
  const absl::Time now = clock_.Now();
  if (now < next_backlog_time_ || stopped()) return;
  next_backlog_time_ = now + kBacklogInterval;
  const auto backlog = store_.ReadBacklog(destination_);
  observer_.BacklogRead(destination_, backlog, now);
  if (backlog.ok()) return;
  base::Log(base::LogLevel::kWarning, "outbox_not_read", {{"status", backlog.status()}});
}

bool Outbox::WaitForWork(bool more_is_due) {
  base::MutexLock lock(mutex_);
  const absl::Time next_poll = clock_.Now() + kPollInterval;
  while (!stopped_ && !woken_ && !more_is_due) {
    if (clock_.WaitUntil(changed_, mutex_, next_poll)) break;
  }
  woken_ = false;
  return !stopped_;
}

bool Outbox::DeliverDue() {
  const absl::Time now = clock_.Now();
  const int limit = batch_;
  const auto messages = store_.ClaimMessages(destination_, now, kRetryDelay, limit);
  if (!messages.ok()) {
    base::Log(base::LogLevel::kWarning, "outbox_not_read", {{"status", messages.status()}});
    return false;
  }
  const Sent sent = SendAll(*messages, now + kRetryDelay);
  const int claimed = static_cast<int>(messages->size());
  if (sent.away) {
    batch_ = 1;
  } else if (sent.tried < claimed) {
    batch_ = std::max(sent.tried, 1);
  } else if (claimed > 0) {
    batch_ = std::min(2 * limit, kMaxBatch);
  }
  // Fewer were all; whoever stored one since then has called Wake().
  return !sent.delivered.empty() && !sent.away && claimed == limit;
}

Outbox::Sent Outbox::SendAll(const std::vector<ClaimedMessage>& messages, absl::Time claim_end) {
  Sent sent;
  for (const ClaimedMessage& message : messages) {
    // With their claims over, the others are anybody's.
    if (stopped() || (!sent.delivered.empty() && clock_.Now() >= claim_end)) break;
    const absl::Status status = Deliver(message);
    ++sent.tried;
    if (status.ok()) sent.delivered.push_back(message);
    // The others would fail as well; their turn comes again when their claims end.
    sent.away = absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
    if (sent.away) break;
  }
  if (sent.delivered.empty()) return sent;
  const absl::Status marked = store_.MarkDelivered(destination_, sent.delivered, clock_.Now());
  // They will be sent once more, which the other service knows how to bear.
  if (!marked.ok()) {
    base::Log(base::LogLevel::kWarning, "outbox_not_marked", {{"status", marked}});
  }
  return sent;
}

absl::Status Outbox::Deliver(const ClaimedMessage& message) {
  absl::Status sent = send_(message.body);
  observer_.MessageSent(destination_, sent);
  if (!sent.ok()) {
    base::Log(base::LogLevel::kWarning, "outbox_not_delivered",
              {{"match_id", message.match_id},
               {"destination", destination_ == Destination::kLobby ? "lobby" : "ranking"},
               {"attempts", message.attempts},
               {"status", sent}});
  }
  return sent;
}

}  // namespace naval::match
