#include "lib/base/stable_hash.h"

#include <sodium.h>

#include <array>

namespace naval::base {

std::uint64_t StableHash(absl::string_view text) {
  static constexpr std::array<unsigned char, crypto_shorthash_siphash24_KEYBYTES> kKey = {};
  std::array<unsigned char, crypto_shorthash_siphash24_BYTES> hash;
  crypto_shorthash_siphash24(hash.data(), reinterpret_cast<const unsigned char*>(text.data()),
                             text.size(), kKey.data());
  std::uint64_t value = 0;
  // Its bytes are little-endian.
  for (auto byte = hash.rbegin(); byte != hash.rend(); ++byte) value = value << 8 | *byte;
  return value;
}

}  // namespace naval::base
