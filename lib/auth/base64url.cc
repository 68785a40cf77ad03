#include "lib/auth/base64url.h"

#include <sodium.h>

#include <cstdint>

#include "absl/strings/escaping.h"

namespace naval::auth {

std::string EncodeBase64Url(absl::string_view bytes) { return absl::WebSafeBase64Escape(bytes); }

std::optional<std::string> DecodeBase64Url(absl::string_view text) {
  std::string bytes;
  // Abseil is lenient (padding, white space, stray last bits); what encodes to another text is
  // refused.
  if (!absl::WebSafeBase64Unescape(text, &bytes) || EncodeBase64Url(bytes) != text) {
    return std::nullopt;
  }
  return bytes;
}

base::Secret RandomBase64Url(base::Random& random, size_t bytes) {
  std::string buffer(bytes, '\0');
  random.Fill(absl::MakeSpan(reinterpret_cast<uint8_t*>(buffer.data()), buffer.size()));
  base::Secret text(EncodeBase64Url(buffer));
  sodium_memzero(buffer.data(), buffer.size());
  return text;
}

}  // namespace naval::auth
