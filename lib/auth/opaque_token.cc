#include "lib/auth/opaque_token.h"

#include <sodium.h>

#include "lib/auth/base64url.h"

namespace naval::auth {

base::Secret NewOpaqueToken(base::Random& random) { return RandomBase64Url(random, 32); }

base::Secret NewJoinCode(base::Random& random) {
  base::Secret code = RandomBase64Url(random, 16);
  // A command line would take it for an option.
  while (code.Reveal().front() == '-') code = RandomBase64Url(random, 16);
  return code;
}

std::string HashToken(absl::string_view token) {
  std::string hash(crypto_generichash_BYTES, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(token.data()), token.size(), nullptr,
                     0);
  return hash;
}

}  // namespace naval::auth
