#include "services/lobby/field_check.h"

#include "lib/base/error.h"
#include "lib/base/ids.h"

namespace naval::lobby {

absl::Status CheckRequestId(const std::string& request_id) {
  if (base::IsId(request_id)) return absl::OkStatus();
  return base::InvalidField("INVALID_REQUEST_ID", "request_id",
                            "must be a UUID in lower case, a new one for every new request");
}

absl::Status CheckTableId(const std::string& table_id) {
  if (base::IsId(table_id)) return absl::OkStatus();
  return base::InvalidField("INVALID_TABLE_ID", "table_id", "must be a UUID in lower case");
}

absl::Status CheckMatchId(const std::string& match_id) {
  if (base::IsId(match_id)) return absl::OkStatus();
  return base::InvalidField("INVALID_MATCH_ID", "match_id", "must be a UUID in lower case");
}

}  // namespace naval::lobby
