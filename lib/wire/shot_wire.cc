#include "lib/wire/shot_wire.h"

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/wire/result_wire.h"

namespace naval::wire {

SquareNames ToProto(rules::SquareSet squares) {
  SquareNames names;
  names.Reserve(squares.size());
  for (const rules::Square square : squares) names.Add(square.ToString());
  return names;
}

absl::StatusOr<std::vector<rules::Square>> FromProto(const SquareNames& names,
                                                     absl::string_view field) {
  std::vector<rules::Square> squares;
  squares.reserve(static_cast<std::size_t>(names.size()));
  for (int i = 0; i < names.size(); ++i) {
    const absl::StatusOr<rules::Square> square = rules::Square::Parse(names[i]);
    if (!square.ok()) {
      return base::InField(square.status(), absl::StrFormat("%s[%d]", field, i));
    }
    squares.push_back(*square);
  }
  return squares;
}

match::v1::ShotResult ToProto(rules::ShotResult result) {
  switch (result) {
    case rules::ShotResult::kWater:
      return match::v1::SHOT_RESULT_WATER;
    case rules::ShotResult::kHit:
      return match::v1::SHOT_RESULT_HIT;
    case rules::ShotResult::kSunk:
      return match::v1::SHOT_RESULT_SUNK;
    case rules::ShotResult::kUnknown:
      return match::v1::SHOT_RESULT_UNKNOWN;
  }
  NAVAL_CHECK(false);
}

absl::StatusOr<rules::ShotResult> FromProto(match::v1::ShotResult result, absl::string_view field) {
  switch (result) {
    case match::v1::SHOT_RESULT_WATER:
      return rules::ShotResult::kWater;
    case match::v1::SHOT_RESULT_HIT:
      return rules::ShotResult::kHit;
    case match::v1::SHOT_RESULT_SUNK:
      return rules::ShotResult::kSunk;
    default:
      return base::InvalidField("INVALID_SHOT_RESULT", field,
                                "must be SHOT_RESULT_WATER, SHOT_RESULT_HIT or SHOT_RESULT_SUNK");
  }
}

match::v1::ShotMark ToProto(const rules::RuleSet& rule_set, const rules::SeenShot& shot) {
  match::v1::ShotMark proto;
  proto.set_square(shot.square.ToString());
  proto.set_result(ToProto(shot.result));
  if (shot.sunk_ship.has_value()) {
    proto.set_sunk_ship_id(rule_set.ships.at(static_cast<std::size_t>(*shot.sunk_ship)).id);
  }
  return proto;
}

match::v1::VolleyAnswered ToProto(const rules::RuleSet& rule_set,
                                  const rules::VolleyAnswered& answer) {
  match::v1::VolleyAnswered proto;
  proto.set_seat(ToProto(answer.seat));
  proto.set_round(answer.round);
  *proto.mutable_squares() = ToProto(answer.squares);
  const std::vector<absl::string_view> classes = rules::ShipClasses(rule_set);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (answer.hits.at(i) == 0) continue;
    match::v1::ClassHits& hits = *proto.add_hits();
    hits.set_ship_class(std::string(classes[i]));
    hits.set_hits(answer.hits[i]);
  }
  for (const int ship : answer.sunk_ships) {
    proto.add_sunk_ships(rule_set.ships.at(static_cast<std::size_t>(ship)).id);
  }
  return proto;
}

}  // namespace naval::wire
