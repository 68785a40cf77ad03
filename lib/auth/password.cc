#include "lib/auth/password.h"

#include <sodium.h>

#include <cerrno>

#include "absl/status/status.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/random.h"

namespace naval::auth {
namespace {

absl::Status NoMemory() {
  return base::WithRetryDelay(
      base::Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
                  "no memory to check a password at the moment; try again later"),
      absl::Seconds(1));
}

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
    return NoMemory();
  }
  return std::string(hash);
}

absl::StatusOr<bool> PasswordHasher::Verify(const std::string& hash,
                                            const base::Secret& password) const {
  errno = 0;
  if (crypto_pwhash_str_verify(hash.c_str(), password.Reveal().data(), password.Reveal().size()) ==
      0) {
    return true;
  }
  // libsodium sets EINVAL for a password that does not fit, and gives no other sign of the
  // difference.
  if (errno == ENOMEM) return NoMemory();
  return false;
}

bool PasswordHasher::NeedsRehash(const std::string& hash) const {
  return crypto_pwhash_str_needs_rehash(hash.c_str(), cost_.passes, cost_.memory_bytes) != 0;
}

absl::Status PasswordHasher::VerifyUnknown(const base::Secret& password) const {
  return Verify(unknown_hash_, password).status();
}

}  // namespace naval::auth
