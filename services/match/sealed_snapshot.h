#pragma once

#include "absl/status/status.h"
#include "lib/auth/sealer.h"
#include "lib/base/random.h"
#include "naval/match/log/v1/snapshot.pb.h"
#include "services/match/match_store.h"
#include "services/match/recorded_match.h"

namespace naval::match {

// What is kept of what the match has come to (RecordedMatch::TakeSnapshot), sealed whole for its
// match and its number: it tells of what is hidden no more than the rows do (sealed_row.h), of
// which it is made. `random` as for Sealer::Seal.
Snapshot SealSnapshot(const RecordedMatch& match, const auth::Sealer& sealer, base::Random& random);

// Fills `content`. DATA_LOSS: it cannot be opened (see Sealer::Open), or is no MatchSnapshot.
absl::Status OpenSnapshot(const Snapshot& snapshot, const auth::Sealer& sealer,
                          log::v1::MatchSnapshot& content);

}  // namespace naval::match
