#include "lib/server/auth_context.h"

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "lib/base/check.h"
#include "lib/base/error.h"

namespace naval::server {
namespace {

struct Header {
  int count = 0;
  // The value, when there is one exactly.
  absl::string_view value;
};

Header FindHeader(const grpc::CallbackServerContext& context, const char* key) {
  Header header;
  const auto [begin, end] = context.client_metadata().equal_range(key);
  for (auto entry = begin; entry != end; ++entry) {
    ++header.count;
    header.value = absl::string_view(entry->second.data(), entry->second.size());
  }
  if (header.count != 1) header.value = {};
  return header;
}

absl::Status Unauthenticated(absl::string_view reason, absl::string_view message) {
  return base::Error(absl::StatusCode::kUnauthenticated, reason, message);
}

}  // namespace

absl::StatusOr<auth::Claims> Authenticate(const grpc::CallbackServerContext& context,
                                          const auth::Verifier& verifier, absl::Time now) {
  // The name of the scheme is case-insensitive (RFC 9110, section 11.1).
  constexpr absl::string_view kScheme = "Bearer ";
  const Header header = FindHeader(context, "authorization");
  if (header.count == 0) return verifier.Verify("", now);
  if (!absl::StartsWithIgnoreCase(header.value, kScheme)) {
    return Unauthenticated("TOKEN_INVALID",
                           "the authorization header must be one \"Bearer \" with an access token");
  }
  return verifier.Verify(header.value.substr(kScheme.size()), now);
}

absl::Status RequireServiceToken(const grpc::CallbackServerContext& context,
                                 const base::Secret& service_token) {
  NAVAL_CHECK(!service_token.empty());
  const Header header = FindHeader(context, kServiceTokenKey);
  if (header.count == 0) {
    return Unauthenticated("SERVICE_TOKEN_MISSING", "this call is for the services of Naval only");
  }
  if (!service_token.Equals(header.value)) {
    return Unauthenticated("SERVICE_TOKEN_INVALID", "the service token is not the one in use here");
  }
  return absl::OkStatus();
}

}  // namespace naval::server
