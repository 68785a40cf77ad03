#include "services/lobby/password_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "lib/base/secret.h"
#include "tests/support/status_matchers.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::testing::HasSubstr;
using ::testing::Not;

absl::Status Check(const std::string& password) { return CheckPassword(base::Secret(password)); }

TEST(PasswordPolicy, TakesLongPhrasesOfAnyCharacters) {
  EXPECT_THAT(Check("correct horse battery"), IsOk());
  EXPECT_THAT(Check("una barca sin remos"), IsOk());
  EXPECT_THAT(Check("we were there after all"), IsOk());
  EXPECT_THAT(Check("l\u00e1mpara \u00f1and\u00fa \u6d77\u6230"), IsOk());
  EXPECT_THAT(Check("7f3c9a1e5b8d2064"), IsOk());
}

TEST(PasswordPolicy, CountsCharactersAndNotBytes) {
  EXPECT_THAT(Check("\u00f1and\u00fa en el ma"), HasReason("WEAK_PASSWORD"));  // 14
  EXPECT_THAT(Check("\u00f1and\u00fa en el mar"), IsOk());                     // 15
}

TEST(PasswordPolicy, RefusesLessThan15AndMoreThan256Characters) {
  std::string phrase;
  for (int i = 0; phrase.size() < 300; ++i) phrase += std::to_string(i * i) + " boats; ";
  EXPECT_THAT(Check(phrase.substr(0, 14)), HasReason("WEAK_PASSWORD"));
  EXPECT_THAT(Check(phrase.substr(0, 15)), IsOk());
  EXPECT_THAT(Check(phrase.substr(0, 256)), IsOk());
  EXPECT_THAT(Check(phrase.substr(0, 257)), HasReason("WEAK_PASSWORD"));
  EXPECT_THAT(Check(""), HasReason("WEAK_PASSWORD"));
}

TEST(PasswordPolicy, RefusesAShortPieceRepeated) {
  for (const char* password : {"aaaaaaaaaaaaaaaa", "passwordpassword", "PasswordpassworD",
                               "hunter2hunter2hunter2", "hola hola hola hol"}) {
    EXPECT_THAT(Check(password), HasReason("WEAK_PASSWORD")) << password;
  }
}

TEST(PasswordPolicy, RefusesWalksOverTheKeyboardAndTheAlphabet) {
  for (const char* password : {"123456789012345", "987654321098765", "abcdefghijklmnopq",
                               "qwertyuiopasdfgh", "1qaz2wsx3edc4rfv", "1Q2w3e4r5t6y7u8i"}) {
    EXPECT_THAT(Check(password), HasReason("WEAK_PASSWORD")) << password;
  }
}

TEST(PasswordPolicy, NeverRepeatsThePasswordInTheError) {
  EXPECT_THAT(std::string(Check("hunter2hunter2").message()), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace naval::lobby
