#include "lib/wire/time_wire.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"

namespace naval::wire {
namespace {

constexpr std::int64_t kNanosASecond = 1'000'000'000;

// The bounds that timestamp.proto and duration.proto state, in seconds.
constexpr std::int64_t kFirstSecond = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr std::int64_t kMostSeconds = 315'576'000'000;

}  // namespace

google::protobuf::Timestamp ToProto(absl::Time time) {
  const std::int64_t seconds = absl::ToUnixSeconds(time);
  NAVAL_CHECK(kFirstSecond <= seconds && seconds <= kLastSecond);
  google::protobuf::Timestamp proto;
  proto.set_seconds(seconds);
  proto.set_nanos(
      static_cast<std::int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
  return proto;
}

absl::StatusOr<absl::Time> FromProto(const google::protobuf::Timestamp& time,
                                     absl::string_view field) {
  if (time.seconds() < kFirstSecond || time.seconds() > kLastSecond || time.nanos() < 0 ||
      time.nanos() >= kNanosASecond) {
    return base::InvalidField(
        "INVALID_TIME", field, "must be in the years 1 to 9999, with nanos of 0 to 999999999",
        {{"seconds", absl::StrCat(time.seconds())}, {"nanos", absl::StrCat(time.nanos())}});
  }
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

google::protobuf::Duration ToProto(absl::Duration duration) {
  absl::Duration rest;
  const std::int64_t seconds = absl::IDivDuration(duration, absl::Seconds(1), &rest);
  NAVAL_CHECK(-kMostSeconds <= seconds && seconds <= kMostSeconds);
  google::protobuf::Duration proto;
  proto.set_seconds(seconds);
  proto.set_nanos(static_cast<std::int32_t>(absl::ToInt64Nanoseconds(rest)));
  return proto;
}

}  // namespace naval::wire
