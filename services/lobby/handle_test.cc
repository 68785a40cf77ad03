#include "services/lobby/handle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/base/error.h"
#include "lib/base/random.h"
#include "tests/support/status_matchers.h"

namespace naval::lobby {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::MatchesRegex;

TEST(Handle, TakesLettersDigitsUnderscoreAndHyphen) {
  for (const char* handle : {"ana", "A-1_b", "x__", "---", "12345678901234567890", "guesthouse"}) {
    EXPECT_THAT(CheckHandle(handle), IsOk()) << handle;
  }
}

TEST(Handle, RefusesOtherCharactersAndLengthsNamingTheField) {
  for (const char* handle :
       {"", "ab", "123456789012345678901", "ana maria", "ana\n", "jos\u00e9", "a.b.c"}) {
    const absl::Status status = CheckHandle(handle);
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument)) << handle;
    EXPECT_THAT(status, HasReason("INVALID_HANDLE")) << handle;
    EXPECT_THAT(base::FieldViolationsOf(status),
                ElementsAre(Field(&base::FieldViolation::field, "handle")));
  }
}

TEST(Handle, RefusesToLookLikeAGuestInAnyCase) {
  EXPECT_THAT(CheckHandle("guest-7k2m9q"), HasReason("INVALID_HANDLE"));
  EXPECT_THAT(CheckHandle("GUEST-x"), HasReason("INVALID_HANDLE"));
}

TEST(Handle, OfAGuestFitsTheRuleOfTheDatabaseAndDiffers) {
  base::SeededRandom random(7);
  const std::string first = NewGuestHandle(random);
  EXPECT_THAT(first, MatchesRegex("guest-[0-9a-hjkmnp-tv-z]{6}"));
  EXPECT_NE(first, NewGuestHandle(random));
}

}  // namespace
}  // namespace naval::lobby
