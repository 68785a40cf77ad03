#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"

namespace naval::auth {

// Makes a file with one new sealing key (mode 0600), base64url text. Overwrites nothing:
// ALREADY_EXISTS when the file is there; else the errors of WriteNewFile.
absl::Status GenerateSealingKeyFile(const std::string& path);

// Seals what is stored but must not be read from the store: XChaCha20-Poly1305 (libsodium
// crypto_aead_xchacha20poly1305_ietf). A sealed text is
//
//   the byte 1 | id of the key, 8 bytes | nonce, 24 | encrypted padded text | tag, 16
//
// and opens only with its key and its associated data, which is not in it: whoever names the place
// where the text stands there keeps it from being moved to another. Thread safe.
class Sealer {
 public:
  // Reads sealing keys, one a line; lines that are empty or begin with '#' are skipped. The first
  // key seals and every one opens, which is how a key is replaced. Errors are those of
  // ReadSecretFile, and INVALID_ARGUMENT, naming file and line, when a line is no key or there is
  // none.
  static absl::StatusOr<Sealer> FromFile(const std::string& sealing_key_path);

  // How much longer than its padded text a sealed text is.
  static constexpr std::size_t kOverhead = 50;

  // The sealed text is padded_size + kOverhead bytes long, whatever the text is. Requires
  // text.size() <= padded_size. `random` gives the nonce: outside of tests a SecureRandom, for one
  // nonce in two texts of one key would open both.
  std::string Seal(absl::string_view text, std::size_t padded_size,
                   absl::string_view associated_data, base::Random& random) const;

  // The text. DATA_LOSS: it is sealed with a key that the file lacks (the message names its id), or
  // the sealed text or its associated data is another one than what was sealed.
  absl::StatusOr<std::string> Open(absl::string_view sealed,
                                   absl::string_view associated_data) const;

  // OK when it is not sealed, or with a key of the file; else as Open.
  absl::Status RequireKeyOf(absl::string_view sealed) const;

  // Whether the bytes begin as a sealed text does. No serialized protobuf message does.
  static bool IsSealed(absl::string_view bytes);

  // The id of the key that seals, as messages spell it: 16 hexadecimal digits.
  std::string key_id() const;

 private:
  struct Key {
    std::string id;
    base::Secret secret;
  };

  explicit Sealer(std::vector<Key> keys) : keys_(std::move(keys)) {}

  absl::StatusOr<const Key*> KeyThatSealed(absl::string_view sealed) const;

  // From what a line of the file holds.
  static Key KeyOf(const base::Secret& line);

  // Never empty.
  std::vector<Key> keys_;
};

}  // namespace naval::auth
