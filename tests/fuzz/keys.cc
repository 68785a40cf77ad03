#include "tests/fuzz/keys.h"

#include "lib/auth/base64url.h"
#include "lib/auth/secret_file.h"
#include "tests/fuzz/fail.h"
#include "tests/support/temporary_folder.h"

namespace naval::fuzz {

Keys NewKeys() {
  const testing::TemporaryFolder folder;
  const std::string signing = folder.path() + "/signing";
  const std::string verify = folder.path() + "/verify";
  Require(auth::GenerateKeyFiles(signing, verify).ok(), "no keys could be made");
  return {.seed = auth::DecodeBase64Url(auth::ReadSecretFile(signing)->Reveal()).value(),
          .signer = *auth::Signer::FromFile(signing),
          .verifier = *auth::Verifier::FromFile(verify)};
}

}  // namespace naval::fuzz
