#pragma once

#include <string>

#include "lib/auth/access_token.h"

namespace naval::fuzz {

// A key pair for access tokens, as services read it from files.
struct Keys {
  // The seed of the signing key, 32 bytes.
  std::string seed;
  auth::Signer signer;
  auth::Verifier verifier;
};

Keys NewKeys();

}  // namespace naval::fuzz
