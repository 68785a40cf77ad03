#pragma once

#include <cstdint>

#include "absl/time/time.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/view.h"
#include "naval/match/v1/match.pb.h"

namespace naval::wire {

// An event as its viewer gets it. `seq` is its number in this viewer's sequence; `viewer` must be
// the one that it was redacted for, since a fleet of one's own carries one's own seat. Pure; any
// thread.
match::v1::MatchEvent ToProto(const rules::RuleSet& rule_set, rules::Viewer viewer,
                              const rules::ViewerEvent& event, std::int64_t seq,
                              absl::Time event_time);

}  // namespace naval::wire
