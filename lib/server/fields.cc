#include "lib/server/fields.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/ids.h"

namespace naval::server {
namespace {

// "account_id" of "players[0].account_id".
std::string LastNameOf(absl::string_view field) {
  const absl::string_view::size_type dot = field.rfind('.');
  return std::string(dot == absl::string_view::npos ? field : field.substr(dot + 1));
}

absl::Status InvalidId(absl::string_view field, absl::string_view value, absl::string_view rule) {
  const std::string name = LastNameOf(field);
  return base::InvalidField(
      absl::StrCat("INVALID_", absl::AsciiStrToUpper(name)), field,
      value.empty() ? absl::StrCat("is missing: it ", rule) : std::string(rule),
      {{name, base::Shown(value)}});
}

}  // namespace

absl::Status CheckId(absl::string_view field, absl::string_view value) {
  if (base::IsId(value)) return absl::OkStatus();
  return InvalidId(field, value, "must be a UUID in lower case");
}

absl::Status CheckUuidV7(absl::string_view field, absl::string_view value) {
  // The digit that says the version (RFC 9562, section 4.2).
  if (base::IsId(value) && value[14] == '7') return absl::OkStatus();
  return InvalidId(field, value, "must be a UUIDv7 in lower case");
}

absl::Status CheckName(absl::string_view field, absl::string_view value) {
  constexpr std::size_t kMaxLength = 64;
  const bool printable = std::all_of(value.begin(), value.end(), [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c));
  });
  if (!value.empty() && value.size() <= kMaxLength && printable) return absl::OkStatus();
  return base::InvalidField("INVALID_PLAYER", field,
                            absl::StrCat("must have 1 to ", kMaxLength, " printable characters"),
                            {{LastNameOf(field), base::Shown(value)}});
}

absl::StatusOr<int> ReadPageSize(std::int32_t page_size) {
  if (page_size < 0) {
    return base::InvalidField("INVALID_PAGE_SIZE", "page_size",
                              absl::StrCat("must not be negative: 0 takes ", kDefaultPageSize,
                                           ", more than ", kMaxPageSize, " takes ", kMaxPageSize),
                              {{"page_size", absl::StrCat(page_size)}});
  }
  return page_size == 0 ? kDefaultPageSize : std::min(page_size, kMaxPageSize);
}

absl::Status PageTokenInvalid() {
  return base::InvalidField("PAGE_TOKEN_INVALID", "page_token",
                            "must be empty, or the next_page_token of the page before, with the "
                            "other fields unchanged");
}

}  // namespace naval::server
