#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"

namespace naval::auth {

// base64url without padding (RFC 4648, section 5). One spelling only is accepted for the same
// bytes.
std::string EncodeBase64Url(absl::string_view bytes);
std::optional<std::string> DecodeBase64Url(absl::string_view text);

// `bytes` random bytes as base64url.
base::Secret RandomBase64Url(base::Random& random, size_t bytes);

}  // namespace naval::auth
