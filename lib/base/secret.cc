#include "lib/base/secret.h"

#include <sodium.h>

#include <utility>

namespace naval::base {
namespace {

void Wipe(std::string& text) {
  sodium_memzero(text.data(), text.size());
  text.clear();
}

}  // namespace

// Everything below copies and wipes instead of moving: a moved-from short string keeps its bytes.

Secret::Secret(std::string value) : value_(value) { Wipe(value); }

Secret::~Secret() { Wipe(value_); }

Secret::Secret(const Secret& other) = default;

Secret& Secret::operator=(const Secret& other) {
  if (this == &other) return *this;
  // Assigned from a copy, so that a longer text does not leave the old bytes behind in freed
  // memory.
  Secret copy(other);
  return *this = std::move(copy);
}

Secret::Secret(Secret&& other) noexcept { value_.swap(other.value_); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  Wipe(value_);
  value_.swap(other.value_);
  return *this;
}

bool Secret::Equals(absl::string_view other) const {
  return value_.size() == other.size() &&
         sodium_memcmp(value_.data(), other.data(), other.size()) == 0;
}

}  // namespace naval::base
