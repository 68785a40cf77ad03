#include "lib/auth/password.h"

#include <sodium.h>

#include "absl/status/status.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/random.h"

namespace naval::auth {
namespace {

// Made from a random password that is forgotten at once.
std::string MakeUnknownHash(const PasswordHasher& hasher) {
  base::SecureRandom random;
  uint8_t password[32];
  random.Fill(absl::MakeSpan(password));
  absl::StatusOr<std::string> hash =
      hasher.Hash(base::Secret(std::string(reinterpret_cast<char*>(password), sizeof(password))));
  // A process that has no memory for one hash at its start would be of no use.
  NAVAL_CHECK(hash.ok());
  return *std::move(hash);
}

}  // namespace

PasswordHasher::PasswordHasher(PasswordCost cost)
    : cost_(cost), unknown_hash_(MakeUnknownHash(*this)) {}

absl::StatusOr<std::string> PasswordHasher::Hash(const base::Secret& password) const {
  char hash[crypto_pwhash_STRBYTES];
  if (crypto_pwhash_str_alg(hash, password.Reveal().data(), password.Reveal().size(), cost_.passes,
                            cost_.memory_bytes, crypto_pwhash_ALG_ARGON2ID13) != 0) {
    return base::WithRetryDelay(
        base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
                    "there is no memory to hash a password at the moment; try again later"),
        absl::Seconds(1));
  }
  return std::string(hash);
}

bool PasswordHasher::Verify(const std::string& hash, const base::Secret& password) const {
  return crypto_pwhash_str_verify(hash.c_str(), password.Reveal().data(),
                                  password.Reveal().size()) == 0;
}

bool PasswordHasher::VerifyUnknown(const base::Secret& password) const {
  return Verify(unknown_hash_, password);
}

}  // namespace naval::auth
