#include "lib/server/library_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/server/echo_test_server.h"

namespace naval::server {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The wire form of an EchoRequest whose text is one byte that is not UTF-8.
constexpr char kBadText[] = "\x0a\x01\xff";

TEST(LibraryLog, HasTheLinesOfProtobufInsteadOfStandardError) {
  RouteLibraryLogs();
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  echo::v1::EchoRequest request;
  const bool parsed = request.ParseFromString(kBadText);
  const std::string err = ::testing::internal::GetCapturedStderr();
  const std::string out = ::testing::internal::GetCapturedStdout();
  // No text that is not UTF-8 comes to a service.
  EXPECT_FALSE(parsed);
  EXPECT_THAT(err, IsEmpty());
  EXPECT_THAT(out, HasSubstr("\"level\":\"warning\",\"event\":\"protobuf\""));
  EXPECT_THAT(out, HasSubstr("EchoRequest.text"));
}

}  // namespace
}  // namespace naval::server
