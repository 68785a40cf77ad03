#include "lib/wire/log_wire.h"

#include <google/protobuf/arena.h>

#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/status_macros.h"
#include "lib/rules/placement.h"
#include "lib/rules/square.h"
#include "lib/wire/fleet_wire.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/shot_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::wire {
namespace {

namespace log = match::log::v1;

// Fills the kind of event into a log Event.
class EventWriter {
 public:
  EventWriter(const rules::RuleSet& rule_set, log::Event& out) : rule_set_(rule_set), out_(out) {}

  void operator()(const rules::PlacementStarted& event) const {
    log::PlacementStarted& proto = *out_.mutable_placement_started();
    if (event.deadline.has_value()) *proto.mutable_deadline() = ToProto(*event.deadline);
  }

  void operator()(const rules::DraftChanged& event) const {
    log::DraftChanged& proto = *out_.mutable_draft_changed();
    proto.set_seat(ToProto(event.seat));
    *proto.mutable_fleet() = ToProto(rule_set_, event.draft);
  }

  void operator()(const rules::FleetConfirmed& event) const {
    log::FleetConfirmed& proto = *out_.mutable_fleet_confirmed();
    proto.set_seat(ToProto(event.seat));
    *proto.mutable_fleet() = ToProto(rule_set_, event.fleet);
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::BattleStarted& event) const {
    out_.mutable_battle_started()->set_starter(ToProto(event.starter));
  }

  void operator()(const rules::ShotDue& event) const {
    log::ShotDue& proto = *out_.mutable_shot_due();
    proto.set_seat(ToProto(event.seat));
    if (event.deadline.has_value()) *proto.mutable_deadline() = ToProto(*event.deadline);
  }

  void operator()(const rules::ClockRanOut& event) const {
    log::ClockRanOut& proto = *out_.mutable_clock_ran_out();
    proto.set_seat(ToProto(event.seat));
    proto.set_strikes(event.strikes);
  }

  void operator()(const rules::ShotFired& event) const {
    log::ShotFired& proto = *out_.mutable_shot_fired();
    proto.set_seat(ToProto(event.seat));
    proto.set_square(event.square.ToString());
    proto.set_result(ToProto(event.impact.result));
    if (event.impact.sunk_ship.has_value()) {
      *proto.mutable_sunk_ship() = ToProto(rule_set_, *event.impact.sunk_ship);
    }
    *proto.mutable_ring_squares() = ToProto(event.impact.ring);
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::VolleyDue& event) const {
    log::VolleyDue& proto = *out_.mutable_volley_due();
    proto.set_round(event.round);
    for (const int shots : event.shots) proto.add_shots(shots);
    if (event.deadline.has_value()) *proto.mutable_deadline() = ToProto(*event.deadline);
  }

  void operator()(const rules::VolleyFired& event) const {
    log::VolleyFired& proto = *out_.mutable_volley_fired();
    proto.set_seat(ToProto(event.seat));
    *proto.mutable_squares() = ToProto(event.squares);
    proto.set_by_clock(event.by_clock);
  }

  void operator()(const rules::VolleyAnswered& event) const {
    log::VolleyAnswered& proto = *out_.mutable_volley_answered();
    proto.set_seat(ToProto(event.seat));
    proto.set_round(event.round);
    *proto.mutable_squares() = ToProto(event.squares);
    for (const int hits : event.hits) proto.add_hits(hits);
    for (const int ship : event.sunk_ships) {
      proto.add_sunk_ships(rule_set_.ships.at(static_cast<std::size_t>(ship)).id);
    }
  }

  void operator()(const rules::ClockAdjusted& event) const {
    *out_.mutable_clock_adjusted()->mutable_deadline() = ToProto(event.deadline);
  }

  void operator()(const rules::IdleClockSet& event) const {
    *out_.mutable_idle_clock_set()->mutable_deadline() = ToProto(event.deadline);
  }

  void operator()(const rules::MatchEnded& event) const {
    log::MatchEnded& proto = *out_.mutable_match_ended();
    proto.set_winner(ToProto(event.winner));
    proto.set_reason(ToProto(event.reason));
    *proto.mutable_illegal_fleet() = ToProto(rule_set_, event.illegal_fleet);
  }

 private:
  const rules::RuleSet& rule_set_;
  log::Event& out_;
};

// Makes an event as long as one can be that differs in hidden parts alone. It has to be no event
// that can happen.
class Lengthen {
 public:
  explicit Lengthen(const rules::RuleSet& rule_set) : rule_set_(rule_set) {}

  void operator()(rules::DraftChanged& event) const { event.draft = LongestFleet(); }
  void operator()(rules::FleetConfirmed& event) const { event.fleet = LongestFleet(); }
  void operator()(rules::ShotFired& event) const {
    if (event.impact.sunk_ship.has_value()) event.impact.sunk_ship->bow = kLongestName;
  }
  // How many shots a volley has is no secret.
  void operator()(rules::VolleyFired& event) const {
    const int size = event.squares.size();
    event.squares = {};
    for (int row = rules::kMaxBoardSize - 1; row >= 0; --row) {
      for (int column = 0; column < rules::kMaxBoardSize; ++column) {
        if (event.squares.size() < size) event.squares.Add(rules::Square(column, row));
      }
    }
  }
  template <typename Open>
  void operator()(Open&) const {}

 private:
  // "J10".
  static constexpr rules::Square kLongestName{rules::kMaxBoardSize - 1, rules::kMaxBoardSize - 1};

  rules::Fleet LongestFleet() const {
    rules::Fleet fleet;
    for (std::size_t ship = 0; ship < rule_set_.ships.size(); ++ship) {
      fleet.push_back({.ship = static_cast<int>(ship), .bow = kLongestName});
    }
    return fleet;
  }

  const rules::RuleSet& rule_set_;
};

// A LogEntry has a dozen messages and texts. A process reads and writes millions, and half of the
// time would go into allocating each by itself.
log::LogEntry& NewEntry(google::protobuf::Arena& arena) {
  return *google::protobuf::Arena::CreateMessage<log::LogEntry>(&arena);
}

void WriteEntry(const rules::RuleSet& rule_set, const LogEntry& entry, log::LogEntry& proto) {
  NAVAL_CHECK(!entry.events.empty());
  for (const rules::Event& event : entry.events) {
    std::visit(EventWriter(rule_set, *proto.add_events()), event);
  }
  proto.set_request_digest(entry.request_digest);
}

absl::Status Damaged(absl::string_view part, absl::string_view fault) {
  return absl::DataLossError(absl::StrCat(part, ": ", fault));
}

// The optional end of a clock.
template <typename Message>
absl::StatusOr<std::optional<absl::Time>> ReadDeadline(const Message& message) {
  std::optional<absl::Time> deadline;
  if (message.has_deadline()) {
    NAVAL_ASSIGN_OR_RETURN(deadline, FromProto(message.deadline(), "deadline"));
  }
  return deadline;
}

// One for each kind of event. Errors are those of the parts; FromLog turns them into DATA_LOSS.

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::PlacementStarted& proto) {
  NAVAL_ASSIGN_OR_RETURN(const std::optional<absl::Time> deadline, ReadDeadline(proto));
  return rules::PlacementStarted{.deadline = deadline};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet& rule_set, const log::DraftChanged& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  NAVAL_ASSIGN_OR_RETURN(rules::Fleet draft, FromProto(rule_set, proto.fleet(), "fleet"));
  return rules::DraftChanged{.seat = seat, .draft = std::move(draft)};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet& rule_set,
                                  const log::FleetConfirmed& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  NAVAL_ASSIGN_OR_RETURN(rules::Fleet fleet, FromProto(rule_set, proto.fleet(), "fleet"));
  if (!rules::CheckFleet(rule_set, fleet).empty()) return Damaged("fleet", "is not a legal one");
  return rules::FleetConfirmed{
      .seat = seat, .fleet = std::move(fleet), .by_clock = proto.by_clock()};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::BattleStarted& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat starter, FromProto(proto.starter(), "starter"));
  return rules::BattleStarted{.starter = starter};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::ShotDue& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  NAVAL_ASSIGN_OR_RETURN(const std::optional<absl::Time> deadline, ReadDeadline(proto));
  return rules::ShotDue{.seat = seat, .deadline = deadline};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::ClockRanOut& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  if (proto.strikes() < 1) return Damaged("strikes", "must be 1 or more");
  return rules::ClockRanOut{.seat = seat, .strikes = proto.strikes()};
}

absl::StatusOr<rules::Impact> ReadImpact(const rules::RuleSet& rule_set,
                                         const log::ShotFired& proto) {
  rules::Impact impact;
  NAVAL_ASSIGN_OR_RETURN(impact.result, FromProto(proto.result(), "result"));
  if (proto.has_sunk_ship() != (impact.result == rules::ShotResult::kSunk)) {
    return Damaged("sunk_ship", "must stand with SHOT_RESULT_SUNK and with nothing else");
  }
  if (proto.has_sunk_ship()) {
    NAVAL_ASSIGN_OR_RETURN(impact.sunk_ship, FromProto(rule_set, proto.sunk_ship(), "sunk_ship"));
    if (!rules::ShipSquares(rule_set, *impact.sunk_ship).has_value()) {
      return Damaged("sunk_ship", "leaves the board");
    }
  }
  NAVAL_ASSIGN_OR_RETURN(const std::vector<rules::Square> ring,
                         FromProto(proto.ring_squares(), "ring_squares"));
  for (const rules::Square square : ring) impact.ring.Add(square);
  if (!rules::SquareSet::Board(rule_set.board_size).ContainsAll(impact.ring)) {
    return Damaged("ring_squares", "leave the board");
  }
  return impact;
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet& rule_set, const log::ShotFired& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  NAVAL_ASSIGN_OR_RETURN(const rules::Square square, rules::Square::Parse(proto.square()));
  if (!rules::SquareSet::Board(rule_set.board_size).Contains(square)) {
    return Damaged("square", "is outside the board");
  }
  NAVAL_ASSIGN_OR_RETURN(const rules::Impact impact, ReadImpact(rule_set, proto));
  return rules::ShotFired{
      .seat = seat, .square = square, .impact = impact, .by_clock = proto.by_clock()};
}

absl::StatusOr<rules::SquareSet> ReadSquares(const rules::RuleSet& rule_set,
                                             const SquareNames& names) {
  NAVAL_ASSIGN_OR_RETURN(const std::vector<rules::Square> squares, FromProto(names, "squares"));
  rules::SquareSet set;
  for (const rules::Square square : squares) set.Add(square);
  if (!rules::SquareSet::Board(rule_set.board_size).ContainsAll(set)) {
    return Damaged("squares", "leave the board");
  }
  return set;
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::VolleyDue& proto) {
  if (proto.shots_size() != 2) return Damaged("shots", "must be those of both seats");
  NAVAL_ASSIGN_OR_RETURN(const std::optional<absl::Time> deadline, ReadDeadline(proto));
  return rules::VolleyDue{
      .round = proto.round(), .shots = {proto.shots(0), proto.shots(1)}, .deadline = deadline};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet& rule_set, const log::VolleyFired& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  NAVAL_ASSIGN_OR_RETURN(const rules::SquareSet squares, ReadSquares(rule_set, proto.squares()));
  return rules::VolleyFired{.seat = seat, .squares = squares, .by_clock = proto.by_clock()};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet& rule_set,
                                  const log::VolleyAnswered& proto) {
  NAVAL_ASSIGN_OR_RETURN(const rules::Seat seat, FromProto(proto.seat(), "seat"));
  NAVAL_ASSIGN_OR_RETURN(const rules::SquareSet squares, ReadSquares(rule_set, proto.squares()));
  if (static_cast<std::size_t>(proto.hits_size()) != rules::ShipClasses(rule_set).size()) {
    return Damaged("hits", "must be those of each class");
  }
  rules::VolleyAnswered event{.seat = seat,
                              .round = proto.round(),
                              .squares = squares,
                              .hits = {proto.hits().begin(), proto.hits().end()},
                              .sunk_ships = {}};
  for (const std::string& id : proto.sunk_ships()) {
    NAVAL_ASSIGN_OR_RETURN(const int ship, rules::FindShip(rule_set, id));
    event.sunk_ships.push_back(ship);
  }
  return event;
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::ClockAdjusted& proto) {
  if (!proto.has_deadline()) return Damaged("deadline", "is missing");
  NAVAL_ASSIGN_OR_RETURN(const absl::Time deadline, FromProto(proto.deadline(), "deadline"));
  return rules::ClockAdjusted{.deadline = deadline};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet&, const log::IdleClockSet& proto) {
  if (!proto.has_deadline()) return Damaged("deadline", "is missing");
  NAVAL_ASSIGN_OR_RETURN(const absl::Time deadline, FromProto(proto.deadline(), "deadline"));
  return rules::IdleClockSet{.deadline = deadline};
}

absl::StatusOr<rules::Event> Read(const rules::RuleSet& rule_set, const log::MatchEnded& proto) {
  std::optional<rules::Seat> winner;
  if (proto.winner() != match::v1::SEAT_UNSPECIFIED) {
    NAVAL_ASSIGN_OR_RETURN(winner, FromProto(proto.winner(), "winner"));
  }
  NAVAL_ASSIGN_OR_RETURN(const rules::EndReason reason, FromProto(proto.reason(), "reason"));
  // Whether it is illegal, and by these rules loses, is asked of the game.
  NAVAL_ASSIGN_OR_RETURN(rules::Fleet illegal,
                         FromProto(rule_set, proto.illegal_fleet(), "illegal_fleet"));
  return rules::MatchEnded{.winner = winner, .reason = reason, .illegal_fleet = std::move(illegal)};
}

absl::StatusOr<rules::Event> ReadKind(const rules::RuleSet& rule_set, const log::Event& event) {
  switch (event.event_case()) {
    case log::Event::kPlacementStarted:
      return Read(rule_set, event.placement_started());
    case log::Event::kDraftChanged:
      return Read(rule_set, event.draft_changed());
    case log::Event::kFleetConfirmed:
      return Read(rule_set, event.fleet_confirmed());
    case log::Event::kBattleStarted:
      return Read(rule_set, event.battle_started());
    case log::Event::kShotDue:
      return Read(rule_set, event.shot_due());
    case log::Event::kShotFired:
      return Read(rule_set, event.shot_fired());
    case log::Event::kClockRanOut:
      return Read(rule_set, event.clock_ran_out());
    case log::Event::kClockAdjusted:
      return Read(rule_set, event.clock_adjusted());
    case log::Event::kVolleyDue:
      return Read(rule_set, event.volley_due());
    case log::Event::kVolleyFired:
      return Read(rule_set, event.volley_fired());
    case log::Event::kVolleyAnswered:
      return Read(rule_set, event.volley_answered());
    case log::Event::kIdleClockSet:
      return Read(rule_set, event.idle_clock_set());
    case log::Event::kMatchEnded:
      return Read(rule_set, event.match_ended());
    case log::Event::EVENT_NOT_SET:
      break;
  }
  return Damaged("event", "is of no kind known here");
}

}  // namespace

log::Event ToLog(const rules::RuleSet& rule_set, const rules::Event& event) {
  log::Event proto;
  std::visit(EventWriter(rule_set, proto), event);
  return proto;
}

absl::StatusOr<rules::Event> FromLog(const rules::RuleSet& rule_set, const log::Event& event) {
  absl::StatusOr<rules::Event> read = ReadKind(rule_set, event);
  if (read.ok()) return read;
  // What is an INVALID_ARGUMENT from a client is a damaged log here.
  return absl::DataLossError(absl::StrCat("log event ", static_cast<int>(event.event_case()), ": ",
                                          read.status().message()));
}

std::string SerializeLogEntry(const rules::RuleSet& rule_set, const LogEntry& entry) {
  google::protobuf::Arena arena;
  log::LogEntry& proto = NewEntry(arena);
  WriteEntry(rule_set, entry, proto);
  return proto.SerializeAsString();
}

std::size_t LongestLogEntry(const rules::RuleSet& rule_set, const LogEntry& entry) {
  LogEntry longest = entry;
  for (rules::Event& event : longest.events) std::visit(Lengthen(rule_set), event);
  google::protobuf::Arena arena;
  log::LogEntry& proto = NewEntry(arena);
  WriteEntry(rule_set, longest, proto);
  return proto.ByteSizeLong();
}

absl::StatusOr<LogEntry> ParseLogEntry(const rules::RuleSet& rule_set, absl::string_view bytes) {
  google::protobuf::Arena arena;
  log::LogEntry& proto = NewEntry(arena);
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("log entry: the bytes are no LogEntry");
  }
  if (proto.events().empty()) return absl::DataLossError("log entry: holds no event");
  LogEntry entry{.events = {}, .request_digest = proto.request_digest()};
  entry.events.reserve(static_cast<std::size_t>(proto.events_size()));
  for (const log::Event& event : proto.events()) {
    NAVAL_ASSIGN_OR_RETURN(rules::Event read, FromLog(rule_set, event));
    entry.events.push_back(std::move(read));
  }
  return entry;
}

}  // namespace naval::wire
