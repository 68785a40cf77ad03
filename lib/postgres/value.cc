#include "lib/postgres/value.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace naval::postgres {

// 17 digits bring every double back to the bit.
Param::Param(double value) : text_(absl::StrFormat("%.17g", value)) {}

Param::Param(absl::Time time) {
  if (time == absl::InfiniteFuture()) {
    text_ = "infinity";
  } else if (time == absl::InfinitePast()) {
    text_ = "-infinity";
  } else {
    text_ = absl::FormatTime("%Y-%m-%d %H:%M:%E6S+00", time, absl::UTCTimeZone());
  }
}

Param::Param(const Bytes& bytes)
    : text_(absl::StrCat("\\x", absl::BytesToHexString(bytes.value))) {}

}  // namespace naval::postgres
