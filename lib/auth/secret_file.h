#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/secret.h"

namespace naval::auth {

// The longest file that is read, in bytes; no key or token comes near.
inline constexpr size_t kMaxKeyFileBytes = 16 * 1024;

// The shortest service token that is accepted, in characters.
inline constexpr size_t kMinServiceTokenLength = 32;

// The content of a key file without white space at its ends. NOT_FOUND or PERMISSION_DENIED when it
// cannot be read, INVALID_ARGUMENT when it is empty or longer than kMaxKeyFileBytes. Each error
// names the file.
absl::StatusOr<std::string> ReadKeyFile(const std::string& path);

// As ReadKeyFile, for a file that holds a secret: FAILED_PRECONDITION when others than its owner
// and group may read it or its group may change it. (Its group may read it because Kubernetes
// mounts secrets that way.)
absl::StatusOr<base::Secret> ReadSecretFile(const std::string& path);

// The key that services show each other on internal calls; INVALID_ARGUMENT when it is shorter than
// kMinServiceTokenLength, else as ReadSecretFile.
absl::StatusOr<base::Secret> ReadServiceToken(const std::string& path);

// Makes the file `path` with `content`, a line feed, and `mode`. ALREADY_EXISTS when there is a
// file already, which is left as it is; else the error of the system, naming the file, of
// which nothing is left then.
absl::Status WriteNewFile(const std::string& path, absl::string_view content, mode_t mode);

}  // namespace naval::auth
