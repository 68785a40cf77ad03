#include "services/match/watchers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/wire/time_wire.h"

namespace naval::match {
namespace {

WatchMessage EventMessage(v1::MatchEvent event) {
  auto message = std::make_shared<v1::WatchMatchResponse>();
  *message->mutable_event() = std::move(event);
  return message;
}

absl::Status CheckAfterSeq(std::optional<int64_t> after_seq, int64_t last_seq) {
  if (!after_seq.has_value() || (*after_seq >= 0 && *after_seq <= last_seq)) {
    return absl::OkStatus();
  }
  return base::InvalidField(
      "AFTER_SEQ_OUT_OF_RANGE", "after_seq",
      absl::StrCat("must be from 0 to ", last_seq, "; leave it out to begin with the whole state"),
      {{"after_seq", absl::StrCat(*after_seq)}, {"last_seq", absl::StrCat(last_seq)}});
}

absl::Status TooManyStreams(absl::string_view whose, int limit) {
  return base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_STREAMS",
                     absl::StrCat(whose, " has ", limit, " open streams already; close one first"),
                     {{"limit", absl::StrCat(limit)}});
}

}  // namespace

absl::Status Watchers::Add(const RecordedMatch& match, const std::string& account_id,
                           rules::Viewer viewer, std::optional<int64_t> after_seq, absl::Time now,
                           std::shared_ptr<Watcher> watcher) {
  NAVAL_RETURN_IF_ERROR(CheckAfterSeq(after_seq, match.LastSeq(viewer)));
  const auto of_account = std::count_if(
      open_.begin(), open_.end(), [&](const Open& open) { return open.account_id == account_id; });
  if (of_account >= kMaxStreamsPerAccount) {
    return TooManyStreams("this player", kMaxStreamsPerAccount);
  }
  // Spectators never take the players' place.
  if (viewer == rules::Viewer::kSpectator && open_.size() >= kMaxStreamsPerMatch) {
    return TooManyStreams("this match", kMaxStreamsPerMatch);
  }
  bool ended = match.over();
  if (after_seq.has_value()) {
    auto events = match.EventsAfter(*after_seq, viewer, kMaxResumedEvents);
    const int64_t last_seq = *after_seq + static_cast<int64_t>(events.size());
    for (v1::MatchEvent& event : events) watcher->Push(EventMessage(std::move(event)));
    if (last_seq < match.LastSeq(viewer)) {
      PushReconnect(last_seq, *watcher, StreamCut::kBehind);
      ended = true;
    }
  } else {
    auto message = std::make_shared<v1::WatchMatchResponse>();
    *message->mutable_snapshot() = match.ViewFor(viewer, now);
    watcher->Push(std::move(message));
  }
  if (ended) watcher->End(absl::OkStatus());
  observer_.StreamOpened(viewer);
  open_.push_back({.watcher = std::move(watcher),
                   .account_id = account_id,
                   .viewer = viewer,
                   .open_time = now,
                   .ended = ended});
  return absl::OkStatus();
}

void Watchers::Remove(const Watcher* watcher) {
  const auto it = std::find_if(open_.begin(), open_.end(),
                               [&](const Open& open) { return open.watcher.get() == watcher; });
  if (it == open_.end()) return;
  observer_.StreamClosed(it->viewer);
  open_.erase(it);
}

Watchers::Touched Watchers::Publish(const RecordedMatch& match, int64_t row_seq) {
  // Viewers of one kind share their messages.
  std::array<std::optional<std::vector<WatchMessage>>, 3> messages;
  Touched touched;
  for (Open& open : open_) {
    if (open.ended) continue;
    auto& mine = rules::OfViewer(messages, open.viewer);
    if (!mine.has_value()) {
      mine.emplace();
      for (v1::MatchEvent& event : match.EventsOf(row_seq, open.viewer)) {
        mine->push_back(EventMessage(std::move(event)));
      }
    }
    for (const WatchMessage& message : *mine) Push(open, message);
    if (match.over()) {
      open.watcher->End(absl::OkStatus());
      open.ended = true;
    }
    touched.push_back(open.watcher);
  }
  return touched;
}

Watchers::Touched Watchers::Beat(const RecordedMatch& match, absl::Time now) {
  Touched touched;
  for (Open& open : open_) {
    if (open.ended) continue;
    if (now - open.open_time >= kMaxStreamAge) {
      PushReconnect(match.LastSeq(open.viewer), *open.watcher, StreamCut::kAge);
      open.ended = true;
    } else {
      auto message = std::make_shared<v1::WatchMatchResponse>();
      *message->mutable_heartbeat()->mutable_server_time() = wire::ToProto(now);
      message->mutable_heartbeat()->set_seq(match.LastSeq(open.viewer));
      Push(open, std::move(message));
    }
    touched.push_back(open.watcher);
  }
  return touched;
}

Watchers::Touched Watchers::Reconnect(const RecordedMatch& match, StreamCut reason) {
  Touched touched;
  for (Open& open : open_) {
    if (open.ended) continue;
    PushReconnect(match.LastSeq(open.viewer), *open.watcher, reason);
    open.ended = true;
    touched.push_back(open.watcher);
  }
  return touched;
}

void Watchers::Push(Open& open, WatchMessage message) {
  if (open.ended || open.watcher->Push(std::move(message))) return;
  observer_.StreamEndedEarly(StreamCut::kSlowReader);
  open.ended = true;
}

void Watchers::PushReconnect(int64_t last_seq, Watcher& watcher, StreamCut reason) {
  observer_.StreamEndedEarly(reason);
  auto message = std::make_shared<v1::WatchMatchResponse>();
  message->mutable_reconnect()->set_seq(last_seq);
  watcher.Push(std::move(message));
  watcher.End(absl::OkStatus());
}

}  // namespace naval::match
