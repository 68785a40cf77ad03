#include "lib/auth/sealer.h"

#include <sodium.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/auth/base64url.h"
#include "lib/auth/secret_file.h"
#include "lib/base/check.h"
#include "lib/base/sodium.h"
#include "lib/base/status_macros.h"

namespace naval::auth {
namespace {

// The first byte of a sealed text: the layout and the cipher. Field 0, which it would begin in a
// protobuf message, does not exist.
constexpr char kFormat = 1;

constexpr std::size_t kIdBytes = 8;
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kHeaderBytes = 1 + kIdBytes + kNonceBytes;
// The padding has one byte at least.
static_assert(Sealer::kOverhead == kHeaderBytes + 1 + kTagBytes);

const unsigned char* Unsigned(absl::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// For a buffer to be written.
unsigned char* Unsigned(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

std::string Derive(const base::Secret& key, std::uint64_t purpose, std::size_t bytes) {
  std::string derived(bytes, '\0');
  crypto_kdf_derive_from_key(Unsigned(derived), derived.size(), purpose, "navlseal",
                             Unsigned(key.Reveal()));
  return derived;
}

absl::Status CannotOpen(absl::string_view why) {
  return absl::DataLossError(absl::StrCat("a sealed text cannot be opened: ", why));
}

}  // namespace

absl::Status GenerateSealingKeyFile(const std::string& path) {
  base::SecureRandom random;
  return WriteNewFile(path, RandomBase64Url(random, crypto_kdf_KEYBYTES).Reveal(), 0600);
}

// The id comes from the key, so that no two files can call different keys by one name; both are
// derived, so that the id tells nothing of the key that encrypts.
Sealer::Key Sealer::KeyOf(const base::Secret& line) {
  return {.id = Derive(line, 1, crypto_kdf_BYTES_MIN).substr(0, kIdBytes),
          .secret = base::Secret(Derive(line, 2, crypto_aead_xchacha20poly1305_ietf_KEYBYTES))};
}

absl::StatusOr<Sealer> Sealer::FromFile(const std::string& sealing_key_path) {
  base::InitSodium();
  NAVAL_ASSIGN_OR_RETURN(const base::Secret content, ReadSecretFile(sealing_key_path));
  std::vector<Key> keys;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(content.Reveal(), '\n')) {
    ++line_number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    std::optional<std::string> key = DecodeBase64Url(line);
    if (!key.has_value() || key->size() != crypto_kdf_KEYBYTES) {
      return absl::InvalidArgumentError(absl::StrCat(sealing_key_path, ", line ", line_number,
                                                     ": no sealing key; it should hold ",
                                                     crypto_kdf_KEYBYTES, " bytes as base64url"));
    }
    keys.push_back(KeyOf(base::Secret(*std::move(key))));
  }
  if (keys.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(sealing_key_path, " holds no sealing key"));
  }
  return Sealer(std::move(keys));
}

std::string Sealer::Seal(absl::string_view text, std::size_t padded_size,
                         absl::string_view associated_data, base::Random& random) const {
  NAVAL_CHECK(text.size() <= padded_size);
  std::string padded(text);
  padded.resize(padded_size + 1);
  std::size_t length = 0;
  NAVAL_CHECK(sodium_pad(&length, Unsigned(padded), text.size(), padded.size(), padded.size()) ==
              0);
  std::string nonce(kNonceBytes, '\0');
  random.Fill(absl::MakeSpan(Unsigned(nonce), nonce.size()));
  std::string encrypted(padded.size() + kTagBytes, '\0');
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      Unsigned(encrypted), nullptr, Unsigned(padded), padded.size(), Unsigned(associated_data),
      associated_data.size(), nullptr, Unsigned(nonce), Unsigned(keys_.front().secret.Reveal()));
  return absl::StrCat(absl::string_view(&kFormat, 1), keys_.front().id, nonce, encrypted);
}

absl::Status Sealer::RequireKeyOf(absl::string_view sealed) const {
  return IsSealed(sealed) ? KeyThatSealed(sealed).status() : absl::OkStatus();
}

absl::StatusOr<const Sealer::Key*> Sealer::KeyThatSealed(absl::string_view sealed) const {
  if (!IsSealed(sealed) || sealed.size() < kOverhead) {
    return CannotOpen("it is cut off, or was sealed in a way not known here");
  }
  const absl::string_view id = sealed.substr(1, kIdBytes);
  const auto key =
      std::find_if(keys_.begin(), keys_.end(), [&](const Key& other) { return other.id == id; });
  if (key == keys_.end()) {
    return CannotOpen(
        absl::StrCat("its key ", absl::BytesToHexString(id), " is not in the sealing key file"));
  }
  return &*key;
}

absl::StatusOr<std::string> Sealer::Open(absl::string_view sealed,
                                         absl::string_view associated_data) const {
  NAVAL_ASSIGN_OR_RETURN(const Key* const key, KeyThatSealed(sealed));
  const absl::string_view nonce = sealed.substr(1 + kIdBytes, kNonceBytes);
  const absl::string_view encrypted = sealed.substr(kHeaderBytes);
  std::string text(encrypted.size() - kTagBytes, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          Unsigned(text), nullptr, nullptr, Unsigned(encrypted), encrypted.size(),
          Unsigned(associated_data), associated_data.size(), Unsigned(nonce),
          Unsigned(key->secret.Reveal())) != 0) {
    return CannotOpen(absl::StrCat("it was changed or moved after it was sealed with key ",
                                   absl::BytesToHexString(key->id)));
  }
  std::size_t length = 0;
  if (sodium_unpad(&length, Unsigned(text), text.size(), text.size()) != 0) {
    return CannotOpen("its padding is none");
  }
  text.resize(length);
  return text;
}

bool Sealer::IsSealed(absl::string_view bytes) {
  return !bytes.empty() && bytes.front() == kFormat;
}

std::string Sealer::key_id() const { return absl::BytesToHexString(keys_.front().id); }

}  // namespace naval::auth
