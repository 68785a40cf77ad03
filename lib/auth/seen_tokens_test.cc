#include "lib/auth/seen_tokens.h"

#include <gtest/gtest.h>

#include <string>

namespace naval::auth {
namespace {

std::string Token(int i) { return std::to_string(i); }

TEST(SeenTokens, KnowsWhatItWasToldOfAlone) {
  SeenTokens seen(4);
  seen.Add(Token(1));
  EXPECT_TRUE(seen.Contains(Token(1)));
  EXPECT_FALSE(seen.Contains(Token(2)));
}

TEST(SeenTokens, RemembersAsManyAsItPromisesAndAtMostTwiceAsMany) {
  constexpr int kCapacity = 10;
  SeenTokens seen(kCapacity);
  for (int i = 0; i < 10 * kCapacity; ++i) seen.Add(Token(i));
  int remembered = 0;
  for (int i = 0; i < 10 * kCapacity; ++i) {
    const bool contains = seen.Contains(Token(i));
    EXPECT_TRUE(contains || i < 9 * kCapacity) << i;
    if (contains) ++remembered;
  }
  EXPECT_LE(remembered, 2 * kCapacity);
}

TEST(SeenTokens, KeepsWhatIsAskedForAgainAndAgain) {
  SeenTokens seen(10);
  seen.Add(Token(-1));
  for (int i = 0; i < 1000; ++i) {
    seen.Add(Token(i));
    ASSERT_TRUE(seen.Contains(Token(-1))) << "after " << i;
  }
}

}  // namespace
}  // namespace naval::auth
