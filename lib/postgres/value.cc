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

Param::Param(const Array& array) : text_(absl::StrCat(array.text_, "}")) {}

// The manual, 8.15.6: between double quotes every character stands for itself but these two.
void Array::Add(const Param& element) {
  if (text_.size() > 1) text_.push_back(',');
  if (!element.text().has_value()) {
    text_.append("NULL");
    return;
  }
  text_.push_back('"');
  for (const char c : *element.text()) {
    if (c == '"' || c == '\\') text_.push_back('\\');
    text_.push_back(c);
  }
  text_.push_back('"');
}

}  // namespace naval::postgres
