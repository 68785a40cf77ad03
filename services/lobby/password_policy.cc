#include "services/lobby/password_policy.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "lib/base/error.h"

namespace naval::lobby {
namespace {

constexpr size_t kMinCharacters = 15;
constexpr size_t kMaxCharacters = 256;

// A password is a walk when this share of its steps are; a long phrase has about a quarter.
constexpr double kWalkShare = 0.75;

constexpr std::array<absl::string_view, 4> kKeyboard = {"1234567890", "qwertyuiop", "asdfghjkl",
                                                        "zxcvbnm"};

struct Key {
  int row;
  int column;
};

absl::Status WeakPassword(absl::string_view description) {
  return base::InvalidField("WEAK_PASSWORD", "password", description);
}

// Every byte of UTF-8 but those that continue a character.
size_t CountCharacters(absl::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

std::optional<Key> FindKey(char c) {
  for (size_t row = 0; row < kKeyboard.size(); ++row) {
    const size_t column = kKeyboard[row].find(c);
    if (column != absl::string_view::npos) {
      return Key{static_cast<int>(row), static_cast<int>(column)};
    }
  }
  return std::nullopt;
}

// Whether `b` is what a lazy finger or mind puts after `a`.
bool IsStep(char a, char b) {
  if (std::abs(a - b) <= 1) return true;
  const std::optional<Key> from = FindKey(a);
  const std::optional<Key> to = FindKey(b);
  return from && to && std::abs(from->row - to->row) <= 1 &&
         std::abs(from->column - to->column) <= 1;
}

bool IsWalk(absl::string_view text) {
  size_t steps = 0;
  for (size_t i = 1; i < text.size(); ++i) steps += IsStep(text[i - 1], text[i]) ? 1 : 0;
  return static_cast<double>(steps) >= kWalkShare * static_cast<double>(text.size() - 1);
}

// Whether some beginning of at most half the length, said again and again, gives the whole.
bool IsRepetition(absl::string_view text) {
  for (size_t period = 1; period <= text.size() / 2; ++period) {
    if (text.substr(period) == text.substr(0, text.size() - period)) return true;
  }
  return false;
}

}  // namespace

absl::Status CheckPassword(const base::Secret& password) {
  const size_t characters = CountCharacters(password.Reveal());
  if (characters < kMinCharacters) {
    return WeakPassword("must have at least 15 characters; a few words make a good password");
  }
  if (characters > kMaxCharacters) return WeakPassword("must have at most 256 characters");
  const base::Secret folded(absl::AsciiStrToLower(password.Reveal()));
  if (IsRepetition(folded.Reveal())) {
    return WeakPassword("is one short piece repeated, which is guessed first; take a few words");
  }
  if (IsWalk(folded.Reveal())) {
    return WeakPassword(
        "is a run of neighbouring keys or letters, which is guessed first; take a few words");
  }
  return absl::OkStatus();
}

}  // namespace naval::lobby
