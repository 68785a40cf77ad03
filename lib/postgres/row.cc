#include "lib/postgres/row.h"

#include <cstdint>
#include <pqxx/pqxx>
#include <type_traits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace naval::postgres {
namespace {

// The text forms below are those of a session with TimeZone UTC, DateStyle ISO and bytea_output
// hex, as Pool opens them. Each returns whether `text` is of that form.

bool Parse(absl::string_view text, std::string* value) {
  *value = std::string(text);
  return true;
}

bool Parse(absl::string_view text, int32_t* value) { return absl::SimpleAtoi(text, value); }

bool Parse(absl::string_view text, int64_t* value) { return absl::SimpleAtoi(text, value); }

bool Parse(absl::string_view text, double* value) { return absl::SimpleAtod(text, value); }

bool Parse(absl::string_view text, bool* value) {
  *value = text == "t";
  return text == "t" || text == "f";
}

bool Parse(absl::string_view text, absl::Time* value) {
  if (text == "infinity") {
    *value = absl::InfiniteFuture();
    return true;
  }
  if (text == "-infinity") {
    *value = absl::InfinitePast();
    return true;
  }
  std::string error;
  return absl::ConsumeSuffix(&text, "+00") &&
         absl::ParseTime("%Y-%m-%d %H:%M:%E*S", text, absl::UTCTimeZone(), value, &error);
}

bool Parse(absl::string_view text, Bytes* value) {
  if (!absl::ConsumePrefix(&text, "\\x")) return false;
  value->value = absl::HexStringToBytes(text);
  return true;
}

template <typename T>
T Convert(absl::string_view column, const std::optional<std::string>& text) {
  if (!text.has_value()) throw pqxx::conversion_error(absl::StrCat("column ", column, " is NULL"));
  T value;
  if (!Parse(*text, &value)) {
    throw pqxx::conversion_error(absl::StrCat("column ", column, " has another type"));
  }
  return value;
}

}  // namespace

Row::Row(std::shared_ptr<const pqxx::result> result, size_t index)
    : result_(std::move(result)), index_(index) {}

std::optional<std::string> Row::Text(absl::string_view column) const {
  const auto number = result_->column_number(std::string(column));
  const pqxx::field field = (*result_)[static_cast<pqxx::result::size_type>(index_)][number];
  if (field.is_null()) return std::nullopt;
  return std::string(field.c_str(), field.size());
}

template <typename T>
T Row::Get(absl::string_view column) const {
  return Convert<T>(column, Text(column));
}

#define NAVAL_DEFINE_ROW_GET(T)                                                          \
  template T Row::Get<T>(absl::string_view) const;                                       \
  template <>                                                                            \
  std::optional<T> Row::Get<std::optional<T>>(absl::string_view column) const {          \
    const std::optional<std::string> text = Text(column);                                \
    return text.has_value() ? std::optional<T>(Convert<T>(column, text)) : std::nullopt; \
  }

NAVAL_DEFINE_ROW_GET(std::string)
NAVAL_DEFINE_ROW_GET(int32_t)
NAVAL_DEFINE_ROW_GET(int64_t)
NAVAL_DEFINE_ROW_GET(double)
NAVAL_DEFINE_ROW_GET(bool)
NAVAL_DEFINE_ROW_GET(absl::Time)
NAVAL_DEFINE_ROW_GET(Bytes)

Rows::Rows(std::shared_ptr<const pqxx::result> result) : result_(std::move(result)) {}

size_t Rows::size() const { return static_cast<size_t>(result_->size()); }

size_t Rows::affected() const { return static_cast<size_t>(result_->affected_rows()); }

Row Rows::operator[](size_t index) const { return Row(result_, index); }

}  // namespace naval::postgres
