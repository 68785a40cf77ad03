#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/base/random.h"
#include "lib/rules/event.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/seat.h"
#include "services/match/match_store.h"

namespace naval::match {

// A command that was decided, with its events: what a row of the log means. Hidden parts included.
struct Entry {
  // The first five as in LogRow, but that every command of a client has its digest here.
  int64_t seq = 0;
  std::optional<rules::Seat> seat = std::nullopt;
  std::string request_id = {};
  std::string request_digest = {};
  absl::Time event_time = absl::UnixEpoch();
  // At least one.
  std::vector<rules::Event> events;
};

// What a body is sealed with so that it opens in its own row only: the match, and every other
// column.
std::string AssociatedData(const std::string& match_id, const LogRow& row);

// The row that is stored of it. Its body is a log.v1.LogEntry, whole and sealed: a copy of the
// database tells of a match who is in it, which rows there are, whose and when, and of the events
// nothing but how long they may be (wire::LongestLogEntry). `random` as for Sealer::Seal.
LogRow SealRow(const std::string& match_id, const rules::RuleSet& rule_set, const Entry& entry,
               const auth::Sealer& sealer, base::Random& random);

// The entry of a row, also of one that was stored before rows were sealed. DATA_LOSS: it cannot be
// opened (see Sealer::Open), or what it holds cannot be read.
absl::StatusOr<Entry> OpenRow(const std::string& match_id, const rules::RuleSet& rule_set,
                              const LogRow& row, const auth::Sealer& sealer);

}  // namespace naval::match
