#include "lib/base/ids.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/container/flat_hash_set.h"
#include "lib/base/simulated_clock.h"

namespace naval::base {
namespace {

// Gives ones only.
class OnesRandom final : public Random {
 public:
  uint64_t Next() override { return ~uint64_t{0}; }
};

TEST(Ids, AreLaidOutAsRfc9562Says) {
  // The time of the example in RFC 9562, appendix A.6.
  const SimulatedClock clock(absl::FromUnixMillis(0x017F22E279B0));
  OnesRandom random;
  EXPECT_EQ(NewId(clock, random), "017f22e2-79b0-7fff-bfff-ffffffffffff");
}

TEST(Ids, SortByTheTimeTheyWereMadeAt) {
  SimulatedClock clock(absl::FromUnixSeconds(1'800'000'000));
  SeededRandom random(1);
  std::string last = NewId(clock, random);
  for (int i = 0; i < 1'000; ++i) {
    clock.Advance(absl::Milliseconds(1));
    const std::string id = NewId(clock, random);
    ASSERT_LT(last, id);
    ASSERT_TRUE(IsId(id)) << id;
    last = id;
  }
}

TEST(Ids, DifferWithinOneMillisecond) {
  const SimulatedClock clock(absl::FromUnixSeconds(1'800'000'000));
  SecureRandom random;
  absl::flat_hash_set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.insert(NewId(clock, random));
  EXPECT_EQ(ids.size(), 10'000u);
}

TEST(Ids, AreKnownInOneSpellingOnly) {
  EXPECT_TRUE(IsId("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"));
  EXPECT_TRUE(IsId("00000000-0000-0000-0000-000000000000"));
  EXPECT_FALSE(IsId(""));
  EXPECT_FALSE(IsId("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"));
  EXPECT_FALSE(IsId("017f22e279b07cc398c4dc0c0c07398f"));
  EXPECT_FALSE(IsId("{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}"));
  EXPECT_FALSE(IsId("017f22e2-79b0-7cc3-98c4-dc0c0c07398"));
  EXPECT_FALSE(IsId("017f22e2-79b0-7cc3-98c4-dc0c0c07398f "));
  EXPECT_FALSE(IsId("017f22e2-79b0-7cc3-98c4-dc0c0c07398g"));
  EXPECT_FALSE(IsId("017f22e27-9b0-7cc3-98c4-dc0c0c07398f"));
}

}  // namespace
}  // namespace naval::base
