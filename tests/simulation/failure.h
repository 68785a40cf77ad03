#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace naval::simulation {

// Ends the process: what was simulated has done what it must never do. Whoever runs seeds runs them
// in processes of their own and reads the message there; nothing could go on in the middle of a
// world that is broken.
[[noreturn]] void Fail(const std::string& message);

// Where Fail writes its message, cut to `size` bytes with a zero at its end; null: to standard
// error.
void SetFailureBuffer(char* buffer, std::size_t size);

}  // namespace naval::simulation

// Fails with `message` unless `condition` holds; `message` is made only then.
#define NAVAL_REQUIRE(condition, message) \
  ((condition) ? static_cast<void>(0) : ::naval::simulation::Fail(message))
