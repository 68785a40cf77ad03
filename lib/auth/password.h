#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/secret.h"

namespace naval::auth {

// What one argon2id hash costs.
struct PasswordCost {
  uint64_t passes;
  size_t memory_bytes;
};

// For production: 19 MiB and two passes, the OWASP figure; about 50 ms of one core.
inline constexpr PasswordCost kPasswordCost{.passes = 2, .memory_bytes = 19 * 1024 * 1024};

// For tests only: the least that argon2id takes, about 0.1 ms.
inline constexpr PasswordCost kCheapestPasswordCost{.passes = 1, .memory_bytes = 8 * 1024};

// Hashes passwords with argon2id (libsodium crypto_pwhash_str). Every call burns CPU
// for the whole cost: run it on an Executor of few threads, never on a gRPC thread. Thread
// safe.
class PasswordHasher {
 public:
  explicit PasswordHasher(PasswordCost cost);

  // A salted hash in PHC text form ("$argon2id$v=19$m=..."), which holds its own parameters.
  // RESOURCE_EXHAUSTED when there is no memory for it.
  absl::StatusOr<std::string> Hash(const base::Secret& password) const;

  // Whether `hash` (made by Hash) belongs to `password`. Also false when there is no memory to find
  // out: libsodium does not tell the two apart. An executor of few threads keeps that from
  // happening.
  bool Verify(const std::string& hash, const base::Secret& password) const;

  // Takes as long as Verify and is always false: for a user who does not exist, so that time does
  // not tell which names do.
  bool VerifyUnknown(const base::Secret& password) const;

 private:
  const PasswordCost cost_;
  // A hash of the right cost that no password fits.
  const std::string unknown_hash_;
};

}  // namespace naval::auth
