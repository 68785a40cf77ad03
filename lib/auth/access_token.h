#pragma once

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/auth/seen_tokens.h"
#include "lib/base/secret.h"

namespace naval::auth {

namespace v1 {
class SignedClaims;
}

// Access tokens: claims signed with Ed25519 (libsodium crypto_sign), so that every service knows
// who calls without asking the lobby. A token is "nvl_" and the base64url of a
// naval.auth.v1.SignedClaims; the prefix lets scanners find a leaked one.

// How long an access token is good for. The lobby issues with it and the verifier refuses a token
// that claims a longer life.
inline constexpr absl::Duration kAccessTokenLifetime = absl::Minutes(15);

enum class AccountKind { kGuest, kRegistered };

// Who calls. Times are wall times to the microsecond.
struct Claims {
  std::string account_id;
  std::string session_id;
  AccountKind kind = AccountKind::kGuest;
  // The account's public name.
  std::string handle;
  absl::Time issue_time;
  absl::Time expire_time;

  bool operator==(const Claims&) const = default;
};

// Makes two new key files: at `signing_key_path` the secret seed (mode 0600), at `verify_key_path`
// the public key (mode 0644), both base64url text. Overwrites nothing: ALREADY_EXISTS when a file
// is there. With an error neither file is left of what it made.
absl::Status GenerateKeyFiles(const std::string& signing_key_path,
                              const std::string& verify_key_path);

// Makes access tokens. Held by the lobby alone. Thread safe.
class Signer {
 public:
  // Reads a seed written by GenerateKeyFiles. Errors are those of ReadSecretFile, and
  // INVALID_ARGUMENT when the content is no seed; they name the file.
  static absl::StatusOr<Signer> FromFile(const std::string& signing_key_path);

  base::Secret Sign(const Claims& claims) const;

 private:
  Signer(std::string key_id, base::Secret secret_key);

  std::string key_id_;
  base::Secret secret_key_;
};

// Checks access tokens. Copies share what they remember. Thread safe.
class Verifier {
 public:
  // Reads public keys, one a line; lines that are empty or begin with '#' are skipped. With several
  // keys a token by any of them is good, which is how a key is replaced without a gap.
  static absl::StatusOr<Verifier> FromFile(const std::string& verify_key_path);

  // The claims of `token`, or UNAUTHENTICATED with the reason TOKEN_MISSING (empty), TOKEN_EXPIRED,
  // or TOKEN_INVALID (anything else; the message does not say what, the caller cannot mend it).
  absl::StatusOr<Claims> Verify(absl::string_view token, absl::Time now) const;

 private:
  // Public keys by their ids.
  using Keys = absl::flat_hash_map<std::string, std::string>;

  explicit Verifier(Keys keys);

  // Whether one of the keys has signed the claims of the message that `token` is.
  bool IsSigned(absl::string_view token, const v1::SignedClaims& message) const;

  Keys keys_;
  // Those that are signed, whatever their claims: a player sends the same token with every call,
  // and to check a signature takes twice the time of a whole call.
  std::shared_ptr<SeenTokens> signed_;
};

}  // namespace naval::auth
