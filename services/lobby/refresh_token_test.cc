#include "services/lobby/refresh_token.h"

#include <gtest/gtest.h>

#include <string>

#include "lib/base/random.h"

namespace naval::lobby {
namespace {

constexpr char kSessionId[] = "018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10";

TEST(RefreshToken, NamesItsSession) {
  base::SecureRandom random;
  const base::Secret token = NewRefreshToken(kSessionId, random);
  EXPECT_EQ(SessionIdOf(token), kSessionId);
  EXPECT_FALSE(token == NewRefreshToken(kSessionId, random));
  EXPECT_FALSE(SessionKeyOf(token) == SessionKeyOf(NewRefreshToken(kSessionId, random)));
}

TEST(RefreshToken, HasOneSuccessorForASaltThatNamesTheSameSession) {
  base::SecureRandom random;
  const base::Secret token = NewRefreshToken(kSessionId, random);
  const base::Secret successor = SuccessorOf(token, "salt");
  EXPECT_EQ(SessionIdOf(successor), kSessionId);
  EXPECT_TRUE(SessionKeyOf(successor) == SessionKeyOf(token));
  EXPECT_TRUE(successor == SuccessorOf(token, "salt"));
  EXPECT_FALSE(successor == SuccessorOf(token, "another salt"));
  EXPECT_FALSE(successor == SuccessorOf(NewRefreshToken(kSessionId, random), "salt"));
}

TEST(RefreshToken, OfAnotherFormNamesNoSession) {
  base::SecureRandom random;
  const std::string good(NewRefreshToken(kSessionId, random).Reveal());
  for (const std::string& bad :
       {std::string(), std::string(kSessionId), good + "x", good.substr(1),
        good.substr(0, 36) + "+" + good.substr(37), good.substr(0, 59) + "x" + good.substr(60),
        good.substr(0, 40) + "+" + good.substr(41), good.substr(0, good.size() - 1) + "=",
        std::string(80, 'a')}) {
    EXPECT_EQ(SessionIdOf(base::Secret(bad)), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace naval::lobby
