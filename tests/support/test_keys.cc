#include "tests/support/test_keys.h"

#include "lib/auth/base64url.h"
#include "lib/auth/secret_file.h"
#include "tests/support/or_die.h"
#include "tests/support/temporary_folder.h"

namespace naval::testing {

TestKeys NewTestKeys() {
  const TemporaryFolder folder;
  const std::string signing = folder.path() + "/signing";
  const std::string verify = folder.path() + "/verify";
  DieUnless(auth::GenerateKeyFiles(signing, verify));
  return {.seed = auth::DecodeBase64Url(ValueOrDie(auth::ReadSecretFile(signing)).Reveal()).value(),
          .signer = ValueOrDie(auth::Signer::FromFile(signing)),
          .verifier = ValueOrDie(auth::Verifier::FromFile(verify))};
}

}  // namespace naval::testing
