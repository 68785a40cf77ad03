#include "services/match/recorded_match.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/bots/bot.h"
#include "lib/rules/rule_sets.h"
#include "lib/wire/event_wire.h"
#include "lib/wire/log_wire.h"
#include "lib/wire/rules_wire.h"
#include "lib/wire/time_wire.h"
#include "lib/wire/view_wire.h"

namespace naval::match {
namespace {

absl::Status TooManyDrafts() {
  return base::Error(absl::StatusCode::kResourceExhausted, "TOO_MANY_DRAFTS",
                     absl::StrCat("the fleet was changed ", kMaxDrafts,
                                  " times; confirm it, or let the clock do so"),
                     {{"limit", absl::StrCat(kMaxDrafts)}});
}

absl::Status StaleSeq(int64_t expected_seq, int64_t last_seq) {
  return base::Error(
      absl::StatusCode::kAborted, "STALE_SEQ",
      absl::StrCat("the match stands at ", last_seq, " and not at ", expected_seq,
                   ", where this was decided; catch up and decide again"),
      {{"expected_seq", absl::StrCat(expected_seq)}, {"last_seq", absl::StrCat(last_seq)}});
}

absl::Status DamagedMatch(absl::string_view match_id, absl::string_view what) {
  return base::Error(absl::StatusCode::kDataLoss, "MATCH_DAMAGED",
                     absl::StrCat("the stored match cannot be read: ", what),
                     {{"match_id", std::string(match_id)}});
}

// Far from every real time, so that a clock set from a time of the log ends within the years that a
// Timestamp can hold.
bool MayFollow(absl::Time event_time, absl::Time last) {
  static const absl::Time first_ever = absl::FromCivil(absl::CivilYear(2000), absl::UTCTimeZone());
  static const absl::Time last_ever = absl::FromCivil(absl::CivilYear(9000), absl::UTCTimeZone());
  return last <= event_time && first_ever <= event_time && event_time <= last_ever;
}

uint64_t HashOfRequest(rules::Seat seat, const std::string& request_id) {
  return absl::HashOf(seat, request_id);
}

// Grows by an eighth where a vector doubles.
template <typename T>
void MakeRoom(std::vector<T>& vector, std::size_t more) {
  if (vector.capacity() - vector.size() >= more) return;
  vector.reserve(vector.size() + std::max(more, vector.size() / 8));
}

}  // namespace

absl::Time ToMicroseconds(absl::Time time) {
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

absl::StatusOr<RecordedMatch> RecordedMatch::New(std::string match_id,
                                                 log::v1::MatchCreated created) {
  for (const v1::Player& player : created.players()) {
    if (!player.bot().empty()) NAVAL_RETURN_IF_ERROR(bots::MakeBot(player.bot()).status());
  }
  const auto opponent =
      created.players(1).bot().empty() ? rules::Opponent::kPerson : rules::Opponent::kBot;
  NAVAL_ASSIGN_OR_RETURN(const rules::RulesChoice choice,
                         wire::FromProto(created.rules(), "rules"));
  NAVAL_ASSIGN_OR_RETURN(rules::GameSettings settings, rules::ChooseRules(choice, opponent));
  return RecordedMatch(std::move(match_id), std::move(created), std::move(settings));
}

absl::StatusOr<RecordedMatch> RecordedMatch::FromStored(const StoredMatch& stored,
                                                        const auth::Sealer& sealer) {
  log::v1::MatchCreated created;
  if (!created.ParseFromString(stored.created) || created.players_size() != 2) {
    return DamagedMatch(stored.match_id, "MatchCreated");
  }
  auto match = New(stored.match_id, std::move(created));
  if (!match.ok()) return DamagedMatch(stored.match_id, match.status().message());
  match->rows_.reserve(stored.rows.size());
  for (const LogRow& row : stored.rows) {
    if (row.seq != match->head_seq() + 1) return DamagedMatch(stored.match_id, "a row is missing");
    if (!MayFollow(row.event_time, match->last_event_time())) {
      return DamagedMatch(stored.match_id, "a row was written at no time that can be");
    }
    auto entry = OpenRow(stored.match_id, match->game().rules(), row, sealer);
    if (!entry.ok()) {
      return DamagedMatch(stored.match_id,
                          absl::StrCat("row ", row.seq, ": ", entry.status().message()));
    }
    if (!match->TryApply(*entry)) {
      return DamagedMatch(stored.match_id, "an event cannot follow the ones before it");
    }
    if (!match->game().settled()) {
      return DamagedMatch(stored.match_id, "a row ends in the middle of a command");
    }
  }
  if (match->head_seq() == 0) return DamagedMatch(stored.match_id, "there is no row");
  return match;
}

RecordedMatch::RecordedMatch(std::string match_id, log::v1::MatchCreated created,
                             rules::GameSettings settings)
    : match_id_(std::move(match_id)), created_(std::move(created)), game_(std::move(settings)) {}

absl::Time RecordedMatch::last_event_time() const {
  return rows_.empty() ? absl::InfinitePast() : absl::FromUnixMicros(rows_.back().event_micros);
}

std::optional<rules::Seat> RecordedMatch::SeatOf(absl::string_view account_id) const {
  for (const rules::Seat seat : rules::kSeats) {
    if (created_.players(rules::SeatIndex(seat)).account_id() == account_id) return seat;
  }
  return std::nullopt;
}

std::optional<rules::Viewer> RecordedMatch::ViewerOf(absl::string_view account_id) const {
  if (const auto seat = SeatOf(account_id); seat.has_value()) return rules::ViewerAt(*seat);
  if (created_.spectators_allowed()) return rules::Viewer::kSpectator;
  return std::nullopt;
}

absl::string_view RecordedMatch::BotAt(rules::Seat seat) const {
  return created_.players(rules::SeatIndex(seat)).bot();
}

Entry RecordedMatch::Start(absl::Time now) const {
  return NewEntry({.command = rules::Tick{}}, game_.Start(now), now);
}

absl::StatusOr<std::optional<Entry>> RecordedMatch::Decide(const Request& request, absl::Time now,
                                                           rules::Chance chance) const {
  NAVAL_RETURN_IF_ERROR(CheckExpectedSeq(request));
  const bool drafts = std::holds_alternative<rules::PlaceFleet>(request.command) ||
                      std::holds_alternative<rules::ProposeFleet>(request.command);
  if (drafts && rules::OfSeat(drafts_, *request.seat) >= kMaxDrafts) return TooManyDrafts();
  NAVAL_ASSIGN_OR_RETURN(std::vector<rules::Event> events,
                         game_.Decide(request.command, now, chance));
  if (events.empty()) return std::nullopt;
  return NewEntry(request, std::move(events), now);
}

absl::Status RecordedMatch::CheckExpectedSeq(const Request& request) const {
  if (!request.expected_seq.has_value() || !request.seat.has_value()) return absl::OkStatus();
  const int64_t last_seq = LastSeq(rules::ViewerAt(*request.seat));
  return *request.expected_seq == last_seq ? absl::OkStatus()
                                           : StaleSeq(*request.expected_seq, last_seq);
}

Entry RecordedMatch::NewEntry(const Request& request, std::vector<rules::Event> events,
                              absl::Time now) const {
  return {.seq = head_seq() + 1,
          .seat = request.seat,
          .request_id = request.request_id,
          .request_digest = request.request_digest,
          .event_time = now,
          .events = std::move(events)};
}

void RecordedMatch::Apply(const Entry& entry) { NAVAL_CHECK(TryApply(entry)); }

bool RecordedMatch::TryApply(const Entry& entry) {
  // No command has so many.
  if (entry.events.size() > std::numeric_limits<uint8_t>::max()) return false;
  std::array<uint8_t, 3> seen = {0, 0, 0};
  for (const rules::Event& event : entry.events) {
    if (!game_.Accepts(event)) return false;
    game_.Apply(event);
    if (const auto* draft = std::get_if<rules::DraftChanged>(&event)) {
      ++rules::OfSeat(drafts_, draft->seat);
    }
    for (const rules::Viewer viewer : rules::kViewers) {
      if (rules::Redact(event, game_, viewer).has_value()) ++rules::OfViewer(seen, viewer);
    }
  }
  AddRow(entry, seen);
  return true;
}

void RecordedMatch::AddRow(const Entry& entry, const std::array<uint8_t, 3>& seen) {
  for (const rules::Viewer viewer : rules::kViewers) {
    rules::OfViewer(last_seq_, viewer) += rules::OfViewer(seen, viewer);
  }
  const std::string body = wire::SerializeLogEntry(game_.rules(), {.events = entry.events});
  MakeRoom(bodies_, body.size());
  bodies_.insert(bodies_.end(), body.begin(), body.end());
  Row row{.event_micros = absl::ToUnixMicros(entry.event_time),
          .body_end = static_cast<uint32_t>(bodies_.size()),
          .seen = seen,
          .has_request = !entry.request_id.empty() && entry.seat.has_value()};
  if (row.has_request) {
    row.request = HashOfRequest(*entry.seat, entry.request_id);
    row.digest = absl::HashOf(entry.request_digest);
  }
  MakeRoom(rows_, 1);
  rows_.push_back(row);
}

absl::StatusOr<std::optional<int64_t>> RecordedMatch::FindRequest(
    rules::Seat seat, const std::string& request_id, const std::string& request_digest) const {
  const uint64_t request = HashOfRequest(seat, request_id);
  const auto row = std::find_if(rows_.rbegin(), rows_.rend(), [request](const Row& each) {
    return each.has_request && each.request == request;
  });
  if (row == rows_.rend()) return std::nullopt;
  if (row->digest != absl::HashOf(request_digest)) {
    return base::InvalidField(
        "REQUEST_ID_REUSED", "request_id",
        "was used for another request; make a new UUID for every new request");
  }
  return rows_.rend() - row;
}

std::vector<v1::MatchEvent> RecordedMatch::EventsOf(int64_t row_seq, rules::Viewer viewer) const {
  const auto index = static_cast<std::size_t>(row_seq - 1);
  int64_t first_seq = LastSeq(viewer) + 1;
  for (std::size_t i = index; i < rows_.size(); ++i) {
    first_seq -= rules::OfViewer(rows_[i].seen, viewer);
  }
  return EventsAt(index, first_seq, viewer);
}

std::vector<v1::MatchEvent> RecordedMatch::EventsAt(std::size_t index, int64_t first_seq,
                                                    rules::Viewer viewer) const {
  const std::size_t begin = index == 0 ? 0 : rows_[index - 1].body_end;
  const auto entry =
      wire::ParseLogEntry(game_.rules(), {bodies_.data() + begin, rows_[index].body_end - begin});
  // It was written here.
  NAVAL_CHECK(entry.ok());
  return Tell(entry->events, absl::FromUnixMicros(rows_[index].event_micros), first_seq, viewer);
}

std::vector<v1::MatchEvent> RecordedMatch::LastEvents(const Entry& entry,
                                                      rules::Viewer viewer) const {
  const int64_t first_seq = LastSeq(viewer) + 1 - rules::OfViewer(rows_.back().seen, viewer);
  return Tell(entry.events, entry.event_time, first_seq, viewer);
}

std::vector<v1::MatchEvent> RecordedMatch::Tell(const std::vector<rules::Event>& events,
                                                absl::Time event_time, int64_t first_seq,
                                                rules::Viewer viewer) const {
  std::vector<v1::MatchEvent> told;
  for (const rules::Event& event : events) {
    const auto seen = rules::Redact(event, game_, viewer);
    if (!seen.has_value()) continue;
    told.push_back(wire::ToProto(game_.rules(), viewer, *seen, first_seq++, event_time));
  }
  return told;
}

int64_t RecordedMatch::LastSeq(rules::Viewer viewer) const {
  return rules::OfViewer(last_seq_, viewer);
}

std::vector<v1::MatchEvent> RecordedMatch::EventsAfter(int64_t after_seq, rules::Viewer viewer,
                                                       std::size_t limit) const {
  std::vector<v1::MatchEvent> events;
  int64_t next_seq = 1;
  for (std::size_t i = 0; i < rows_.size() && events.size() < limit; ++i) {
    const int64_t first_seq = next_seq;
    next_seq += rules::OfViewer(rows_[i].seen, viewer);
    if (next_seq <= after_seq + 1) continue;
    for (v1::MatchEvent& event : EventsAt(i, first_seq, viewer)) {
      if (event.seq() > after_seq && events.size() < limit) events.push_back(std::move(event));
    }
  }
  return events;
}

v1::Match RecordedMatch::ViewFor(rules::Viewer viewer, absl::Time now) const {
  v1::Match match = wire::ToProto(rules::ViewOf(game_, viewer));
  match.set_match_id(match_id_);
  *match.mutable_rules() = created_.rules();
  match.set_rated(created_.rated());
  for (int seat = 0; seat < match.sides_size(); ++seat) {
    *match.mutable_sides(seat)->mutable_player() = created_.players(seat);
  }
  match.set_seq(LastSeq(viewer));
  *match.mutable_server_time() = wire::ToProto(now);
  return match;
}

}  // namespace naval::match
