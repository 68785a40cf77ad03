#pragma once

#include <cstddef>

namespace naval::bench {

// Bytes on the heap now, of a program that links this.
std::size_t AllocatedBytes();

}  // namespace naval::bench
