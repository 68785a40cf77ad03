#include "lib/auth/access_token.h"

#include <sodium.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/auth/base64url.h"
#include "lib/auth/opaque_token.h"
#include "lib/auth/secret_file.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"
#include "lib/base/sodium.h"
#include "lib/base/status_macros.h"
#include "naval/auth/v1/claims.pb.h"

namespace naval::auth {
namespace {

constexpr absl::string_view kTokenPrefix = "nvl_";

// Goes before the claims into what is signed, so that a signature made by this key for another
// purpose can never pass for a token.
constexpr absl::string_view kSignatureContext = "naval access token v1:";

// The longest handle has some 20 characters and a token below 400; what is longer is not worth
// decoding.
constexpr size_t kMaxTokenLength = 1024;

// More than play on one process at a time; 17 MB.
constexpr size_t kSeenTokens = 100'000;

// How far the clocks of two machines may differ.
constexpr absl::Duration kMaxClockSkew = absl::Seconds(30);

const unsigned char* Unsigned(absl::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// For a buffer to be written.
unsigned char* Unsigned(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::string KeyIdOf(absl::string_view public_key) { return HashToken(public_key).substr(0, 8); }

std::string SignedText(absl::string_view claims) { return absl::StrCat(kSignatureContext, claims); }

void SetTime(absl::Time time, google::protobuf::Timestamp* timestamp) {
  const int64_t micros = absl::ToUnixMicros(time);
  timestamp->set_seconds(micros / 1'000'000);
  timestamp->set_nanos(static_cast<int32_t>(micros % 1'000'000 * 1000));
}

absl::Time TimeOf(const google::protobuf::Timestamp& timestamp) {
  return absl::FromUnixSeconds(timestamp.seconds()) + absl::Nanoseconds(timestamp.nanos());
}

std::string SerializeClaims(const Claims& claims) {
  v1::Claims message;
  message.set_account_id(claims.account_id);
  message.set_session_id(claims.session_id);
  message.set_account_kind(claims.kind == AccountKind::kGuest ? v1::ACCOUNT_KIND_GUEST
                                                              : v1::ACCOUNT_KIND_REGISTERED);
  message.set_handle(claims.handle);
  SetTime(claims.issue_time, message.mutable_issue_time());
  SetTime(claims.expire_time, message.mutable_expire_time());
  return message.SerializeAsString();
}

// The claims, or nothing when they do not make sense although the signature was good.
std::optional<Claims> ParseClaims(const std::string& bytes) {
  v1::Claims message;
  if (!message.ParseFromString(bytes)) return std::nullopt;
  if (!base::IsId(message.account_id()) || !base::IsId(message.session_id())) return std::nullopt;
  if (message.account_kind() != v1::ACCOUNT_KIND_GUEST &&
      message.account_kind() != v1::ACCOUNT_KIND_REGISTERED) {
    return std::nullopt;
  }
  return Claims{.account_id = message.account_id(),
                .session_id = message.session_id(),
                .kind = message.account_kind() == v1::ACCOUNT_KIND_GUEST ? AccountKind::kGuest
                                                                         : AccountKind::kRegistered,
                .handle = message.handle(),
                .issue_time = TimeOf(message.issue_time()),
                .expire_time = TimeOf(message.expire_time())};
}

absl::Status Unauthenticated(absl::string_view reason, absl::string_view message) {
  return base::Error(absl::StatusCode::kUnauthenticated, reason, message);
}

absl::Status InvalidToken() {
  return Unauthenticated("TOKEN_INVALID", "the access token is not valid; log in again");
}

struct KeyPair {
  std::string public_key = std::string(crypto_sign_PUBLICKEYBYTES, '\0');
  base::Secret secret_key;
};

KeyPair KeyPairOfSeed(absl::string_view seed) {
  KeyPair pair;
  std::string secret_key(crypto_sign_SECRETKEYBYTES, '\0');
  crypto_sign_seed_keypair(Unsigned(pair.public_key), Unsigned(secret_key), Unsigned(seed));
  pair.secret_key = base::Secret(secret_key);
  sodium_memzero(secret_key.data(), secret_key.size());
  return pair;
}

}  // namespace

absl::Status GenerateKeyFiles(const std::string& signing_key_path,
                              const std::string& verify_key_path) {
  base::SecureRandom random;
  const base::Secret text = RandomBase64Url(random, crypto_sign_SEEDBYTES);
  const base::Secret seed(DecodeBase64Url(text.Reveal()).value());
  NAVAL_RETURN_IF_ERROR(WriteNewFile(signing_key_path, text.Reveal(), 0600));
  absl::Status status =
      WriteNewFile(verify_key_path, EncodeBase64Url(KeyPairOfSeed(seed.Reveal()).public_key), 0644);
  if (!status.ok()) unlink(signing_key_path.c_str());
  return status;
}

Signer::Signer(std::string key_id, base::Secret secret_key)
    : key_id_(std::move(key_id)), secret_key_(std::move(secret_key)) {}

absl::StatusOr<Signer> Signer::FromFile(const std::string& signing_key_path) {
  base::InitSodium();
  NAVAL_ASSIGN_OR_RETURN(const base::Secret text, ReadSecretFile(signing_key_path));
  std::optional<std::string> decoded = DecodeBase64Url(text.Reveal());
  if (!decoded.has_value() || decoded->size() != crypto_sign_SEEDBYTES) {
    return absl::InvalidArgumentError(absl::StrCat(signing_key_path,
                                                   " is no signing key: it should hold ",
                                                   crypto_sign_SEEDBYTES, " bytes as base64url"));
  }
  const base::Secret seed(*std::move(decoded));
  KeyPair pair = KeyPairOfSeed(seed.Reveal());
  return Signer(KeyIdOf(pair.public_key), std::move(pair.secret_key));
}

base::Secret Signer::Sign(const Claims& claims) const {
  v1::SignedClaims message;
  message.set_key_id(key_id_);
  message.set_claims(SerializeClaims(claims));
  const std::string text = SignedText(message.claims());
  std::string signature(crypto_sign_BYTES, '\0');
  crypto_sign_detached(Unsigned(signature), nullptr, Unsigned(absl::string_view(text)), text.size(),
                       Unsigned(secret_key_.Reveal()));
  message.set_signature(signature);
  return base::Secret(absl::StrCat(kTokenPrefix, EncodeBase64Url(message.SerializeAsString())));
}

Verifier::Verifier(Keys keys)
    : keys_(std::move(keys)), signed_(std::make_shared<SeenTokens>(kSeenTokens)) {}

absl::StatusOr<Verifier> Verifier::FromFile(const std::string& verify_key_path) {
  base::InitSodium();
  NAVAL_ASSIGN_OR_RETURN(const std::string content, ReadKeyFile(verify_key_path));
  Keys keys;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(content, '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    std::optional<std::string> key = DecodeBase64Url(line);
    if (!key.has_value() || key->size() != crypto_sign_PUBLICKEYBYTES) {
      return absl::InvalidArgumentError(
          absl::StrCat(verify_key_path, ", line ", line_number, ": no public key; it should hold ",
                       crypto_sign_PUBLICKEYBYTES, " bytes as base64url"));
    }
    std::string id = KeyIdOf(*key);
    keys[std::move(id)] = *std::move(key);
  }
  if (keys.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(verify_key_path, " holds no public key"));
  }
  return Verifier(std::move(keys));
}

absl::StatusOr<Claims> Verifier::Verify(absl::string_view token, absl::Time now) const {
  if (token.empty()) {
    return Unauthenticated("TOKEN_MISSING", "this call needs an access token; log in first");
  }
  if (token.size() > kMaxTokenLength || !absl::ConsumePrefix(&token, kTokenPrefix)) {
    return InvalidToken();
  }
  const std::optional<std::string> bytes = DecodeBase64Url(token);
  v1::SignedClaims message;
  if (!bytes.has_value() || !message.ParseFromString(*bytes)) return InvalidToken();
  if (!IsSigned(token, message)) return InvalidToken();
  std::optional<Claims> claims = ParseClaims(message.claims());
  if (!claims.has_value() || claims->issue_time > now + kMaxClockSkew ||
      claims->expire_time - claims->issue_time > kAccessTokenLifetime) {
    return InvalidToken();
  }
  if (claims->expire_time <= now) {
    return Unauthenticated("TOKEN_EXPIRED", "the access token has expired; refresh it");
  }
  return *std::move(claims);
}

bool Verifier::IsSigned(absl::string_view token, const v1::SignedClaims& message) const {
  if (signed_->Contains(token)) return true;
  const auto key = keys_.find(message.key_id());
  if (key == keys_.end() || message.signature().size() != crypto_sign_BYTES) return false;
  const std::string text = SignedText(message.claims());
  if (crypto_sign_verify_detached(Unsigned(absl::string_view(message.signature())),
                                  Unsigned(absl::string_view(text)), text.size(),
                                  Unsigned(absl::string_view(key->second))) != 0) {
    return false;
  }
  signed_->Add(token);
  return true;
}

}  // namespace naval::auth
