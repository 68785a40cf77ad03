#include "services/lobby/handle.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "lib/base/error.h"

namespace naval::lobby {
namespace {

constexpr size_t kMinLength = 3;
constexpr size_t kMaxLength = 20;
constexpr char kGuestPrefix[] = "guest-";
constexpr int kGuestSuffixLength = 6;

// Crockford's base 32: no letter that is taken for a digit.
constexpr absl::string_view kGuestAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";

absl::Status InvalidHandle(absl::string_view handle, absl::string_view description) {
  return base::InvalidField("INVALID_HANDLE", "handle", description,
                            {{"handle", base::Shown(handle)}});
}

}  // namespace

absl::Status CheckHandle(absl::string_view handle) {
  if (handle.size() < kMinLength || handle.size() > kMaxLength) {
    return InvalidHandle(handle, "must have 3 to 20 characters");
  }
  const bool allowed = std::all_of(handle.begin(), handle.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  });
  if (!allowed) return InvalidHandle(handle, "may hold A-Z, a-z, 0-9, '_' and '-' only");
  if (absl::StartsWithIgnoreCase(handle, kGuestPrefix)) {
    return InvalidHandle(handle, "must not begin with 'guest-', which marks guests");
  }
  return absl::OkStatus();
}

std::string NewGuestHandle(base::Random& random) {
  std::string handle = kGuestPrefix;
  for (int i = 0; i < kGuestSuffixLength; ++i) {
    handle += kGuestAlphabet[random.Uniform(kGuestAlphabet.size())];
  }
  return handle;
}

}  // namespace naval::lobby
