#include "lib/server/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/flags/flag.h"
#include "tests/support/status_matchers.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::StatusIs;
using ::testing::HasSubstr;

TEST(RequiredFlag, GivesItsValue) {
  absl::SetFlag(&FLAGS_verify_key_file, "keys.pub");
  EXPECT_EQ(RequiredFlag(FLAGS_verify_key_file).value(), "keys.pub");
}

TEST(RequiredFlag, IsNamedAndExplainedWhenItIsMissing) {
  absl::SetFlag(&FLAGS_verify_key_file, "");
  const absl::Status status = RequiredFlag(FLAGS_verify_key_file).status();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status, HasReason("FLAG_MISSING"));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("--verify_key_file is missing. File with the public keys"));
}

}  // namespace
}  // namespace naval::server
