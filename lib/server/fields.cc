#include "lib/server/fields.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"

namespace naval::server {

absl::Status CheckId(absl::string_view field, absl::string_view value) {
  if (base::IsId(value)) return absl::OkStatus();
  const absl::string_view::size_type dot = field.rfind('.');
  const absl::string_view name = dot == absl::string_view::npos ? field : field.substr(dot + 1);
  return base::InvalidField(absl::StrCat("INVALID_", absl::AsciiStrToUpper(name)), field,
                            value.empty() ? "is missing: it must be a UUID in lower case"
                                          : "must be a UUID in lower case");
}

absl::StatusOr<int> ReadPageSize(std::int32_t page_size) {
  if (page_size < 0) {
    return base::InvalidField("INVALID_PAGE_SIZE", "page_size", "must not be negative");
  }
  return page_size == 0 ? kDefaultPageSize : std::min(page_size, kMaxPageSize);
}

absl::Status PageTokenInvalid() {
  return base::InvalidField("PAGE_TOKEN_INVALID", "page_token",
                            "must be empty, or the next_page_token of the page before, with the "
                            "other fields unchanged");
}

}  // namespace naval::server
