#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"

namespace naval::auth {

// The longest file that is read, in bytes; no key or token comes near.
inline constexpr size_t kMaxSecretFileBytes = 16 * 1024;

// The shortest service token that is accepted, in characters.
inline constexpr size_t kMinServiceTokenLength = 32;

// The content of a file that holds a secret, without white space at its ends. NOT_FOUND or
// PERMISSION_DENIED when it cannot be read, FAILED_PRECONDITION when others than its owner and group
// may read it or its group may change it, INVALID_ARGUMENT when it is empty or too long. Each error
// names the file and what to do.
absl::StatusOr<base::Secret> ReadSecretFile(const std::string& path);

// The key that services show each other on internal calls; INVALID_ARGUMENT when it is shorter than
// kMinServiceTokenLength, else as ReadSecretFile.
absl::StatusOr<base::Secret> ReadServiceToken(const std::string& path);

// Writes a new service token of 256 random bits to `path`, mode 0600. ALREADY_EXISTS when there is a
// file already.
absl::Status GenerateServiceToken(const std::string& path, base::Random& random);

}  // namespace naval::auth
