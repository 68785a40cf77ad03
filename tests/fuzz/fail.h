#pragma once

#include "absl/strings/string_view.h"

namespace naval::fuzz {

// Ends the process with these words: the input breaks a promise, and libFuzzer keeps it.
[[noreturn]] void Fail(absl::string_view what);

inline void Require(bool condition, absl::string_view what) {
  if (!condition) Fail(what);
}

}  // namespace naval::fuzz
