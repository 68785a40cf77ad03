#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/timestamp.pb.h"

namespace naval::wire {

// Points and lengths of time, to the nanosecond (what is finer is cut off towards the past, or
// towards zero). Pure; any thread.

// Requires a time in the years 1 to 9999, which is what a Timestamp can hold.
google::protobuf::Timestamp ToProto(absl::Time time);

// INVALID_ARGUMENT, reason INVALID_TIME, naming `field`, outside the years 1 to 9999 or with nanos
// outside 0 to 999,999,999.
absl::StatusOr<absl::Time> FromProto(const google::protobuf::Timestamp& time,
                                     absl::string_view field);

// Requires a length of at most 10,000 years either way, which is what a Duration can hold.
google::protobuf::Duration ToProto(absl::Duration duration);

}  // namespace naval::wire
