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

auth::Sealer TestSealer() {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/sealing";
  DieUnless(
      auth::WriteNewFile(path, auth::EncodeBase64Url("a sealing key for the tests only"), 0600));
  return ValueOrDie(auth::Sealer::FromFile(path));
}

auth::Sealer NewTestSealer() {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/sealing";
  DieUnless(auth::GenerateSealingKeyFile(path));
  return ValueOrDie(auth::Sealer::FromFile(path));
}

}  // namespace naval::testing
