#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace naval::base {

// A hash that is the same in every process and release, as one has to be that is stored:
// SipHash-2-4 (Aumasson and Bernstein, 2012) under the key 0. Who wants to can make two texts that
// meet. Pure; any thread.
std::uint64_t StableHash(absl::string_view text);

}  // namespace naval::base
