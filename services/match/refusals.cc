#include "services/match/refusals.h"

#include "lib/base/error.h"

namespace naval::match {

absl::Status MatchNotFound(const std::string& match_id) {
  return base::Error(absl::StatusCode::kNotFound, "MATCH_NOT_FOUND",
                     "there is no such match, or it is not yours to see", {{"match_id", match_id}});
}

}  // namespace naval::match
