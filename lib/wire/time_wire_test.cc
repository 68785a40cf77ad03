#include "lib/wire/time_wire.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tests/support/proto_matchers.h"
#include "tests/support/status_matchers.h"

namespace naval::wire {
namespace {

using ::naval::testing::EqualsProto;
using ::naval::testing::HasReason;

absl::Time FirstTime() { return absl::FromUnixSeconds(-62'135'596'800); }
absl::Time LastTime() {
  return absl::FromUnixSeconds(253'402'300'799) + absl::Nanoseconds(999'999'999);
}

google::protobuf::Timestamp Timestamp(std::int64_t seconds, std::int32_t nanos) {
  google::protobuf::Timestamp proto;
  proto.set_seconds(seconds);
  proto.set_nanos(nanos);
  return proto;
}

TEST(TimeWire, WritesSecondsAndNanos) {
  EXPECT_THAT(ToProto(absl::FromUnixMicros(1'500'000)), EqualsProto("seconds: 1 nanos: 500000000"));
}

TEST(TimeWire, CountsNanosUpwardsAlsoBeforeTheEpoch) {
  EXPECT_THAT(ToProto(absl::FromUnixMicros(-500'000)), EqualsProto("seconds: -1 nanos: 500000000"));
}

TEST(TimeWire, RoundTripsEveryTimeThatATimestampHolds) {
  for (const absl::Time time :
       {FirstTime(), absl::UnixEpoch(), absl::UnixEpoch() - absl::Nanoseconds(1),
        absl::FromUnixNanos(1'795'819'039'123'456'789), LastTime()}) {
    NAVAL_ASSERT_OK_AND_ASSIGN(const absl::Time read, FromProto(ToProto(time), "time"));
    EXPECT_EQ(read, time);
  }
}

TEST(TimeWire, RefusesATimestampOutOfRangeAndNamesTheField) {
  for (const auto& bad : {Timestamp(-62'135'596'801, 0), Timestamp(253'402'300'800, 0),
                          Timestamp(0, -1), Timestamp(0, 1'000'000'000)}) {
    const absl::StatusOr<absl::Time> read = FromProto(bad, "end_time");
    ASSERT_THAT(read, HasReason("INVALID_TIME")) << bad.ShortDebugString();
    EXPECT_EQ(base::FieldViolationsOf(read.status()).at(0).field, "end_time");
  }
}

TEST(TimeWire, WritesEveryLengthThatADurationHolds) {
  const absl::Duration most = absl::Seconds(315'576'000'000) + absl::Nanoseconds(999'999'999);
  EXPECT_THAT(ToProto(absl::ZeroDuration()), EqualsProto(""));
  EXPECT_THAT(ToProto(absl::Seconds(25)), EqualsProto("seconds: 25"));
  EXPECT_THAT(ToProto(absl::Nanoseconds(-1)), EqualsProto("nanos: -1"));
  EXPECT_THAT(ToProto(most), EqualsProto("seconds: 315576000000 nanos: 999999999"));
  EXPECT_THAT(ToProto(-most), EqualsProto("seconds: -315576000000 nanos: -999999999"));
}

TEST(TimeWire, WritesANegativeLengthWithBothPartsNegative) {
  EXPECT_THAT(ToProto(absl::Milliseconds(-1500)), EqualsProto("seconds: -1 nanos: -500000000"));
}

}  // namespace
}  // namespace naval::wire
