#pragma once

#include <cstdint>
#include <random>

#include "absl/types/span.h"

namespace naval::base {

// Chance as everything in the project sees it, handed in by reference.
class Random {
 public:
  virtual ~Random() = default;

  // 64 random bits.
  virtual uint64_t Next() = 0;

  // A number of 0 .. bound - 1, each equally likely (values that would favour the small numbers are
  // drawn again). `bound` must be at least 1.
  uint64_t Uniform(uint64_t bound);

  // Fills `bytes` with random bytes.
  void Fill(absl::Span<uint8_t> bytes);
};

// The machine's entropy, by libsodium; fit for secrets. Thread safe.
class SecureRandom final : public Random {
 public:
  SecureRandom();
  uint64_t Next() override;
};

// The same numbers for the same seed, on every machine and with every compiler: the C++ standard
// fixes the output of mt19937_64 (not that of its distributions, which is why Uniform is our own).
// Not fit for secrets, not thread safe.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed);
  uint64_t Next() override;

 private:
  std::mt19937_64 generator_;
};

}  // namespace naval::base
