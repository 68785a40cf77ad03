#include "lib/server/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"

ABSL_FLAG(int, eggs, 6, "How many eggs are boiled.");
ABSL_FLAG(std::string, nest, "", "Where the eggs are.");

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

TEST(FlagInRange, GivesItsValueUpToBothLimits) {
  for (const int value : {1, 6, 12}) {
    absl::SetFlag(&FLAGS_eggs, value);
    EXPECT_EQ(FlagInRange(FLAGS_eggs, 1, 12).value(), value);
  }
}

TEST(FlagInRange, IsNamedWithItsValueAndItsLimitsOutsideOfThem) {
  for (const int value : {-1, 0, 13}) {
    absl::SetFlag(&FLAGS_eggs, value);
    const absl::Status status = FlagInRange(FLAGS_eggs, 1, 12).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasReason("FLAG_OUT_OF_RANGE"));
    EXPECT_EQ(status.message(), absl::StrCat("--eggs is ", value,
                                             " and must be from 1 to 12. How many eggs are "
                                             "boiled."));
  }
}

TEST(AddressFlag, IsHostAndPort) {
  for (const char* const address : {"match-0:7202", "10.0.0.7:1", "[fd00::1]:65535"}) {
    absl::SetFlag(&FLAGS_nest, address);
    EXPECT_EQ(AddressFlag(FLAGS_nest).value(), address);
  }
  EXPECT_EQ(SplitAddress("[fd00::1]:65535"),
            std::make_pair(std::string("[fd00::1]"), std::string("65535")));
}

TEST(AddressFlag, IsNamedWithItsValueWhenItIsNone) {
  for (const char* const address :
       {"", "match-0", ":7202", "match-0:", "match-0:0", "match-0:65536", "match-0:grpc",
        "fd00::1:7202", "dns:///match-0:7202", "match 0:7202"}) {
    absl::SetFlag(&FLAGS_nest, address);
    const absl::Status status = AddressFlag(FLAGS_nest).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(status, HasReason("FLAG_NO_ADDRESS"));
    EXPECT_EQ(status.message(), absl::StrCat("--nest is '", address,
                                             "' and must be HOST:PORT with a port from 1 to 65535."
                                             " Where the eggs are."));
  }
}

}  // namespace
}  // namespace naval::server
