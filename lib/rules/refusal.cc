#include "lib/rules/refusal.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace naval::rules {
namespace {

struct Entry {
  Refusal refusal;
  absl::StatusCode code;
  absl::string_view reason;
  absl::string_view message;
};

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kNotNow = absl::StatusCode::kFailedPrecondition;

// In the order of the enum.
constexpr std::array<Entry, kRefusalCount> kTable = {{
    {Refusal::kInvalidSquare, kInvalid, "INVALID_SQUARE",
     "no such square: name a column of A to J and a row of 1 to 10, for example C7"},
    {Refusal::kUnknownShip, kInvalid, "UNKNOWN_SHIP",
     "the fleet has no such ship: use the ids of the rule set"},
    {Refusal::kShipPlacedTwice, kInvalid, "SHIP_PLACED_TWICE",
     "a draft names each ship at most once"},
    {Refusal::kIllegalFleet, kInvalid, "ILLEGAL_FLEET",
     "the fleet breaks the rules: mend every violation and confirm again"},
    {Refusal::kWrongNumberOfShots, kInvalid, "WRONG_NUMBER_OF_SHOTS",
     "fire as many shots as the turn has"},
    {Refusal::kSquareCalledTwice, kInvalid, "SQUARE_CALLED_TWICE",
     "a volley calls each square once"},
    {Refusal::kInvalidRound, kInvalid, "INVALID_ROUND",
     "name the round that the volley is for, from 1; without volleys name none"},
    {Refusal::kUnknownRuleSet, kInvalid, "UNKNOWN_RULE_SET",
     "no such rule set: use one of the known ones"},
    {Refusal::kOptionNotOffered, kInvalid, "OPTION_NOT_OFFERED",
     "the rule set does not offer this option at such a table"},
    {Refusal::kInvalidRuleSet, kInvalid, "INVALID_RULE_SET",
     "these rules cannot be played: mend every violation"},
    {Refusal::kNoLegalCompletion, kNotNow, "NO_LEGAL_COMPLETION",
     "the kept ships break the rules or leave no room for the others: move or remove some"},
    {Refusal::kFleetAlreadyConfirmed, kNotNow, "FLEET_ALREADY_CONFIRMED",
     "your fleet is confirmed: nothing moves any more"},
    {Refusal::kPlacementIsOver, kNotNow, "PLACEMENT_IS_OVER",
     "the battle has begun: nothing moves any more"},
    {Refusal::kBattleNotStarted, kNotNow, "BATTLE_NOT_STARTED",
     "shots are fired once both fleets are confirmed"},
    {Refusal::kNotYourTurn, kNotNow, "NOT_YOUR_TURN", "wait for your turn"},
    {Refusal::kNotThisRound, kNotNow, "NOT_THIS_ROUND",
     "the volley is for another round than the one that is due, and counts for none"},
    {Refusal::kVolleyAlreadyFired, kNotNow, "VOLLEY_ALREADY_FIRED",
     "your volley of this round is in and stands: wait for your rival's"},
    {Refusal::kCellAlreadyKnown, kNotNow, "CELL_ALREADY_KNOWN",
     "the square was shot at or is closed as water: choose another; your clock runs on"},
    {Refusal::kClockEnded, kNotNow, "CLOCK_ENDED", "the clock ended before this arrived"},
    {Refusal::kRivalNotAbsent, kNotNow, "RIVAL_NOT_ABSENT",
     "your rival is not absent: claim the match when only your rival's move is due and its clock "
     "has ended"},
    {Refusal::kMatchOver, kNotNow, "MATCH_OVER", "the match is over"},
}};

constexpr bool InOrder() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<std::size_t>(kTable[i].refusal) != i) return false;
  }
  return true;
}
static_assert(InOrder());

}  // namespace

absl::Status Refuse(Refusal refusal, const base::Metadata& metadata) {
  const Entry& entry = kTable[static_cast<std::size_t>(refusal)];
  std::string message(entry.message);
  if (!metadata.empty()) {
    absl::StrAppend(&message, " (", absl::StrJoin(metadata, ", ", absl::PairFormatter(": ")), ")");
  }
  return base::Error(entry.code, entry.reason, message, metadata);
}

absl::Status RefuseFleet(const RuleSet& rules, absl::Span<const Violation> violations) {
  absl::Status refusal = Refuse(Refusal::kIllegalFleet);
  const auto id = [&rules](int ship) { return rules.ships[static_cast<std::size_t>(ship)].id; };
  for (const Violation& violation : violations) {
    std::string description =
        absl::StrCat(ViolationKindName(violation.kind), ": ", id(violation.ship));
    if (violation.other_ship.has_value()) {
      absl::StrAppend(&description, ", ", id(*violation.other_ship));
    }
    refusal = base::WithFieldViolation(std::move(refusal), {"fleet", std::move(description)});
  }
  return refusal;
}

}  // namespace naval::rules
