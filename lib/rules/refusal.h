#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/base/error.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"

namespace naval::rules {

// Why a command is refused. Each stands in one table (refusal.cc) with its status code, its reason
// and its message. Neither depends on anything hidden: the same words whatever the rival's fleet is
// (T-23). A refused command changes nothing, costs nothing and leaves the clock running.
enum class Refusal : std::uint8_t {
  // INVALID_ARGUMENT: the command itself is wrong.
  kInvalidSquare,
  kUnknownShip,
  kShipPlacedTwice,
  kIllegalFleet,
  kWrongNumberOfShots,
  kSquareCalledTwice,
  kInvalidRound,
  kUnknownRuleSet,
  kOptionNotOffered,
  kInvalidRuleSet,
  // FAILED_PRECONDITION: right command, wrong moment.
  kNoLegalCompletion,
  kFleetAlreadyConfirmed,
  kPlacementIsOver,
  kBattleNotStarted,
  kNotYourTurn,
  kNotThisRound,
  kVolleyAlreadyFired,
  kCellAlreadyKnown,
  kClockEnded,
  kRivalNotAbsent,
  kMatchOver,
};

// How many there are: tests walk over all of them.
inline constexpr int kRefusalCount = static_cast<int>(Refusal::kMatchOver) + 1;

// The status of the refusal (see lib/base/error.h), whose reason is in UPPER_SNAKE, for example
// "CELL_ALREADY_KNOWN". `metadata` says what it is about, for example
// {"square", "C7"}, and is repeated in the message: it must hold nothing hidden.
absl::Status Refuse(Refusal refusal, const base::Metadata& metadata = {});

// kIllegalFleet with every violation, each as a field violation of "fleet".
absl::Status RefuseFleet(const RuleSet& rules, absl::Span<const Violation> violations);

}  // namespace naval::rules
