#include "lib/base/random.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

#include "lib/base/sodium.h"

namespace naval::base {

uint64_t Random::Uniform(uint64_t bound) {
  assert(bound >= 1);
  while (true) {
    const uint64_t value = Next();
    // The 2^64 values do not split evenly into `bound` classes; the first 2^64 mod `bound` are left
    // out. That is looked at only where it can matter, for a division takes its time.
    if (value >= bound) return value % bound;
    const uint64_t left_out = (std::numeric_limits<uint64_t>::max() - bound + 1) % bound;
    if (value >= left_out) return value % bound;
  }
}

void Random::Fill(absl::Span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const uint64_t value = Next();
    const size_t count = std::min(bytes.size(), sizeof(value));
    // The low byte first, on every machine.
    for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<uint8_t>(value >> (8 * i));
    bytes.remove_prefix(count);
  }
}

SecureRandom::SecureRandom() { InitSodium(); }

uint64_t SecureRandom::Next() {
  // A call of the kernel for each number would take most of the time of a drawn fleet.
  thread_local std::array<uint64_t, 64> drawn;
  thread_local size_t left = 0;
  if (left == 0) {
    randombytes_buf(drawn.data(), sizeof(drawn));
    left = drawn.size();
  }
  return std::exchange(drawn[--left], 0);
}

SeededRandom::SeededRandom(uint64_t seed) : generator_(seed) {}

uint64_t SeededRandom::Next() { return generator_(); }

}  // namespace naval::base
