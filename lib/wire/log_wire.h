#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

// What is stored of a command.
struct LogEntry {
  // All its events, at least one.
  std::vector<rules::Event> events;
  // Hash of the request that was the command; empty when no client sent it.
  std::string request_digest = {};
};

// The bytes of a log.v1.LogEntry.
std::string SerializeLogEntry(const rules::RuleSet& rule_set, const LogEntry& entry);

// How long an entry may be that differs from this one in nothing but what is hidden while the match
// lasts: drafts, fleets, volleys, and where a ship stands that sank. Entries padded to this size do
// not tell by it what they hide.
std::size_t LongestLogEntry(const rules::RuleSet& rule_set, const LogEntry& entry);

// DATA_LOSS as above, and when the bytes are no LogEntry or hold no event.
absl::StatusOr<LogEntry> ParseLogEntry(const rules::RuleSet& rule_set, absl::string_view bytes);

}  // namespace naval::wire
