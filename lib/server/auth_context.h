#pragma once

#include <grpcpp/grpcpp.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/auth/access_token.h"
#include "lib/base/secret.h"

namespace naval::server {

// The metadata key of the service token on internal calls.
inline constexpr char kServiceTokenKey[] = "x-naval-service-token";

// Who calls, by the metadata "authorization: Bearer TOKEN". UNAUTHENTICATED with the reasons of
// auth::Verifier::Verify; TOKEN_MISSING also when there is no such metadata, TOKEN_INVALID when
// there is more than one or it is not a Bearer token.
absl::StatusOr<auth::Claims> Authenticate(const grpc::CallbackServerContext& context,
                                          const auth::Verifier& verifier, absl::Time now);

// Lets through internal calls only. UNAUTHENTICATED with the reason SERVICE_TOKEN_MISSING or
// SERVICE_TOKEN_INVALID. `service_token` must not be empty.
absl::Status RequireServiceToken(const grpc::CallbackServerContext& context,
                                 const base::Secret& service_token);

}  // namespace naval::server
