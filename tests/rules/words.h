#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/rules/event.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/view.h"

namespace naval::rules {

// What happens in a match, in the words of the transcripts. Times are counted from its start.

// All events, for example "first fires A9: hit; due first until 25s". "nothing" for none.
std::string EventWords(const RuleSet& rules, const std::vector<Event>& events);
std::string EventWords(const RuleSet& rules, const std::vector<ViewerEvent>& events);

// The reason of a refusal, followed by the fields at fault: "refused ILLEGAL_FLEET: missing:
// lancha".
std::string RefusalWords(const absl::Status& refusal);

// One thing that a view shows of the match ("phase", "turn", "clock", "result") or of a seat's sea
// ("ready", "fleet", "shots", "ring", "open", "sunk", "afloat", "strikes"). INVALID_ARGUMENT for
// any other.
absl::StatusOr<std::string> SightWords(const GameView& view, absl::string_view what);
absl::StatusOr<std::string> SightWords(const GameView& view, Seat seat, absl::string_view what);

}  // namespace naval::rules
