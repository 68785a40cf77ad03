#include "lib/base/ids.h"

#include <array>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace naval::base {

std::string NewId(const Clock& clock, Random& random) {
  std::array<uint8_t, 16> bytes;
  random.Fill(absl::MakeSpan(bytes));
  const int64_t milliseconds = absl::ToUnixMillis(clock.Now());
  for (size_t i = 0; i < 6; ++i) bytes[i] = static_cast<uint8_t>(milliseconds >> (8 * (5 - i)));
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x70);  // version 7
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);  // variant of RFC 9562
  const std::string hex = absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const absl::string_view digits = hex;
  return absl::StrCat(digits.substr(0, 8), "-", digits.substr(8, 4), "-", digits.substr(12, 4), "-",
                      digits.substr(16, 4), "-", digits.substr(20));
}

bool IsId(absl::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_dash_place = i == 8 || i == 13 || i == 18 || i == 23;
    const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (is_dash_place ? c != '-' : !is_hex) return false;
  }
  return true;
}

}  // namespace naval::base
