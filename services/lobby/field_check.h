#pragma once

#include <string>

#include "absl/status/status.h"

namespace naval::lobby {

// The form of the ids in a request: INVALID_ARGUMENT with the reason INVALID_REQUEST_ID, INVALID_TABLE_ID or
// INVALID_MATCH_ID, naming the field of that name.
absl::Status CheckRequestId(const std::string& request_id);
absl::Status CheckTableId(const std::string& table_id);
absl::Status CheckMatchId(const std::string& match_id);

}  // namespace naval::lobby
