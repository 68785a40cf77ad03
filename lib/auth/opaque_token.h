#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"

namespace naval::auth {

// Tokens that mean nothing in themselves. Whoever shows one is looked up by its hash; only the hash
// is ever stored, so a stolen database opens nothing.

// 256 random bits as base64url (43 characters). `random` must be fit for secrets.
base::Secret NewOpaqueToken(base::Random& random);

// 128 random bits as base64url (22 characters): the code that lets a friend join a private table.
// Never with '-' in front, so that it may be typed after a command.
base::Secret NewJoinCode(base::Random& random);

// The BLAKE2b hash of `token`: 32 raw bytes. It needs no salt and no slowness, the tokens being
// random.
std::string HashToken(absl::string_view token);

}  // namespace naval::auth
