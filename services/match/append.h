#pragma once

#include "lib/auth/sealer.h"
#include "lib/base/random.h"
#include "services/match/match_store.h"
#include "services/match/recorded_match.h"
#include "services/match/sealed_row.h"

namespace naval::match {

// What is written when `entry`, decided on `match` but not yet applied, becomes part of it: the
// row, sealed; what it makes of the match; and what others have to learn: the lobby of every change
// of phase, and in a match over days of whose move is awaited until when; the ranking of the
// result. `random` as for SealRow.
Append ToAppend(const RecordedMatch& match, const Entry& entry, const auth::Sealer& sealer,
                base::Random& random);

}  // namespace naval::match
