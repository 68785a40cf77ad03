#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/rule_sets.h"

namespace naval::rules {

// What a rule set that a player made up must keep to. Times are whole seconds; where one is
// absent no clock runs.
inline constexpr int kCustomBoardSize = 10;
inline constexpr int kMaxShips = 15;
inline constexpr int kMaxShipLength = 6;
// Characters of a ship's id or class: printable ASCII without blanks at its ends.
inline constexpr int kMaxShipName = 32;
inline constexpr int kMaxShotsPerTurn = 10;
inline constexpr int kMaxStrikes = 10;
inline constexpr absl::Duration kMinPlacementDuration = absl::Seconds(30);
inline constexpr absl::Duration kMinShotDuration = absl::Seconds(5);
inline constexpr absl::Duration kMaxClockDuration = absl::Hours(7 * 24);
inline constexpr absl::Duration kMinIdleDuration = absl::Hours(24);
inline constexpr absl::Duration kMaxIdleDuration = absl::Hours(30 * 24);
// What there is between the end of the longest clock and the void end, where who waits may claim.
inline constexpr absl::Duration kMinClaimDuration = absl::Hours(24);

// Whether the engine can play by these rules and every fleet by them can be laid. INVALID_ARGUMENT,
// reason INVALID_RULE_SET, with every fault as a violation of the field at fault ("board_size",
// "ships", "ships[3].length", ...). The id of the rule set is not looked at. Pure; any thread.
absl::Status CheckCustomRules(const RuleSet& rules, Opponent opponent);

// Whether ships of these lengths, 1 to kMaxShipLength each, all find room on a board of
// kCustomBoardSize. Exact for up to kMaxShips ships.
bool CanAllBePlaced(absl::Span<const int> lengths, bool ships_may_touch);

}  // namespace naval::rules
