#pragma once

#include <string>

#include "absl/status/status.h"

namespace naval::match {

// NOT_FOUND, reason MATCH_NOT_FOUND: there is no such match, or the caller may not know of it. The
// same words for both.
absl::Status MatchNotFound(const std::string& match_id);

}  // namespace naval::match
