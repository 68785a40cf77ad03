#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace naval::postgres {

// Raw bytes, the SQL type bytea.
struct Bytes {
  std::string value;

  bool operator==(const Bytes&) const = default;
};

class Array;

// A value for a $n of a statement, made implicitly from what it is given:
//   text, uuid, ...     absl::string_view, std::string, const char*
//   integer, bigint     integers          double precision   double
//   boolean             bool              bytea              Bytes
//   timestamptz         absl::Time (to the microsecond; infinite times become 'infinity')
//   NULL                std::nullopt, or an empty std::optional of any of these
//   uuid[], ...         Array
class Param {
 public:  // NOLINTBEGIN(google-explicit-constructor): a value becomes one by being written down.
  Param(std::nullopt_t) {}
  Param(const char* text) : text_(text) {}
  Param(std::string text) : text_(std::move(text)) {}
  Param(absl::string_view text) : text_(std::string(text)) {}
  Param(bool value) : text_(value ? "true" : "false") {}
  template <std::integral Integer>
  Param(Integer value) : text_(std::to_string(value)) {}
  Param(double value);
  Param(absl::Time time);
  Param(const Bytes& bytes);
  Param(const Array& array);
  template <typename T>
  Param(const std::optional<T>& value) {
    if (value.has_value()) *this = Param(*value);
  }
  // NOLINTEND(google-explicit-constructor)
  // The value in Postgres's text form; nothing is NULL.
  const std::optional<std::string>& text() const { return text_; }

 private:
  std::optional<std::string> text_;
};

// An array of one dimension, filled element by element: the way to hand many rows to one statement.
//   tx.Execute("INSERT INTO lobby.friend SELECT * FROM unnest($1::uuid[], $2::uuid[])", {ids, of})
class Array {
 public:
  // Of the same type as the others, or NULL.
  void Add(const Param& element);

 private:
  friend class Param;
  // In Postgres's text form, without the closing brace.
  std::string text_ = "{";
};

}  // namespace naval::postgres
