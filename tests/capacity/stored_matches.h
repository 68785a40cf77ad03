#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/sealer.h"
#include "lib/postgres/pool.h"
#include "lib/rules/rule_set.h"
#include "naval/match/log/v1/log.pb.h"
#include "services/match/sealed_row.h"

namespace naval::capacity {

// A match that was played up to some point. Many stored matches are made of one: they differ in
// their ids, and so in what their rows are sealed to.
struct PlayedMatch {
  std::string created;
  std::shared_ptr<const rules::RuleSet> rules;
  std::vector<match::Entry> entries;
  // When its running clock ends.
  std::optional<absl::Time> deadline;
};

// Two who shoot as the bot As does play by the rules of the match service, with requests as players
// send them. Ends before the match is over, after at most `max_rows` commands or, without, at any
// of them alike; the last one comes at `end_time`. The errors of RecordedMatch::New.
absl::StatusOr<PlayedMatch> Play(const match::log::v1::MatchCreated& created, uint64_t seed,
                                 std::optional<int> max_rows, absl::Time end_time);

// A match that was stored, and what it was made of, which must outlive it.
struct StoredCopy {
  std::string match_id;
  const PlayedMatch* played;
};

// Writes `count` matches, each a copy of one of `played` under an id of its own, as the match
// service would have: the rows of all in the order of their times, so that those of one match lie
// far from each other, and the snapshots. The errors of the pool, which must be that of the
// service's role.
absl::StatusOr<std::vector<StoredCopy>> Store(postgres::Pool& pool, const auth::Sealer& sealer,
                                              const std::vector<PlayedMatch>& played, int count);

// Has a process of this name, which is not there any more, own every partition, and be heard of for
// the last time at `time`. The errors of the pool.
absl::Status LeaveTo(postgres::Pool& pool, absl::string_view owner, absl::Time time);

}  // namespace naval::capacity
