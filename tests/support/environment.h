#pragma once

#include <cstdint>

namespace naval::testing {

// The number that this environment variable holds; `otherwise` where it is not set. Ends the test
// program, saying what it should be, when it holds anything but a number of at least `least`.
std::uint64_t NumberFromEnvironment(const char* name, std::uint64_t otherwise,
                                    std::uint64_t least = 0);

}  // namespace naval::testing
