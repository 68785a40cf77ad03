#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace naval::base {

// A text that must never be shown: a password, a token, a key. It has no way to a stream, a format
// or a log line except by Reveal(), wipes its memory when it goes, and compares in a time that
// depends on the lengths only.
class Secret {
 public:
  Secret() = default;
  // Takes over `value` and wipes what is left of the argument.
  explicit Secret(std::string value);
  ~Secret();
  Secret(const Secret& other);
  Secret& operator=(const Secret& other);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;

  // The text itself, valid while this object lives unchanged. Hand it only to what needs it.
  absl::string_view Reveal() const { return value_; }
  bool empty() const { return value_.empty(); }

  bool Equals(absl::string_view other) const;
  friend bool operator==(const Secret& a, const Secret& b) { return a.Equals(b.value_); }

 private:
  std::string value_;
};

}  // namespace naval::base
