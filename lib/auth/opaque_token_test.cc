#include "lib/auth/opaque_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "lib/auth/base64url.h"

namespace naval::auth {
namespace {

using ::testing::MatchesRegex;

TEST(OpaqueToken, HasItsBitsAsUrlSafeText) {
  base::SecureRandom random;
  EXPECT_THAT(std::string(NewOpaqueToken(random).Reveal()), MatchesRegex("[A-Za-z0-9_-]{43}"));
  EXPECT_THAT(std::string(NewJoinCode(random).Reveal()), MatchesRegex("[A-Za-z0-9_-]{22}"));
  EXPECT_FALSE(NewOpaqueToken(random) == NewOpaqueToken(random));
}

TEST(OpaqueToken, IsNoOptionOfACommandWhenItIsAJoinCode) {
  base::SecureRandom random;
  for (int i = 0; i < 2000; ++i) EXPECT_NE(NewJoinCode(random).Reveal().front(), '-');
}

TEST(OpaqueToken, IsHashedWithBlake2b) {
  // The 256-bit BLAKE2b of "abc", computed with Python's hashlib.
  EXPECT_EQ(absl::BytesToHexString(HashToken("abc")),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
}

TEST(Base64Url, KnowsOneSpellingForTheSameBytes) {
  EXPECT_EQ(EncodeBase64Url("\xfb\xff"), "-_8");
  EXPECT_EQ(DecodeBase64Url("-_8"), "\xfb\xff");
  EXPECT_EQ(DecodeBase64Url(""), "");
  for (const char* text : {"-_9", "-_8=", "+/8", "-_ 8", "-_8\n", "A", "ñ"}) {
    EXPECT_EQ(DecodeBase64Url(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace naval::auth
