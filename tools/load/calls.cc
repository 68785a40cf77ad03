#include "tools/load/calls.h"

namespace naval::load {

bool MayTryAgain(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         (absl::IsResourceExhausted(status) && base::RetryDelayOf(status).has_value());
}

void Authorize(const std::string& access_token, grpc::ClientContext& context) {
  if (access_token.empty()) return;
  context.AddMetadata("authorization", absl::StrCat("Bearer ", access_token));
}

}  // namespace naval::load
