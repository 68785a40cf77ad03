#include "lib/base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace naval::base {
namespace {

using ::testing::ElementsAre;

// Gives the numbers it is told.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::vector<uint64_t> values) : values_(std::move(values)) {}
  uint64_t Next() override { return values_.at(next_++); }
  size_t used() const { return next_; }

 private:
  const std::vector<uint64_t> values_;
  size_t next_ = 0;
};

TEST(Random, GivesNumbersBelowTheBoundOnly) {
  SeededRandom random(1);
  for (const uint64_t bound : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{100},
                               std::numeric_limits<uint64_t>::max()}) {
    for (int i = 0; i < 1'000; ++i) ASSERT_LT(random.Uniform(bound), bound);
  }
}

TEST(Random, FavoursNoNumber) {
  SeededRandom random(2);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[random.Uniform(counts.size())];
  // 10 standard deviations of a fair draw.
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 950);
}

TEST(Random, DrawsAgainWhereANumberWouldFavourTheSmallOnes) {
  // 2^64 mod 10 is 6: the values 0 to 5 would give 0 to 5 once more than 6 to 9.
  ScriptedRandom random({0, 5, 6, 17});
  EXPECT_EQ(random.Uniform(10), 6u);
  EXPECT_EQ(random.used(), 3u);
  EXPECT_EQ(random.Uniform(10), 7u);
}

TEST(Random, FillsBytesFromTheLowEndOfEachNumber) {
  ScriptedRandom random({0x0807060504030201, 0x100f0e0d0c0b0a09});
  std::array<uint8_t, 11> bytes{};
  random.Fill(absl::MakeSpan(bytes));
  EXPECT_THAT(bytes, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(SeededRandom, GivesTheNumbersThatTheStandardPrescribes) {
  // C++20, [rand.predef]: the 10000th number of a default mt19937_64, whose seed is 5489.
  SeededRandom random(5489);
  uint64_t last = 0;
  for (int i = 0; i < 10'000; ++i) last = random.Next();
  EXPECT_EQ(last, 9981545732273789042u);
}

TEST(SecureRandom, NeverRepeatsItself) {
  SecureRandom random;
  EXPECT_NE(random.Next(), random.Next());
}

}  // namespace
}  // namespace naval::base
