#include "lib/base/stable_hash.h"

#include <gtest/gtest.h>

namespace naval::base {
namespace {

// From a second implementation, which gives the value of the paper's appendix A for its key.
TEST(StableHash, IsWhatItWasWhenItWasStored) {
  EXPECT_EQ(StableHash(""), 0x1e924b9d737700d7u);
  EXPECT_EQ(StableHash("0018f3f5e-7b5a-7c3d-8a21-000000000001"), 0x3dc26c345c283e76u);
}

}  // namespace
}  // namespace naval::base
