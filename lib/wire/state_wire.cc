#include "lib/wire/state_wire.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "lib/base/check.h"
#include "lib/base/status_macros.h"
#include "lib/rules/game.h"
#include "lib/wire/result_wire.h"
#include "lib/wire/time_wire.h"

namespace naval::wire {
namespace {

namespace log = match::log::v1;

match::v1::Phase PhaseToLog(rules::Phase phase) {
  NAVAL_CHECK(phase == rules::Phase::kPlacement || phase == rules::Phase::kBattle);
  return phase == rules::Phase::kPlacement ? match::v1::PHASE_PLACEMENT : match::v1::PHASE_BATTLE;
}

void AppendByte(int value, std::string& bytes) {
  NAVAL_CHECK(0 <= value && value <= 0xff);
  bytes.push_back(static_cast<char>(static_cast<std::uint8_t>(value)));
}

template <typename Squares>
void AppendSquares(const Squares& squares, std::string& bytes) {
  for (const rules::Square square : squares) AppendByte(square.index(), bytes);
}

void WriteSide(const rules::SideState& side, log::SideState& proto) {
  for (const rules::ShipPlacement& placement : side.fleet) {
    const bool vertical = placement.orientation == rules::Orientation::kVertical;
    AppendByte(2 * placement.ship + (vertical ? 1 : 0), *proto.mutable_fleet());
    AppendByte(placement.bow.index(), *proto.mutable_fleet());
  }
  proto.set_confirmed(side.confirmed);
  AppendSquares(side.shots, *proto.mutable_shots());
  if (side.volley.has_value()) AppendSquares(*side.volley, *proto.mutable_volley());
  proto.set_strikes(side.strikes);
}

absl::Status Damaged(absl::string_view part, absl::string_view fault) {
  return absl::DataLossError(absl::StrCat("game state: ", part, ": ", fault));
}

absl::StatusOr<rules::Square> ReadSquare(const rules::RuleSet& rule_set, char byte,
                                         absl::string_view part) {
  const int index = static_cast<std::uint8_t>(byte);
  if (index >= rules::kMaxSquares) return Damaged(part, "has a byte that is no square");
  const rules::Square square = rules::Square::FromIndex(index);
  if (square.column() >= rule_set.board_size || square.row() >= rule_set.board_size) {
    return Damaged(part, "has a square outside the board");
  }
  return square;
}

// A draft may break the rules: its ships may stand anywhere on the largest board, and be twice as
// many as those of the rule set (fleet_wire.h).
absl::StatusOr<rules::Fleet> ReadFleet(const rules::RuleSet& rule_set, const std::string& bytes) {
  if (bytes.size() % 2 != 0) return Damaged("fleet", "has half a ship");
  if (bytes.size() / 2 > 2 * rule_set.ships.size()) return Damaged("fleet", "has too many ships");
  rules::Fleet fleet;
  fleet.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    const int ship = static_cast<std::uint8_t>(bytes[i]);
    const int bow = static_cast<std::uint8_t>(bytes[i + 1]);
    if (static_cast<std::size_t>(ship / 2) >= rule_set.ships.size()) {
      return Damaged("fleet", "has a ship that the rule set has not");
    }
    if (bow >= rules::kMaxSquares) return Damaged("fleet", "has a byte that is no square");
    fleet.push_back({.ship = ship / 2,
                     .bow = rules::Square::FromIndex(bow),
                     .orientation = ship % 2 == 0 ? rules::Orientation::kHorizontal
                                                  : rules::Orientation::kVertical});
  }
  return fleet;
}

absl::StatusOr<std::vector<rules::Square>> ReadSquares(const rules::RuleSet& rule_set,
                                                       const std::string& bytes,
                                                       absl::string_view part) {
  std::vector<rules::Square> squares;
  squares.reserve(bytes.size());
  for (const char byte : bytes) {
    NAVAL_ASSIGN_OR_RETURN(const rules::Square square, ReadSquare(rule_set, byte, part));
    squares.push_back(square);
  }
  return squares;
}

absl::StatusOr<std::optional<rules::SquareSet>> ReadVolley(const rules::RuleSet& rule_set,
                                                           const std::string& bytes) {
  if (bytes.empty()) return std::nullopt;
  NAVAL_ASSIGN_OR_RETURN(const std::vector<rules::Square> squares,
                         ReadSquares(rule_set, bytes, "volley"));
  rules::SquareSet volley;
  for (const rules::Square square : squares) volley.Add(square);
  if (!std::equal(volley.begin(), volley.end(), squares.begin(), squares.end())) {
    return Damaged("volley", "is not ascending");
  }
  return volley;
}

absl::StatusOr<rules::SideState> ReadSide(const rules::RuleSet& rule_set,
                                          const log::SideState& proto) {
  rules::SideState side{.confirmed = proto.confirmed(), .strikes = proto.strikes()};
  NAVAL_ASSIGN_OR_RETURN(side.fleet, ReadFleet(rule_set, proto.fleet()));
  NAVAL_ASSIGN_OR_RETURN(side.shots, ReadSquares(rule_set, proto.shots(), "shots"));
  NAVAL_ASSIGN_OR_RETURN(side.volley, ReadVolley(rule_set, proto.volley()));
  return side;
}

absl::StatusOr<rules::Phase> ReadPhase(match::v1::Phase phase) {
  switch (phase) {
    case match::v1::PHASE_PLACEMENT:
      return rules::Phase::kPlacement;
    case match::v1::PHASE_BATTLE:
      return rules::Phase::kBattle;
    default:
      return Damaged("phase", "is none in which a match lasts");
  }
}

absl::StatusOr<std::optional<rules::Seat>> ReadSeat(match::v1::Seat seat, absl::string_view part) {
  switch (seat) {
    case match::v1::SEAT_UNSPECIFIED:
      return std::nullopt;
    case match::v1::SEAT_FIRST:
      return rules::Seat::kFirst;
    case match::v1::SEAT_SECOND:
      return rules::Seat::kSecond;
    default:
      return Damaged(part, "is no seat");
  }
}

absl::StatusOr<absl::Time> ReadTime(const google::protobuf::Timestamp& time,
                                    absl::string_view part) {
  absl::StatusOr<absl::Time> read = FromProto(time, part);
  // What is an INVALID_ARGUMENT from a client is a damaged state here.
  if (!read.ok()) return Damaged(part, read.status().message());
  return read;
}

}  // namespace

void ToLog(const rules::GameState& state, log::GameState& proto) {
  proto.set_phase(PhaseToLog(state.phase));
  for (const rules::SideState& side : state.sides) WriteSide(side, *proto.add_sides());
  proto.set_starter(ToProto(state.starter));
  proto.set_turn(ToProto(state.turn));
  proto.set_round(state.round);
  proto.set_volley_sizes(state.volley_sizes.data(), state.volley_sizes.size());
  if (state.deadline.has_value()) *proto.mutable_deadline() = ToProto(*state.deadline);
  if (state.idle_deadline.has_value()) {
    *proto.mutable_idle_deadline() = ToProto(*state.idle_deadline);
  }
}

absl::StatusOr<rules::GameState> FromLog(const rules::RuleSet& rule_set,
                                         const log::GameState& proto) {
  if (proto.sides_size() != 2) return Damaged("sides", "must be two");
  rules::GameState state{.volley_sizes = {proto.volley_sizes().begin(), proto.volley_sizes().end()},
                         .round = proto.round()};
  for (const rules::Seat seat : rules::kSeats) {
    NAVAL_ASSIGN_OR_RETURN(rules::OfSeat(state.sides, seat),
                           ReadSide(rule_set, proto.sides(rules::SeatIndex(seat))));
  }
  NAVAL_ASSIGN_OR_RETURN(state.phase, ReadPhase(proto.phase()));
  NAVAL_ASSIGN_OR_RETURN(state.starter, ReadSeat(proto.starter(), "starter"));
  NAVAL_ASSIGN_OR_RETURN(state.turn, ReadSeat(proto.turn(), "turn"));
  if (proto.has_deadline()) {
    NAVAL_ASSIGN_OR_RETURN(state.deadline, ReadTime(proto.deadline(), "deadline"));
  }
  if (proto.has_idle_deadline()) {
    NAVAL_ASSIGN_OR_RETURN(state.idle_deadline, ReadTime(proto.idle_deadline(), "idle_deadline"));
  }
  return state;
}

std::size_t LongestGameState(const rules::RuleSet& rule_set, const rules::GameState& state) {
  // Ships and squares take the same place whatever they are, so that only their number counts, and
  // what is hidden of that is how many ships a draft has.
  rules::GameState longest = state;
  for (rules::SideState& side : longest.sides) {
    side.fleet.resize(std::max(side.fleet.size(), rule_set.ships.size()));
  }
  google::protobuf::Arena arena;
  auto& proto = *google::protobuf::Arena::CreateMessage<log::GameState>(&arena);
  ToLog(longest, proto);
  return proto.ByteSizeLong();
}

}  // namespace naval::wire
