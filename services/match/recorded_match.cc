#include "services/match/recorded_match.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/stable_hash.h"
#include "lib/base/status_macros.h"
#include "lib/bots/bot.h"
#include "lib/rules/game_state.h"
#include "lib/rules/rule_sets.h"
#include "lib/wire/event_wire.h"
#include "lib/wire/log_wire.h"
#include "lib/wire/rules_wire.h"
#include "lib/wire/state_wire.h"
#include "lib/wire/time_wire.h"
#include "lib/wire/view_wire.h"
#include "services/match/sealed_snapshot.h"

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

// 0 stands for none.
uint64_t HashOfRequest(rules::Seat seat, const std::string& request_id) {
  const uint64_t hash = base::StableHash(absl::StrCat(rules::SeatIndex(seat), request_id));
  return std::max<uint64_t>(hash, 1);
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
  return RecordedMatch(std::move(match_id), created, std::move(settings));
}

absl::StatusOr<RecordedMatch> RecordedMatch::FromStored(const StoredMatch& stored,
                                                        const auth::Sealer& sealer) {
  log::v1::MatchCreated created;
  if (!created.ParseFromString(stored.created) || created.players_size() != 2) {
    return DamagedMatch(stored.match_id, "MatchCreated");
  }
  auto match = New(stored.match_id, std::move(created));
  if (!match.ok()) return DamagedMatch(stored.match_id, match.status().message());
  if (stored.snapshot.has_value()) {
    const absl::Status begun = match->Begin(*stored.snapshot, sealer);
    if (!begun.ok()) {
      return DamagedMatch(stored.match_id, absl::StrCat("its snapshot: ", begun.message()));
    }
  }
  match->rows_.reserve(stored.rows.size());
  for (const LogRow& row : stored.rows) {
    if (row.seq != match->head_seq() + 1) return DamagedMatch(stored.match_id, "a row is missing");
    const absl::Status taken = match->Take(row, sealer);
    if (!taken.ok()) {
      return DamagedMatch(stored.match_id, absl::StrCat("row ", row.seq, ": ", taken.message()));
    }
  }
  if (match->head_seq() == 0) return DamagedMatch(stored.match_id, "there is no row");
  return match;
}

absl::Status RecordedMatch::Take(const LogRow& row, const auth::Sealer& sealer) {
  if (!MayFollow(row.event_time, last_event_time_)) {
    return absl::DataLossError("it was written at no time that can be");
  }
  NAVAL_ASSIGN_OR_RETURN(const Entry entry, OpenRow(match_id_, game_.rules(), row, sealer));
  if (!TryApply(entry)) return absl::DataLossError("an event cannot follow the ones before it");
  if (!game_.settled()) return absl::DataLossError("it ends in the middle of a command");
  return absl::OkStatus();
}

absl::Status RecordedMatch::Begin(const Snapshot& snapshot, const auth::Sealer& sealer) {
  google::protobuf::Arena arena;
  auto& content = *google::protobuf::Arena::CreateMessage<log::v1::MatchSnapshot>(&arena);
  NAVAL_RETURN_IF_ERROR(OpenSnapshot(snapshot, sealer, content));
  NAVAL_ASSIGN_OR_RETURN(const rules::GameState state,
                         wire::FromLog(game_.rules(), content.game()));
  NAVAL_ASSIGN_OR_RETURN(game_, rules::Game::FromState(game_.settings(), state));
  NAVAL_ASSIGN_OR_RETURN(last_event_time_, wire::FromProto(content.event_time(), "event_time"));
  if (!MayFollow(last_event_time_, absl::InfinitePast())) {
    return absl::DataLossError("it was written at no time that can be");
  }
  if (content.last_seqs_size() != 3 || content.drafts_size() != 2 ||
      content.requests_size() != snapshot.seq) {
    return absl::DataLossError("it counts what is not there");
  }
  requests_.assign(content.requests().begin(), content.requests().end());
  std::copy(content.last_seqs().begin(), content.last_seqs().end(), last_seq_.begin());
  std::copy(content.drafts().begin(), content.drafts().end(), drafts_.begin());
  gone_rows_ = snapshot.seq;
  gone_events_ = last_seq_;
  return absl::OkStatus();
}

log::v1::MatchSnapshot RecordedMatch::TakeSnapshot() const {
  log::v1::MatchSnapshot snapshot;
  wire::ToLog(game_.State(), *snapshot.mutable_game());
  *snapshot.mutable_event_time() = wire::ToProto(last_event_time_);
  snapshot.mutable_last_seqs()->Add(last_seq_.begin(), last_seq_.end());
  snapshot.mutable_drafts()->Add(drafts_.begin(), drafts_.end());
  snapshot.mutable_requests()->Add(requests_.begin(), requests_.end());
  return snapshot;
}

RecordedMatch::RecordedMatch(std::string match_id, const log::v1::MatchCreated& created,
                             rules::GameSettings settings)
    : match_id_(std::move(match_id)),
      created_(created.SerializeAsString()),
      game_(std::move(settings)) {}

log::v1::MatchCreated RecordedMatch::created() const {
  log::v1::MatchCreated created;
  // It was written here.
  NAVAL_CHECK(created.ParseFromString(created_));
  return created;
}

std::optional<rules::Seat> RecordedMatch::SeatOf(absl::string_view account_id) const {
  const log::v1::MatchCreated match = created();
  for (const rules::Seat seat : rules::kSeats) {
    if (match.players(rules::SeatIndex(seat)).account_id() == account_id) return seat;
  }
  return std::nullopt;
}

std::optional<rules::Viewer> RecordedMatch::ViewerOf(absl::string_view account_id) const {
  if (const auto seat = SeatOf(account_id); seat.has_value()) return rules::ViewerAt(*seat);
  if (created().spectators_allowed()) return rules::Viewer::kSpectator;
  return std::nullopt;
}

std::string RecordedMatch::BotAt(rules::Seat seat) const {
  return created().players(rules::SeatIndex(seat)).bot();
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
  MakeRoom(rows_, 1);
  rows_.push_back({.event_micros = absl::ToUnixMicros(entry.event_time),
                   .digest = absl::HashOf(entry.request_digest),
                   .body_end = static_cast<uint32_t>(bodies_.size()),
                   .seen = seen});
  const bool has_request = !entry.request_id.empty() && entry.seat.has_value();
  MakeRoom(requests_, 1);
  requests_.push_back(has_request ? HashOfRequest(*entry.seat, entry.request_id) : 0);
  last_event_time_ = entry.event_time;
}

void RecordedMatch::LetGoOfRows() {
  if (rows_.size() <= kMostRowsAtHand) return;
  const std::size_t gone = rows_.size() - kLeastRowsAtHand;
  const uint32_t gone_bytes = rows_[gone - 1].body_end;
  for (std::size_t i = 0; i < gone; ++i) {
    for (const rules::Viewer viewer : rules::kViewers) {
      rules::OfViewer(gone_events_, viewer) += rules::OfViewer(rows_[i].seen, viewer);
    }
  }
  gone_rows_ += static_cast<int64_t>(gone);
  rows_ = std::vector<Row>(rows_.begin() + static_cast<std::ptrdiff_t>(gone), rows_.end());
  bodies_ = std::vector<char>(bodies_.begin() + gone_bytes, bodies_.end());
  for (Row& row : rows_) row.body_end -= gone_bytes;
}

bool RecordedMatch::HasEventsAfter(int64_t after_seq, rules::Viewer viewer) const {
  return after_seq >= rules::OfViewer(gone_events_, viewer);
}

absl::StatusOr<std::optional<int64_t>> RecordedMatch::FindRequest(
    rules::Seat seat, const std::string& request_id, const std::string& request_digest) const {
  const auto found =
      std::find(requests_.rbegin(), requests_.rend(), HashOfRequest(seat, request_id));
  if (found == requests_.rend()) return std::nullopt;
  const int64_t row_seq = requests_.rend() - found;
  const uint64_t digest = absl::HashOf(request_digest);
  if (HasRow(row_seq) && rows_[IndexOf(row_seq)].digest != digest) {
    return base::InvalidField(
        "REQUEST_ID_REUSED", "request_id",
        "was used for another request; make a new UUID for every new request");
  }
  return row_seq;
}

std::vector<v1::MatchEvent> RecordedMatch::EventsOf(int64_t row_seq, rules::Viewer viewer) const {
  const std::size_t index = IndexOf(row_seq);
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
  int64_t next_seq = rules::OfViewer(gone_events_, viewer) + 1;
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
  log::v1::MatchCreated fixed = created();
  *match.mutable_rules() = std::move(*fixed.mutable_rules());
  match.set_rated(fixed.rated());
  for (int seat = 0; seat < match.sides_size(); ++seat) {
    *match.mutable_sides(seat)->mutable_player() = std::move(*fixed.mutable_players(seat));
  }
  match.set_seq(LastSeq(viewer));
  *match.mutable_server_time() = wire::ToProto(now);
  return match;
}

}  // namespace naval::match
