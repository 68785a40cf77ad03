#include "tests/simulation/referee.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/wire/time_wire.h"
#include "naval/lobby/v1/lobby_internal_service.pb.h"
#include "naval/match/log/v1/log.pb.h"
#include "naval/ranking/v1/ranking_internal_service.pb.h"
#include "tests/comparison/random_game.h"
#include "tests/simulation/failure.h"

namespace naval::simulation {
namespace {

using match::v1::MatchEvent;

// When nothing goes wrong any more, what went wrong before is over after this, and then clocks end
// within that after they are due.
constexpr absl::Duration kSettleDuration = absl::Seconds(30);
constexpr absl::Duration kMaxClockDelay = absl::Milliseconds(250);
// Nor does the end of a match then take longer to other services.
constexpr absl::Duration kMaxDeliveryDelay = absl::Seconds(40);

// Which of these says nothing about the command itself: it may come again, or have happened.
bool IsOpen(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
}

// Whether the row lets the clock of this seat end.
bool ClockEndedFor(const match::Entry& entry, rules::Seat seat) {
  return std::any_of(entry.events.begin(), entry.events.end(), [&](const rules::Event& event) {
    if (const auto* ran_out = std::get_if<rules::ClockRanOut>(&event)) return ran_out->seat == seat;
    const auto* confirmed = std::get_if<rules::FleetConfirmed>(&event);
    return confirmed != nullptr && confirmed->by_clock && confirmed->seat == seat;
  });
}

// The command of a clock or a bot; nullopt: time was given back.
std::optional<rules::Command> CommandOf(const match::Entry& entry, const rules::Game& game) {
  const rules::Event& first = entry.events.front();
  if (const auto* confirmed = std::get_if<rules::FleetConfirmed>(&first)) {
    if (!confirmed->by_clock) return rules::ConfirmFleet{confirmed->seat, confirmed->fleet};
  } else if (const auto* shot = std::get_if<rules::ShotFired>(&first)) {
    if (!shot->by_clock) return rules::FireShots{shot->seat, {shot->square}};
  } else if (const auto* volley = std::get_if<rules::VolleyFired>(&first)) {
    const std::vector<rules::Square> squares(volley->squares.begin(), volley->squares.end());
    if (!volley->by_clock) return rules::FireShots{volley->seat, squares, game.round()};
  } else if (std::holds_alternative<rules::ClockAdjusted>(first) ||
             std::holds_alternative<rules::IdleClockSet>(first)) {
    return std::nullopt;
  }
  return rules::Tick{};
}

// The oracle has written down the rule sets of the house for itself.
std::shared_ptr<const comparison::Words> WordsOf(const rules::RuleSet& rules) {
  static const auto& settings = *new std::vector<comparison::Setting>(comparison::HouseSettings());
  const auto it = std::find_if(
      settings.begin(), settings.end(),
      [&](const comparison::Setting& setting) { return setting.words->rules() == rules; });
  NAVAL_REQUIRE(it != settings.end(), absl::StrCat("the oracle does not know ", rules.id));
  return it->words;
}

absl::Time TimeOf(const google::protobuf::Timestamp& timestamp) {
  const auto time = wire::FromProto(timestamp, "time");
  NAVAL_REQUIRE(time.ok(), "a time is told that is none");
  return *time;
}

// As it is the same whoever asks, and when.
std::string Comparable(match::v1::Match view) {
  view.clear_server_time();
  for (match::v1::Side& side : *view.mutable_sides()) side.clear_presence();
  return view.SerializeAsString();
}

}  // namespace

void Referee::Created(const std::string& match_id, const std::string& created) {
  match::log::v1::MatchCreated message;
  NAVAL_REQUIRE(message.ParseFromString(created), "a match was created of something else");
  auto match = match::RecordedMatch::New(match_id, message);
  NAVAL_REQUIRE(match.ok(),
                absl::StrCat("a match was created that cannot be: ", match.status().message()));
  NAVAL_REQUIRE(matches_.try_emplace(match_id, Followed{.match = *std::move(match)}).second,
                "a match was created twice");
}

void Referee::Appended(const match::Append& append, const Owned& owned) {
  Followed& followed = At(append.match_id);
  match::RecordedMatch& match = followed.match;
  const std::string row = absl::StrCat("row ", append.row.seq, " of ", append.match_id, " ");
  NAVAL_REQUIRE(append.epoch == owned.epoch,
                absl::StrCat(row, "is of an owner that has lost the match"));
  NAVAL_REQUIRE(append.row.seq == match.head_seq() + 1,
                absl::StrCat(row, "comes after ", match.head_seq()));
  NAVAL_REQUIRE(append.row.event_time >= match.last_event_time(),
                absl::StrCat(row, "goes back in time"));
  NAVAL_REQUIRE(!match.over(), absl::StrCat(row, "comes after the end"));
  auto entry = match::OpenRow(append.match_id, match.game().rules(), append.row, sealer_);
  NAVAL_REQUIRE(entry.ok(), absl::StrCat(row, "cannot be read: ", entry.status().message()));
  if (entry->seat.has_value()) {
    const auto repeated = match.FindRequest(*entry->seat, entry->request_id, entry->request_digest);
    NAVAL_REQUIRE(entry->request_id.empty() || (repeated.ok() && !repeated->has_value()),
                  absl::StrCat(row, "is of a request that had its effect before"));
  }
  CheckClock(followed, *entry, owned);
  if (asks_oracle_) AskOracle(followed, *entry);
  if (twin_ != nullptr) twin_->Committed(append.match_id, *entry);
  match.Apply(*std::move(entry));
  followed.epoch = owned.epoch;
  followed.write_time = fibers_.now();
  NoteClock(followed);
  for (Move& move : followed.moves) {
    if (move.epoch != owned.epoch || move.head_seq != append.row.seq - 1) continue;
    if (IsGood(match, move)) move.head_seq = append.row.seq;
  }
  NAVAL_REQUIRE(match.over() == append.over, absl::StrCat(row, "is the end or not, wrongly"));
  NAVAL_REQUIRE(
      match.game().NextDeadline() == append.deadline,
      absl::StrCat(row, "is stored with the deadline ",
                   absl::FormatTime(append.deadline.value_or(absl::InfiniteFuture())),
                   " in place of ",
                   absl::FormatTime(match.game().NextDeadline().value_or(absl::InfiniteFuture()))));
  const auto results = std::count_if(
      append.messages.begin(), append.messages.end(),
      [](const auto& message) { return message.destination == match::Destination::kRanking; });
  NAVAL_REQUIRE(results == (match.over() ? 1 : 0), absl::StrCat(row, "has ", results, " results"));
  for (const rules::Viewer viewer : rules::kViewers) {
    auto& events = rules::OfViewer(followed.events, viewer);
    for (const MatchEvent& event : match.EventsOf(append.row.seq, viewer)) {
      events.push_back(event.SerializeAsString());
      rules::OfViewer(followed.rows, viewer).push_back(append.row.seq);
      NAVAL_REQUIRE(event.seq() == static_cast<std::int64_t>(events.size()),
                    absl::StrCat(row, "leaves a gap in what a viewer sees"));
    }
    rules::OfViewer(followed.last_seqs, viewer).push_back(match.LastSeq(viewer));
  }
  matches_over_ += match.over() ? 1 : 0;
}

void Referee::AskOracle(Followed& followed, const match::Entry& entry) {
  const rules::GameSettings& settings = followed.match.game().settings();
  if (entry.seq == 1) {
    followed.twins.emplace(WordsOf(*settings.rules), settings.starter, entry.event_time);
    const std::string difference = followed.twins->DifferenceAtStart();
    NAVAL_REQUIRE(difference.empty(), absl::StrCat("at the start ", difference));
    return;
  }
  if (!followed.twins.has_value()) return;
  std::optional<rules::Command> command;
  if (const auto sent = followed.commands.find(entry.request_id); sent != followed.commands.end()) {
    command = sent->second;
  } else {
    command = CommandOf(entry, followed.match.game());
  }
  if (!command.has_value()) return followed.twins.reset();
  const std::string difference = followed.twins->Follow(*command, entry.event_time, entry.events);
  NAVAL_REQUIRE(difference.empty(), absl::StrCat("row ", entry.seq, " of ",
                                                 followed.match.match_id(), ": ", difference));
}

void Referee::CheckClock(const Followed& followed, const match::Entry& entry,
                         const Owned& owned) const {
  if (entry.seat.has_value()) return;
  for (const rules::Seat seat : rules::kSeats) {
    if (!ClockEndedFor(entry, seat)) continue;
    const std::string what = absl::StrCat("row ", entry.seq, " of ", followed.match.match_id(),
                                          " ends the clock of seat ", rules::SeatIndex(seat));
    const absl::Time now = fibers_.now();
    const SetClock& clock = *followed.clock;
    // A clock that stood still meanwhile, where the clock of the owner is behind that of the one
    // before, has nothing to be given back.
    NAVAL_REQUIRE(
        owned.ownerless_duration == absl::ZeroDuration() || now - owned.since >= clock.left,
        absl::StrCat(what, ", of which nobody owned the match for ",
                     absl::FormatDuration(owned.ownerless_duration)));
    for (const Move& move : followed.moves) {
      NAVAL_REQUIRE(
          move.seat != seat || move.epoch != owned.epoch || move.head_seq != entry.seq - 1,
          absl::StrCat(what, ", whose ", move.request.request_id, " came before that"));
    }
    const auto& told = followed.told_end;
    // Who takes a match over may set its clock anew.
    const bool is_told =
        told.has_value() && told->deadline == clock.deadline && followed.epoch == owned.epoch;
    NAVAL_REQUIRE(!is_told || now >= told->time,
                  absl::StrCat(what, ", ", absl::FormatDuration(told->time - now),
                               " before the end that was told"));
    // An owner whose clock is behind cannot know for how long the one before let it run.
    const absl::Duration unknown =
        followed.epoch == owned.epoch
            ? absl::ZeroDuration()
            : std::max(owned.since - clock.write_time, absl::ZeroDuration());
    const absl::Time due = clock.write_time + clock.left + unknown;
    NAVAL_REQUIRE(due < heal_time_ + kSettleDuration || now <= due + kMaxClockDelay,
                  absl::StrCat(what, ", ", absl::FormatDuration(now - due), " after it was due"));
  }
}

void Referee::NoteClock(Followed& followed) const {
  const std::optional<absl::Time> deadline = followed.match.game().deadline();
  auto& clock = followed.clock;
  if (!deadline.has_value() || (clock.has_value() && clock->deadline == deadline)) return;
  clock = {*deadline, *deadline - followed.match.last_event_time(), fibers_.now()};
}

void Referee::Posted(const std::string& match_id, rules::Seat seat, const match::Request& request,
                     std::int64_t epoch, absl::Time now) {
  Followed& followed = At(match_id);
  followed.ahead = now - fibers_.now();
  if (asks_oracle_) followed.commands.try_emplace(request.request_id, request.command);
  if (std::holds_alternative<rules::PlaceFleet>(request.command) ||
      std::holds_alternative<rules::ProposeFleet>(request.command)) {
    return;
  }
  // Only a move whose clock it is keeps the clock from ending.
  Move move = {seat, request, now, epoch, followed.match.head_seq()};
  if (IsGood(followed.match, move)) followed.moves.push_back(std::move(move));
}

bool Referee::IsGood(const match::RecordedMatch& match, const Move& move) {
  const rules::Game& game = match.game();
  if (!game.Awaits(move.seat) || !game.deadline().has_value()) return false;
  if (move.arrival_time >= *game.deadline()) return false;
  base::SeededRandom random(1);
  const absl::Time now =
      std::max(match::ToMicroseconds(move.arrival_time), match.last_event_time());
  const auto entry = match.Decide(move.request, now, {random, random});
  const auto recorded =
      match.FindRequest(move.seat, move.request.request_id, move.request.request_digest);
  return entry.ok() && recorded.ok() && !recorded->has_value();
}

Referee::Followed& Referee::At(const std::string& match_id) {
  const auto it = matches_.find(match_id);
  NAVAL_REQUIRE(it != matches_.end(), absl::StrCat("there is no match ", match_id));
  return it->second;
}

const match::RecordedMatch* Referee::Find(const std::string& match_id) const {
  const auto it = matches_.find(match_id);
  return it == matches_.end() ? nullptr : &it->second.match;
}

std::int64_t Referee::published_row(const std::string& match_id) const {
  const auto it = matches_.find(match_id);
  return it == matches_.end() ? 0 : it->second.published_row;
}

absl::Duration Referee::ahead(const std::string& match_id) const {
  const auto it = matches_.find(match_id);
  return it == matches_.end() ? absl::ZeroDuration() : it->second.ahead;
}

void Referee::Publish(Followed& followed, std::int64_t row) {
  followed.published_row = std::max(followed.published_row, row);
}

void Referee::CheckAnswer(const std::string& match_id, rules::Seat seat,
                          const match::Request& request,
                          const absl::StatusOr<std::vector<MatchEvent>>& answer) {
  Followed& followed = At(match_id);
  const auto move = std::find_if(
      followed.moves.begin(), followed.moves.end(),
      [&](const Move& posted) { return posted.request.request_id == request.request_id; });
  if (move != followed.moves.end()) {
    NAVAL_REQUIRE(
        answer.ok() || IsOpen(answer.status()) || move->head_seq != followed.match.head_seq() ||
            move->seat != seat,
        absl::StrCat("request ", request.request_id, " of ", match_id,
                     " was good and in time, and is refused: ", answer.status().ToString()));
    followed.moves.erase(move);
  }
  if (!answer.ok() && IsOpen(answer.status())) return;
  const auto row = followed.match.FindRequest(seat, request.request_id, request.request_digest);
  const std::string what = absl::StrCat("request ", request.request_id, " of ", match_id, " ");
  if (!row.ok()) {
    NAVAL_REQUIRE(
        answer.status().code() == row.status().code(),
        absl::StrCat(what, "was used before with another content, and that was not told: ",
                     answer.status().ToString()));
    return;
  }
  if (!answer.ok()) {
    NAVAL_REQUIRE(
        !row->has_value(),
        absl::StrCat(what, "had its effect, and is refused: ", answer.status().ToString()));
    return;
  }
  NAVAL_REQUIRE(row->has_value(), absl::StrCat(what, "is answered, and is not in the log"));
  const auto expected = followed.match.EventsOf(**row, rules::ViewerAt(seat));
  NAVAL_REQUIRE(answer->size() == expected.size(), absl::StrCat(what, "is answered differently"));
  NAVAL_REQUIRE(!request.expected_seq.has_value() || answer->empty() ||
                    answer->front().seq() == *request.expected_seq + 1,
                absl::StrCat(what, "was decided at another number than it expected"));
  for (const MatchEvent& event : *answer) {
    CheckEvent(match_id, followed, rules::ViewerAt(seat), event);
  }
  Publish(followed, **row);
}

void Referee::CheckEvent(const std::string& match_id, Followed& followed, rules::Viewer viewer,
                         const MatchEvent& event) {
  const auto& events = rules::OfViewer(followed.events, viewer);
  const std::string what = absl::StrCat("event ", event.seq(), " of ", match_id, " for viewer ",
                                        static_cast<int>(viewer));
  NAVAL_REQUIRE(event.seq() >= 1 && event.seq() <= static_cast<std::int64_t>(events.size()),
                absl::StrCat(what, " is told and not committed"));
  const auto index = static_cast<std::size_t>(event.seq()) - 1;
  NAVAL_REQUIRE(event.SerializeAsString() == events[index],
                absl::StrCat(what, " is told differently from what is committed"));
  Publish(followed, rules::OfViewer(followed.rows, viewer)[index]);
}

void Referee::CheckView(const std::string& match_id, rules::Viewer viewer,
                        const match::v1::Match& view, std::int64_t asked_row) {
  Followed& followed = At(match_id);
  const auto& last_seqs = rules::OfViewer(followed.last_seqs, viewer);
  const std::string what = absl::StrCat("the state of ", match_id, " at ", view.seq(),
                                        " for viewer ", static_cast<int>(viewer));
  NAVAL_REQUIRE(view.seq() <= last_seqs.back(), absl::StrCat(what, " is told and not committed"));
  if (asked_row > 0) {
    const std::int64_t least = last_seqs.at(static_cast<std::size_t>(asked_row) - 1);
    NAVAL_REQUIRE(view.seq() >= least,
                  absl::StrCat(what, " is older than what was told before it"));
  }
  CheckTime(followed, view.server_time());
  if (view.seq() != last_seqs.back()) return;
  NAVAL_REQUIRE(Comparable(view) == Comparable(followed.match.ViewFor(viewer, absl::UnixEpoch())),
                absl::StrCat(what, " is not what its log comes to"));
  if (!view.has_deadline()) return;
  const absl::Time deadline = TimeOf(view.deadline());
  followed.told_end = {deadline, fibers_.now() + (deadline - TimeOf(view.server_time()))};
}

void Referee::CheckTime(const Followed& followed,
                        const google::protobuf::Timestamp& server_time) const {
  const absl::Duration behind = followed.match.last_event_time() - TimeOf(server_time);
  NAVAL_REQUIRE(behind <= absl::ZeroDuration(),
                absl::StrCat("the time that is told in ", followed.match.match_id(), " is ",
                             absl::FormatDuration(behind), " behind its log"));
}

void Referee::CheckMessage(const std::string& match_id, rules::Viewer viewer,
                           const match::v1::WatchMatchResponse& message, std::int64_t asked_row) {
  if (message.has_event()) CheckEvent(match_id, At(match_id), viewer, message.event());
  for (const match::v1::MatchEvent& event : message.events().events()) {
    CheckEvent(match_id, At(match_id), viewer, event);
  }
  if (message.has_heartbeat()) CheckTime(At(match_id), message.heartbeat().server_time());
  if (message.has_snapshot()) CheckView(match_id, viewer, message.snapshot(), asked_row);
}

void Referee::RankingTold(const std::string& body) {
  ranking::v1::RecordResultRequest request;
  NAVAL_REQUIRE(request.ParseFromString(body), "the ranking is told something else");
  Followed& followed = At(request.match_id());
  NAVAL_REQUIRE(followed.match.over(), "the ranking is told of an end that is not committed");
  if (followed.result.has_value()) {
    NAVAL_REQUIRE(*followed.result == body, "the ranking is told two results of one match");
    return;
  }
  CheckPromptness(followed);
  followed.result = body;
  ++followed.times_rated;
}

void Referee::LobbyTold(const std::string& body) {
  lobby::v1::RecordMatchChangeRequest request;
  NAVAL_REQUIRE(request.ParseFromString(body), "the lobby is told something else");
  Followed& followed = At(request.match_id());
  NAVAL_REQUIRE(request.version() <= followed.match.head_seq(),
                "the lobby is told of a change that is not committed");
  if (request.version() < followed.lobby_version) return;
  if (followed.match.over() && request.version() > followed.lobby_version) {
    CheckPromptness(followed);
  }
  followed.lobby_version = request.version();
  followed.lobby_phase = request.phase();
}

void Referee::CheckPromptness(const Followed& followed) const {
  const absl::Duration took = fibers_.now() - followed.write_time;
  NAVAL_REQUIRE(followed.write_time < heal_time_ + kSettleDuration || took <= kMaxDeliveryDelay,
                absl::StrCat("the end of ", followed.match.match_id(), " is told after ",
                             absl::FormatDuration(took)));
}

void Referee::CheckDelivered() const {
  for (const auto& [match_id, followed] : matches_) {
    NAVAL_REQUIRE(followed.result.has_value(), absl::StrCat("no result of ", match_id, " arrived"));
    NAVAL_REQUIRE(followed.times_rated == 1,
                  absl::StrCat(match_id, " was rated ", followed.times_rated, " times"));
    NAVAL_REQUIRE(followed.lobby_phase == match::v1::PHASE_OVER,
                  absl::StrCat("the lobby does not know that ", match_id, " is over"));
  }
}

}  // namespace naval::simulation
