#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/secret.h"

namespace naval::base {

// The log: one JSON object a line on standard output,
//   {"time":"2026-11-29T22:37:19.123Z","level":"info","event":"serving","port":8080}
// flushed line by line. (One line has no time: "stop_forced", which a signal handler writes.) A
// token, a password or a fleet is never logged: such values are held in types that cannot become a
// LogValue. Thread safe.
//
// Lines of one event are written at a limited rate (LogLimit, log_limit.h), so that a database that
// is away does not bury the log under one line a request. The next line that is written has how
// many were not: {"suppressed":1234}. Lines of the level debug are never suppressed: whoever asked
// for them wants them all.

enum class LogLevel { kDebug, kInfo, kWarning, kError };
inline constexpr std::array<LogLevel, 4> kLogLevels = {LogLevel::kDebug, LogLevel::kInfo,
                                                       LogLevel::kWarning, LogLevel::kError};

// A value of a log field, typed so that a reader gets a JSON number for a number.
class LogValue {
 public:  // NOLINTBEGIN(google-explicit-constructor): a value becomes one by being written down.
  LogValue(bool value) : value_(value) {}
  LogValue(double value) : value_(value) {}
  template <std::integral Integer>
  LogValue(Integer value) : value_(static_cast<int64_t>(value)) {}
  LogValue(const char* value) : value_(std::string(value)) {}
  LogValue(const std::string& value) : value_(value) {}
  LogValue(absl::string_view value) : value_(std::string(value)) {}
  LogValue(absl::Duration seconds) : value_(absl::ToDoubleSeconds(seconds)) {}
  // In UTC, RFC 3339.
  LogValue(absl::Time time);
  // The code, the reason if there is one, and the message.
  LogValue(const absl::Status& status);
  LogValue(const Secret&) = delete;
  // NOLINTEND(google-explicit-constructor)
  const std::variant<bool, int64_t, double, std::string>& value() const { return value_; }

 private:
  std::variant<bool, int64_t, double, std::string> value_;
};

struct LogField {
  absl::string_view name;
  LogValue value;
};

// Writes one line when `level` is at least the set level and the event is within its rate:
//   Log(LogLevel::kInfo, "match_created", {{"match_id", id}, {"rule_set", "tablu"}});
// `event` and the names of fields are snake_case constants. Bytes that are not UTF-8 are replaced.
void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields = {});

// Lines below `level` are dropped from now on; kInfo at the start of a process.
void SetLogLevel(LogLevel level);
LogLevel GetLogLevel();

// What the log did since the process began.
struct LogCounts {
  // Lines written, by level.
  std::array<std::uint64_t, kLogLevels.size()> written = {};
  // Lines that the rate limit kept back.
  std::uint64_t suppressed = 0;
};
LogCounts GetLogCounts();

// Let LogLevel be the type of a flag; the names of the levels are debug, info, warning and error.
bool AbslParseFlag(absl::string_view text, LogLevel* level, std::string* error);
std::string AbslUnparseFlag(LogLevel level);

}  // namespace naval::base
