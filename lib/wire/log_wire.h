#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lib/rules/event.h"
#include "lib/rules/rule_set.h"
#include "naval/match/log/v1/log.pb.h"

namespace naval::wire {

// Events in their stored form, hidden parts included: never send one to a client. What an earlier
// version wrote stays readable (testdata/log_v1.txt). Pure; any thread.

match::log::v1::Event ToLog(const rules::RuleSet& rule_set, const rules::Event& event);

// DATA_LOSS, naming the part at fault, for an event that no version wrote, or a later one than
// this. What is checked is the event alone, not whether it can follow the ones before it.
absl::StatusOr<rules::Event> FromLog(const rules::RuleSet& rule_set,
                                     const match::log::v1::Event& event);

// The body of a log row: all events of one command, at least one, as the bytes of a LogEntry.
std::string SerializeLogEntry(const rules::RuleSet& rule_set,
                              absl::Span<const rules::Event> events);

// DATA_LOSS as above, and when the bytes are no LogEntry or hold no event.
absl::StatusOr<std::vector<rules::Event>> ParseLogEntry(const rules::RuleSet& rule_set,
                                                        absl::string_view bytes);

}  // namespace naval::wire
