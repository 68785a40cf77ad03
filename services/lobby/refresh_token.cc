#include "services/lobby/refresh_token.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/auth/opaque_token.h"
#include "lib/base/ids.h"

namespace naval::lobby {
namespace {

constexpr size_t kIdLength = 36;
constexpr size_t kSecretLength = 43;

bool IsBase64Url(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_';
}

}  // namespace

base::Secret NewRefreshToken(absl::string_view session_id, base::Random& random) {
  return base::Secret(absl::StrCat(session_id, ".", auth::NewRefreshToken(random).Reveal()));
}

std::optional<std::string> SessionIdOf(const base::Secret& token) {
  const absl::string_view text = token.Reveal();
  if (text.size() != kIdLength + 1 + kSecretLength || text[kIdLength] != '.') return std::nullopt;
  const absl::string_view session_id = text.substr(0, kIdLength);
  const absl::string_view secret = text.substr(kIdLength + 1);
  if (!base::IsId(session_id) || !std::all_of(secret.begin(), secret.end(), IsBase64Url)) {
    return std::nullopt;
  }
  return std::string(session_id);
}

base::Secret SuccessorOf(const base::Secret& token, absl::string_view salt) {
  const base::Secret salted(absl::StrCat(token.Reveal(), salt));
  const base::Secret bits(auth::HashToken(salted.Reveal()));
  return base::Secret(absl::StrCat(token.Reveal().substr(0, kIdLength), ".",
                                   absl::WebSafeBase64Escape(bits.Reveal())));
}

}  // namespace naval::lobby
