#include "lib/server/grpc_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "lib/base/error.h"
#include "tests/support/status_matchers.h"

namespace naval::server {
namespace {

using ::naval::testing::HasReason;
using ::naval::testing::IsOk;
using ::naval::testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

google::rpc::Status DetailsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  return details;
}

google::rpc::ErrorInfo InfoOf(const grpc::Status& status) {
  google::rpc::ErrorInfo info;
  EXPECT_TRUE(DetailsOf(status).details(0).UnpackTo(&info));
  return info;
}

TEST(GrpcStatus, IsOkForOk) {
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
  EXPECT_THAT(FromGrpcStatus(grpc::Status::OK), IsOk());
}

TEST(GrpcStatus, HoldsEachPartOfAnErrorOnce) {
  absl::Status error =
      base::InvalidField("INVALID_FLEET", "fleet", "must have 4 ships", {{"ships", "3"}});
  error = base::WithFieldViolation(error, {"request_id", "must be a UUID"});
  error = base::WithRetryDelay(error, absl::Milliseconds(1500));
  const grpc::Status status = ToGrpcStatus(error);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(), "fleet: must have 4 ships");

  const google::rpc::Status details = DetailsOf(status);
  EXPECT_EQ(details.code(), 3);
  EXPECT_EQ(details.message(), "fleet: must have 4 ships");
  ASSERT_EQ(details.details_size(), 3);
  const google::rpc::ErrorInfo info = InfoOf(status);
  EXPECT_EQ(info.reason(), "INVALID_FLEET");
  EXPECT_EQ(info.domain(), "naval");
  EXPECT_THAT(info.metadata(), UnorderedElementsAre(Pair("ships", "3")));
  google::rpc::BadRequest bad_request;
  ASSERT_TRUE(details.details(1).UnpackTo(&bad_request));
  ASSERT_EQ(bad_request.field_violations_size(), 2);
  EXPECT_EQ(bad_request.field_violations(0).field(), "fleet");
  EXPECT_EQ(bad_request.field_violations(1).description(), "must be a UUID");
  google::rpc::RetryInfo retry;
  ASSERT_TRUE(details.details(2).UnpackTo(&retry));
  EXPECT_EQ(retry.retry_delay().seconds(), 1);
  EXPECT_EQ(retry.retry_delay().nanos(), 500'000'000);
}

TEST(GrpcStatus, WritesEqualErrorsAsEqualBytes) {
  const auto details = [] {
    return ToGrpcStatus(base::Error(absl::StatusCode::kInvalidArgument, "OUT_OF_RANGE", "no",
                                    {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}}))
        .error_details();
  };
  const std::string once = details();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(details(), once);
}

TEST(GrpcStatus, GivesEveryErrorAReason) {
  const grpc::Status status = ToGrpcStatus(absl::NotFoundError("no such table"));
  EXPECT_EQ(InfoOf(status).reason(), "NOT_FOUND");
  EXPECT_EQ(status.error_message(), "no such table");
}

TEST(GrpcStatus, LogsWhatWentWrongOnOurSideAndDoesNotTell) {
  for (const absl::StatusCode code :
       {absl::StatusCode::kInternal, absl::StatusCode::kUnknown, absl::StatusCode::kDataLoss}) {
    ::testing::internal::CaptureStdout();
    const grpc::Status status =
        ToGrpcStatus(base::Error(code, "LOG_BROKEN", "entry 7 is missing", {{"seq", "7"}}));
    const std::string log = ::testing::internal::GetCapturedStdout();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INTERNAL);
    EXPECT_EQ(InfoOf(status).reason(), "INTERNAL");
    EXPECT_THAT(InfoOf(status).metadata(), IsEmpty());
    EXPECT_THAT(status.error_details(), Not(HasSubstr("entry 7")));
    EXPECT_THAT(status.error_message(), Not(HasSubstr("entry 7")));
    EXPECT_THAT(log, HasSubstr("LOG_BROKEN: entry 7 is missing"));
  }
}

TEST(GrpcStatus, ComesBackAsTheErrorItWas) {
  absl::Status error = base::Error(absl::StatusCode::kFailedPrecondition, "TABLE_FULL",
                                   "the table is full", {{"players", "2"}});
  error = base::WithFieldViolation(error, {"code", "is used up"});
  error = base::WithRetryDelay(error, absl::Seconds(2) + absl::Nanoseconds(5));
  const absl::Status back = FromGrpcStatus(ToGrpcStatus(error));
  EXPECT_EQ(back, error);
  EXPECT_THAT(back, HasReason("TABLE_FULL"));
}

TEST(GrpcStatus, ComesBackWithoutPartsFromElsewhere) {
  const absl::Status plain =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::UNAVAILABLE, "connection refused"));
  EXPECT_THAT(plain, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(plain.message(), "connection refused");
  EXPECT_EQ(base::ReasonOf(plain), "");

  google::rpc::ErrorInfo info;
  info.set_reason("THEIRS");
  info.set_domain("example.com");
  google::rpc::Status details;
  details.add_details()->PackFrom(info);
  const absl::Status foreign =
      FromGrpcStatus(grpc::Status(grpc::StatusCode::ABORTED, "no", details.SerializeAsString()));
  EXPECT_THAT(foreign, StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(base::ReasonOf(foreign), "");

  EXPECT_THAT(FromGrpcStatus(grpc::Status(grpc::StatusCode::NOT_FOUND, "no", "\xff garbage")),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace naval::server
