#include "services/match/sealed_row.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/status_macros.h"
#include "lib/wire/log_wire.h"

namespace naval::match {

// Ids are of one spelling and without blanks, so no two rows have the same.
std::string AssociatedData(const std::string& match_id, const LogRow& row) {
  return absl::StrCat("naval match log row v1: ", match_id, " ", row.seq, " ",
                      row.seat.has_value() ? absl::StrCat(rules::SeatIndex(*row.seat)) : "none",
                      " ", row.request_id, " ", absl::ToUnixMicros(row.event_time));
}

LogRow SealRow(const std::string& match_id, const rules::RuleSet& rule_set, const Entry& entry,
               const auth::Sealer& sealer, base::Random& random) {
  LogRow row{.seq = entry.seq,
             .seat = entry.seat,
             .request_id = entry.request_id,
             .event_time = entry.event_time,
             .body = {}};
  const wire::LogEntry content{.events = entry.events, .request_digest = entry.request_digest};
  row.body =
      sealer.Seal(wire::SerializeLogEntry(rule_set, content),
                  wire::LongestLogEntry(rule_set, content), AssociatedData(match_id, row), random);
  return row;
}

absl::StatusOr<Entry> OpenRow(const std::string& match_id, const rules::RuleSet& rule_set,
                              const LogRow& row, const auth::Sealer& sealer) {
  const bool sealed = auth::Sealer::IsSealed(row.body);
  std::string opened;
  if (sealed) {
    NAVAL_ASSIGN_OR_RETURN(opened, sealer.Open(row.body, AssociatedData(match_id, row)));
  }
  NAVAL_ASSIGN_OR_RETURN(wire::LogEntry content,
                         wire::ParseLogEntry(rule_set, sealed ? opened : row.body));
  if (!sealed) content.request_digest = row.request_digest;
  return Entry{.seq = row.seq,
               .seat = row.seat,
               .request_id = row.request_id,
               .request_digest = std::move(content.request_digest),
               .event_time = row.event_time,
               .events = std::move(content.events)};
}

}  // namespace naval::match
