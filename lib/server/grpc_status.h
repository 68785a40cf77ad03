#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace naval::server {

// The domain of every ErrorInfo.
inline constexpr char kErrorDomain[] = "naval";

// `status` as it leaves the process: with a google.rpc.Status as details that holds an ErrorInfo
// (reason, domain "naval", metadata), and a BadRequest or a RetryInfo where the error
// (lib/base/error.h) has field violations or a retry delay. A status without a reason gets its
// code's name as reason. INTERNAL, UNKNOWN and DATA_LOSS are logged in full and leave with a
// neutral text and no metadata.
grpc::Status ToGrpcStatus(const absl::Status& status);

// The reverse, for the answer of another service. Details of another domain are dropped.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace naval::server
