#pragma once

#include <string>

#include "lib/auth/access_token.h"
#include "lib/auth/sealer.h"

namespace naval::testing {

// A key pair for access tokens, as services read it from files.
struct TestKeys {
  // Of the signing key, 32 bytes.
  std::string seed;
  auth::Signer signer;
  auth::Verifier verifier;
};

// Another pair each time. The files are gone already.
TestKeys NewTestKeys();

// The same key each time, for stored rows are part of the tests.
auth::Sealer TestSealer();

// With another key each time.
auth::Sealer NewTestSealer();

}  // namespace naval::testing
