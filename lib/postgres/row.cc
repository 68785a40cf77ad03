#include "lib/postgres/row.h"

#include <algorithm>
#include <cstdint>
#include <pqxx/pqxx>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/civil_time.h"
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

// The number that is all of `text`, digits alone; nullopt where there is anything else.
std::optional<int> Number(absl::string_view text) {
  int number = 0;
  for (const char digit : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(digit))) return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  return text.empty() ? std::nullopt : std::optional(number);
}

// "2026-01-31 09:30:00.25+00". By hand, since absl::ParseTime takes longer than all else that is
// done for a row.
bool Parse(absl::string_view text, absl::Time* value) {
  if (text == "infinity" || text == "-infinity") {
    *value = text.front() == '-' ? absl::InfinitePast() : absl::InfiniteFuture();
    return true;
  }
  constexpr absl::string_view kLongestYear = "294276";
  constexpr absl::string_view kAfterYear = "-MM-DD hh:mm:ss";
  const size_t year_size = text.find('-');
  if (!absl::ConsumeSuffix(&text, "+00") || year_size > kLongestYear.size() ||
      text.size() < year_size + kAfterYear.size()) {
    return false;
  }
  const auto year = Number(text.substr(0, year_size));
  text.remove_prefix(year_size);
  const auto month = Number(text.substr(1, 2)), day = Number(text.substr(4, 2));
  const auto hour = Number(text.substr(7, 2)), minute = Number(text.substr(10, 2));
  const auto second = Number(text.substr(13, 2));
  if (!year || !month || !day || !hour || !minute || !second) return false;
  *value = absl::FromCivil(absl::CivilSecond(*year, *month, *day, *hour, *minute, *second),
                           absl::UTCTimeZone());
  text.remove_prefix(kAfterYear.size());
  if (text.empty()) return true;
  auto fraction = Number(text.substr(1));
  if (text.front() != '.' || text.size() > 7 || !fraction) return false;
  for (size_t digits = text.size() - 1; digits < 6; ++digits) *fraction *= 10;
  *value += absl::Microseconds(*fraction);
  return true;
}

bool Parse(absl::string_view text, Bytes* value) {
  if (!absl::ConsumePrefix(&text, "\\x")) return false;
  value->value = absl::HexStringToBytes(text);
  return true;
}

template <typename T>
T Convert(absl::string_view column, const std::optional<absl::string_view>& text) {
  if (!text.has_value()) throw pqxx::conversion_error(absl::StrCat("column ", column, " is NULL"));
  T value;
  if (!Parse(*text, &value)) {
    throw pqxx::conversion_error(absl::StrCat("column ", column, " has another type"));
  }
  return value;
}

}  // namespace

// Beside it the names of its columns, in order: to ask libpq for one takes longer.
struct FetchedRows {
  pqxx::result rows;
  std::vector<absl::string_view> columns;
};

Row::Row(std::shared_ptr<const FetchedRows> result, size_t index)
    : result_(std::move(result)), index_(index) {}

std::optional<absl::string_view> Row::Text(absl::string_view column) const {
  const std::vector<absl::string_view>& columns = result_->columns;
  const auto it = std::find(columns.begin(), columns.end(), column);
  if (it == columns.end()) throw pqxx::argument_error(absl::StrCat("there is no column ", column));
  const auto number = static_cast<pqxx::row::size_type>(it - columns.begin());
  const pqxx::field field = result_->rows[static_cast<pqxx::result::size_type>(index_)][number];
  if (field.is_null()) return std::nullopt;
  return absl::string_view(field.c_str(), field.size());
}

template <typename T>
T Row::Get(absl::string_view column) const {
  return Convert<T>(column, Text(column));
}

#define NAVAL_DEFINE_ROW_GET(T)                                                          \
  template T Row::Get<T>(absl::string_view) const;                                       \
  template <>                                                                            \
  std::optional<T> Row::Get<std::optional<T>>(absl::string_view column) const {          \
    const std::optional<absl::string_view> text = Text(column);                          \
    return text.has_value() ? std::optional<T>(Convert<T>(column, text)) : std::nullopt; \
  }

NAVAL_DEFINE_ROW_GET(std::string)
NAVAL_DEFINE_ROW_GET(int32_t)
NAVAL_DEFINE_ROW_GET(int64_t)
NAVAL_DEFINE_ROW_GET(double)
NAVAL_DEFINE_ROW_GET(bool)
NAVAL_DEFINE_ROW_GET(absl::Time)
NAVAL_DEFINE_ROW_GET(Bytes)

Rows::Rows(const pqxx::result& result) {
  FetchedRows named{.rows = result, .columns = {}};
  for (pqxx::row::size_type i = 0; i < result.columns(); ++i) {
    named.columns.emplace_back(result.column_name(i));
  }
  result_ = std::make_shared<const FetchedRows>(std::move(named));
}

size_t Rows::size() const { return static_cast<size_t>(result_->rows.size()); }

size_t Rows::affected() const { return static_cast<size_t>(result_->rows.affected_rows()); }

Row Rows::operator[](size_t index) const { return Row(result_, index); }

}  // namespace naval::postgres
