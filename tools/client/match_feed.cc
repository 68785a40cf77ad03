#include "tools/client/match_feed.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "tools/client/answer.h"
#include "tools/client/match_state.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;

// Between two tries to open a stream: twice as long after each that brought no news.
constexpr absl::Duration kFirstPause = absl::Milliseconds(50);
constexpr absl::Duration kLongestPause = absl::Seconds(2);

absl::Status WrongSeq(absl::string_view where, int64_t said, const v1::Match& match) {
  return base::Error(absl::StatusCode::kDataLoss, "EVENT_MISSED",
                     absl::StrCat("a ", where, " says that the last event is ", said, ", but ",
                                  match.seq(), " is"),
                     {{"match_id", match.match_id()}});
}

bool IsUnknownEvent(const absl::Status& status) {
  return base::ReasonOf(status) == "UNKNOWN_EVENT";
}

bool MayMend(const absl::Status& status) {
  return status.ok() || absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsResourceExhausted(status) || absl::IsCancelled(status) || IsUnknownEvent(status);
}

absl::Status EventsDiffer(int64_t seq) {
  return base::Error(absl::StatusCode::kDataLoss, "EVENTS_DIFFER",
                     absl::StrCat("event ", seq, " of an answer is not that of the stream"));
}

}  // namespace

MatchFeed::MatchFeed(Client& client, base::Clock& clock, std::string match_id)
    : client_(client), clock_(clock), match_id_(std::move(match_id)), pause_(kFirstPause) {
  thread_ = std::thread([this] { Run(); });
}

MatchFeed::~MatchFeed() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    if (stream_ != nullptr) stream_->Cancel();
    changed_.NotifyAll();
  }
  thread_.join();
}

absl::StatusOr<v1::Match> MatchFeed::WaitFor(absl::FunctionRef<bool(const v1::Match&)> condition,
                                             absl::Duration limit) {
  const absl::Time deadline = clock_.Now() + limit;
  base::MutexLock lock(mutex_);
  while (true) {
    if (!status_.ok()) return status_;
    if (match_.has_value() && condition(*match_)) return *match_;
    if (clock_.Now() >= deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("match ", match_id_, ": what was waited for did not happen within ",
                       absl::FormatDuration(limit)));
    }
    clock_.WaitUntil(changed_, mutex_, deadline);
  }
}

absl::Status MatchFeed::Confirm(const MatchEvents& answered) {
  if (answered.empty()) return absl::OkStatus();
  const int64_t last = answered[answered.size() - 1].seq();
  NAVAL_RETURN_IF_ERROR(
      WaitFor([&](const v1::Match& match) { return match.seq() >= last; }).status());
  base::MutexLock lock(mutex_);
  for (const v1::MatchEvent& event : answered) {
    const auto streamed = std::lower_bound(
        events_.begin(), events_.end(), event.seq(),
        [](const v1::MatchEvent& earlier, int64_t seq) { return earlier.seq() < seq; });
    if (streamed == events_.end() || streamed->seq() != event.seq()) continue;
    if (event.SerializeAsString() != streamed->SerializeAsString()) {
      return EventsDiffer(event.seq());
    }
  }
  return absl::OkStatus();
}

std::vector<v1::MatchEvent> MatchFeed::events() const {
  base::MutexLock lock(mutex_);
  return events_;
}

int MatchFeed::streams_opened() const {
  base::MutexLock lock(mutex_);
  return streams_opened_;
}

absl::Status MatchFeed::status() const {
  base::MutexLock lock(mutex_);
  return status_;
}

absl::StatusOr<v1::Match> MatchFeed::WaitForState(absl::Duration limit) {
  absl::StatusOr<v1::Match> match = WaitFor([](const v1::Match&) { return true; }, limit);
  if (!absl::IsDeadlineExceeded(match.status())) return match;
  const absl::Status why = connection();
  return why.ok() ? match : why;
}

absl::Status MatchFeed::connection() const {
  base::MutexLock lock(mutex_);
  if (!last_end_.ok() && !absl::IsUnavailable(last_end_)) return last_end_;
  // A stream that was opened anew brings nothing before something happens.
  return client_.ConnectionToMatch().value_or(last_end_);
}

absl::Time MatchFeed::ServerNow() const {
  base::MutexLock lock(mutex_);
  return clock_.Now() + server_ahead_;
}

void MatchFeed::Run() {
  while (const std::shared_ptr<MatchStream> stream = Open()) {
    if (!GoOnAfter(Follow(*stream))) return;
  }
}

absl::Status MatchFeed::Follow(MatchStream& stream) {
  while (const auto message = stream.Next()) {
    if (absl::Status taken = Take(*message); !taken.ok()) {
      stream.Cancel();
      return taken;
    }
  }
  return stream.status();
}

std::shared_ptr<MatchStream> MatchFeed::Open() {
  base::MutexLock lock(mutex_);
  if (stopped_) return nullptr;
  std::optional<int64_t> after_seq;
  if (!snapshot_due_) after_seq = match_->seq();
  stream_ = client_.Watch(match_id_, after_seq);
  ++streams_opened_;
  return stream_;
}

absl::Status MatchFeed::Take(const v1::WatchMatchResponse& message) {
  base::MutexLock lock(mutex_);
  changed_.NotifyAll();
  last_end_ = absl::OkStatus();
  NAVAL_RETURN_IF_ERROR(TakeMessage(message));
  // The whole state is none: it comes on every stream where each brings an unknown event then.
  const bool news = message.has_event() || message.has_heartbeat() || message.has_reconnect();
  if (news) pause_ = absl::ZeroDuration();
  return absl::OkStatus();
}

absl::Status MatchFeed::TakeMessage(const v1::WatchMatchResponse& message) {
  // Of a kind that is not known here.
  if (message.message_case() == v1::WatchMatchResponse::MESSAGE_NOT_SET) return absl::OkStatus();
  if (message.has_snapshot()) return TakeSnapshot(message.snapshot());
  if (snapshot_due_) {
    return base::Error(absl::StatusCode::kDataLoss, "NO_SNAPSHOT",
                       "the stream did not begin with the whole state");
  }
  if (message.has_event()) return TakeEvent(message.event());
  if (message.has_heartbeat()) {
    SetServerTime(message.heartbeat().server_time());
    if (message.heartbeat().seq() != match_->seq()) {
      return WrongSeq("heartbeat", message.heartbeat().seq(), *match_);
    }
  }
  if (message.has_presence_changed()) ApplyPresence(message.presence_changed(), *match_);
  if (message.has_reconnect() && message.reconnect().seq() != match_->seq()) {
    return WrongSeq("reconnect message", message.reconnect().seq(), *match_);
  }
  return absl::OkStatus();
}

absl::Status MatchFeed::TakeSnapshot(const v1::Match& snapshot) {
  // It would hide the events that it jumps over.
  if (!snapshot_due_) {
    return base::Error(absl::StatusCode::kDataLoss, "UNEXPECTED_SNAPSHOT",
                       "a stream sent the whole state where only events were due",
                       {{"match_id", match_id_}});
  }
  // It holds the unknown event that it was asked for at least.
  if (match_.has_value() && snapshot.seq() <= match_->seq()) {
    return WrongSeq("whole state", snapshot.seq(), *match_);
  }
  NAVAL_RETURN_IF_ERROR(CheckMatch(snapshot));
  match_ = snapshot;
  snapshot_due_ = false;
  SetServerTime(match_->server_time());
  return absl::OkStatus();
}

absl::Status MatchFeed::TakeEvent(const v1::MatchEvent& event) {
  absl::Status applied = ApplyEvent(event, *match_);
  snapshot_due_ = IsUnknownEvent(applied);
  if (applied.ok()) events_.push_back(event);
  return applied;
}

void MatchFeed::SetServerTime(const google::protobuf::Timestamp& server_time) {
  server_ahead_ = TimeOf(server_time) - clock_.Now();
}

bool MatchFeed::GoOnAfter(absl::Status status) {
  if (absl::IsUnauthenticated(status) && base::ReasonOf(status) == "TOKEN_EXPIRED") {
    status = client_.Refresh();
  }
  if (!MayMend(status)) {
    Fail(status);
    return false;
  }
  base::MutexLock lock(mutex_);
  last_end_ = status;
  if (match_.has_value() && match_->phase() == v1::PHASE_OVER) return false;
  // Where the server asks for another stream, it is opened at once.
  if (!status.ok()) pause_ = std::max(pause_, kFirstPause);
  const absl::Time next_try =
      clock_.Now() + std::max(pause_, base::RetryDelayOf(status).value_or(absl::ZeroDuration()));
  pause_ = std::clamp(pause_ * 2, kFirstPause, kLongestPause);
  while (!stopped_) {
    if (clock_.WaitUntil(changed_, mutex_, next_try)) break;
  }
  return !stopped_;
}

void MatchFeed::Fail(const absl::Status& status) {
  base::MutexLock lock(mutex_);
  if (!stopped_) status_ = last_end_ = status;
  changed_.NotifyAll();
}

}  // namespace naval::client
