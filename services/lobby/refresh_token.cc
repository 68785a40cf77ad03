#include "services/lobby/refresh_token.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/auth/base64url.h"
#include "lib/auth/opaque_token.h"
#include "lib/base/ids.h"

namespace naval::lobby {
namespace {

// SESSION_ID.SESSION_KEY.SECRET
constexpr size_t kIdLength = 36;
constexpr size_t kKeyBytes = 16;
constexpr size_t kKeyLength = 22;
constexpr size_t kKeyBegin = kIdLength + 1;
constexpr size_t kSecretBegin = kKeyBegin + kKeyLength + 1;
constexpr size_t kSecretLength = 43;

bool IsBase64Url(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
  });
}

}  // namespace

base::Secret NewRefreshToken(absl::string_view session_id, base::Random& random) {
  const base::Secret key = auth::RandomBase64Url(random, kKeyBytes);
  return base::Secret(
      absl::StrCat(session_id, ".", key.Reveal(), ".", auth::NewOpaqueToken(random).Reveal()));
}

std::optional<std::string> SessionIdOf(const base::Secret& token) {
  const absl::string_view text = token.Reveal();
  if (text.size() != kSecretBegin + kSecretLength || text[kKeyBegin - 1] != '.' ||
      text[kSecretBegin - 1] != '.') {
    return std::nullopt;
  }
  const absl::string_view session_id = text.substr(0, kIdLength);
  if (!base::IsId(session_id) || !IsBase64Url(text.substr(kKeyBegin, kKeyLength)) ||
      !IsBase64Url(text.substr(kSecretBegin))) {
    return std::nullopt;
  }
  return std::string(session_id);
}

base::Secret SessionKeyOf(const base::Secret& token) {
  return base::Secret(std::string(token.Reveal().substr(kKeyBegin, kKeyLength)));
}

base::Secret SuccessorOf(const base::Secret& token, absl::string_view salt) {
  const base::Secret salted(absl::StrCat(token.Reveal(), salt));
  const base::Secret bits(auth::HashToken(salted.Reveal()));
  return base::Secret(absl::StrCat(token.Reveal().substr(0, kSecretBegin),
                                   absl::WebSafeBase64Escape(bits.Reveal())));
}

}  // namespace naval::lobby
