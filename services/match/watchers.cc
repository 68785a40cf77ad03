#include "services/match/watchers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::match {
namespace {

std::vector<WatchMessage> EventMessages(std::vector<v1::MatchEvent> events, bool together) {
  std::vector<WatchMessage> messages;
  if (events.empty()) return messages;
  if (together) {
    auto message = std::make_shared<v1::WatchMatchResponse>();
    for (v1::MatchEvent& event : events) {
      *message->mutable_events()->add_events() = std::move(event);
    }
    messages.push_back(std::move(message));
    return messages;
  }
  for (v1::MatchEvent& event : events) {
    auto message = std::make_shared<v1::WatchMatchResponse>();
    *message->mutable_event() = std::move(event);
    messages.push_back(std::move(message));
  }
  return messages;
}

WatchMessage PresenceMessage(rules::Seat seat, v1::Presence presence) {
  auto message = std::make_shared<v1::WatchMatchResponse>();
  message->mutable_presence_changed()->set_seat(wire::ToProto(seat));
  message->mutable_presence_changed()->set_presence(presence);
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

// What a resumed stream begins with. `match` may have gone on since `whole` was read, and have let
// go of what lies between: then the stream comes again for the rest. Nor does `whole` say what
// `match` is still to publish.
std::vector<v1::MatchEvent> FirstEvents(const RecordedMatch& match, const RecordedMatch* whole,
                                        rules::Viewer viewer, int64_t after_seq) {
  const auto missed = static_cast<std::size_t>(match.LastSeq(viewer) - after_seq);
  const std::size_t limit = std::min(missed, kMaxResumedEvents);
  std::vector<v1::MatchEvent> events;
  if (whole != nullptr) events = whole->EventsAfter(after_seq, viewer, limit);
  after_seq += static_cast<int64_t>(events.size());
  if (!match.HasEventsAfter(after_seq, viewer)) return events;
  auto later = match.EventsAfter(after_seq, viewer, limit - events.size());
  std::move(later.begin(), later.end(), std::back_inserter(events));
  return events;
}

absl::Status TooManyStreams(absl::string_view whose, int limit) {
  return base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_STREAMS",
                     absl::StrCat(whose, " has ", limit, " open streams already; close one first"),
                     {{"limit", absl::StrCat(limit)}});
}

}  // namespace

Watchers::Watchers(const RecordedMatch& match, absl::Time now, MatchObserver& observer)
    : observer_(observer) {
  for (const rules::Seat seat : rules::kSeats) {
    // A bot never leaves.
    rules::OfSeat(players_, seat) =
        match.BotAt(seat).empty()
            ? Player{.last_open_time = now}
            : Player{.presence = v1::PRESENCE_WATCHING, .last_open_time = absl::InfiniteFuture()};
  }
}

absl::Status Watchers::CheckNew(const RecordedMatch& match, const std::string& account_id,
                                rules::Viewer viewer, std::optional<int64_t> after_seq) const {
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
  return absl::OkStatus();
}

Watchers::Touched Watchers::Add(const RecordedMatch& match, const RecordedMatch* whole,
                                const std::string& account_id, rules::Viewer viewer,
                                std::optional<int64_t> after_seq, absl::Time now,
                                const std::shared_ptr<Watcher>& watcher) {
  const bool goes_on = PushBeginning(match, whole, viewer, after_seq, now, *watcher);
  if (!goes_on) watcher->End(absl::OkStatus());
  observer_.StreamOpened(viewer);
  open_.push_back({.watcher = watcher,
                   .account_id = account_id,
                   .viewer = viewer,
                   .open_time = now,
                   .ended = !goes_on});
  Touched touched = {watcher};
  SetOpenTime(viewer, now);
  if (const auto seat = rules::SeatOf(viewer); seat.has_value()) {
    SetPresence(*seat, v1::PRESENCE_WATCHING, touched);
  }
  return touched;
}

bool Watchers::PushBeginning(const RecordedMatch& match, const RecordedMatch* whole,
                             rules::Viewer viewer, std::optional<int64_t> after_seq, absl::Time now,
                             Watcher& watcher) {
  if (!after_seq.has_value()) {
    auto message = std::make_shared<v1::WatchMatchResponse>();
    *message->mutable_snapshot() = ViewFor(match, viewer, now);
    watcher.Push(std::move(message));
    return !match.over();
  }
  auto events = FirstEvents(match, whole, viewer, *after_seq);
  const int64_t last_seq = *after_seq + static_cast<int64_t>(events.size());
  for (WatchMessage& message : EventMessages(std::move(events), watcher.events_together())) {
    watcher.Push(std::move(message));
  }
  if (last_seq < match.LastSeq(viewer)) {
    PushReconnect(last_seq, watcher, StreamCut::kBehind);
    return false;
  }
  for (const rules::Seat seat : rules::kSeats) {
    const v1::Presence presence = PresenceFor(match, viewer, seat);
    if (presence != v1::PRESENCE_UNSPECIFIED) watcher.Push(PresenceMessage(seat, presence));
  }
  return !match.over();
}

void Watchers::Remove(const Watcher* watcher, absl::Time now) {
  const auto it = std::find_if(open_.begin(), open_.end(),
                               [&](const Open& open) { return open.watcher.get() == watcher; });
  if (it == open_.end()) return;
  observer_.StreamClosed(it->viewer);
  SetOpenTime(it->viewer, now);
  open_.erase(it);
}

v1::Match Watchers::ViewFor(const RecordedMatch& match, rules::Viewer viewer,
                            absl::Time now) const {
  v1::Match view = match.ViewFor(viewer, now);
  for (const rules::Seat seat : rules::kSeats) {
    view.mutable_sides(rules::SeatIndex(seat))->set_presence(PresenceFor(match, viewer, seat));
  }
  return view;
}

Watchers::Touched Watchers::Publish(const RecordedMatch& match, const Entry& entry) {
  // Viewers of one kind share their messages: those who take events one by one, and together.
  using OfViewers = std::array<std::optional<std::vector<WatchMessage>>, 3>;
  std::array<OfViewers, 2> messages;
  Touched touched;
  for (Open& open : open_) {
    if (open.ended) continue;
    const bool together = open.watcher->events_together();
    auto& mine = rules::OfViewer(messages.at(together ? 1 : 0), open.viewer);
    if (!mine.has_value()) mine = EventMessages(match.LastEvents(entry, open.viewer), together);
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
    SetOpenTime(open.viewer, now);
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
  for (const rules::Seat seat : rules::kSeats) {
    if (now - rules::OfSeat(players_, seat).last_open_time < kAwayDelay) continue;
    SetPresence(seat, v1::PRESENCE_AWAY, touched);
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

v1::Presence Watchers::PresenceFor(const RecordedMatch& match, rules::Viewer viewer,
                                   rules::Seat seat) const {
  const bool told = !match.over() && viewer != rules::ViewerAt(seat);
  return told ? rules::OfSeat(players_, seat).presence : v1::PRESENCE_UNSPECIFIED;
}

void Watchers::SetPresence(rules::Seat seat, v1::Presence presence, Touched& touched) {
  v1::Presence& told = rules::OfSeat(players_, seat).presence;
  if (told == presence) return;
  told = presence;
  const WatchMessage message = PresenceMessage(seat, presence);
  for (Open& open : open_) {
    if (open.ended || open.viewer == rules::ViewerAt(seat)) continue;
    Push(open, message);
    touched.push_back(open.watcher);
  }
}

void Watchers::SetOpenTime(rules::Viewer viewer, absl::Time now) {
  const auto seat = rules::SeatOf(viewer);
  if (seat.has_value()) rules::OfSeat(players_, *seat).last_open_time = now;
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
