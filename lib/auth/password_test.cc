#include "lib/auth/password.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/status_matchers.h"

namespace naval::auth {
namespace {

using ::testing::StartsWith;

base::Secret Password(const std::string& text) { return base::Secret(text); }

TEST(Password, IsKnownByItsHash) {
  const PasswordHasher hasher(kCheapestPasswordCost);
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string hash, hasher.Hash(Password("three wooden boats")));
  EXPECT_TRUE(hasher.Verify(hash, Password("three wooden boats")));
  EXPECT_FALSE(hasher.Verify(hash, Password("three wooden boat")));
}

TEST(Password, GetsAnotherSaltEachTime) {
  const PasswordHasher hasher(kCheapestPasswordCost);
  EXPECT_NE(hasher.Hash(Password("three wooden boats")).value(),
            hasher.Hash(Password("three wooden boats")).value());
}

TEST(Password, IsHashedAtTheCostOfProduction) {
  const PasswordHasher hasher(kPasswordCost);
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string hash, hasher.Hash(Password("three wooden boats")));
  EXPECT_THAT(hash, StartsWith("$argon2id$v=19$m=19456,t=2,p=1$"));
}

TEST(Password, FitsItsHashAlsoWhenTheCostHasChanged) {
  const PasswordHasher cheap(kCheapestPasswordCost);
  const PasswordHasher dearer({.passes = 2, .memory_bytes = 16 * 1024});
  NAVAL_ASSERT_OK_AND_ASSIGN(const std::string hash, cheap.Hash(Password("three wooden boats")));
  EXPECT_TRUE(dearer.Verify(hash, Password("three wooden boats")));
}

TEST(Password, DoesNotFitAHashThatIsNone) {
  const PasswordHasher hasher(kCheapestPasswordCost);
  EXPECT_FALSE(hasher.Verify("", Password("three wooden boats")));
}

TEST(Password, OfAnUnknownUserIsWorkedOnAllTheSame) {
  const PasswordHasher hasher(kCheapestPasswordCost);
  EXPECT_FALSE(hasher.VerifyUnknown(Password("three wooden boats")));
}

}  // namespace
}  // namespace naval::auth
