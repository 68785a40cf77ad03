#include "lib/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/error.h"
#include "lib/base/log_limit.h"
#include "lib/base/mutex.h"

namespace naval::base {
namespace {

// In the order of LogLevel.
constexpr absl::string_view kLevelNames[] = {"debug", "info", "warning", "error"};

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// spdlog stamps the time and the level; Log gives the rest of the object without its first brace.
std::shared_ptr<spdlog::logger> MakeLogger() {
  auto logger =
      std::make_shared<spdlog::logger>("naval", std::make_shared<spdlog::sinks::stdout_sink_mt>());
  logger->set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v)",
                      spdlog::pattern_time_type::utc);
  logger->flush_on(spdlog::level::trace);
  return logger;
}

// Lets lines pass or not, and counts both.
class Gate {
 public:
  // How many lines of this event were suppressed before this one; nullopt when this one is, too.
  std::optional<std::int64_t> Admit(LogLevel level, absl::string_view event) {
    const absl::Time now = clock_.Now();
    MutexLock lock(mutex_);
    std::optional<std::int64_t> before = 0;
    if (level != LogLevel::kDebug) before = limit_.Admit(event, now);
    ++(before.has_value() ? counts_.written[static_cast<size_t>(level)] : counts_.suppressed);
    return before;
  }

  LogCounts counts() {
    MutexLock lock(mutex_);
    return counts_;
  }

 private:
  const SystemClock clock_;
  Mutex mutex_;
  LogLimit limit_ NAVAL_GUARDED_BY(mutex_);
  LogCounts counts_ NAVAL_GUARDED_BY(mutex_);
};

struct State {
  std::shared_ptr<spdlog::logger> logger = MakeLogger();
  Gate gate;
};

State& TheLog() {
  // Never destroyed: threads may log until the process is gone.
  static auto& state = *new State;
  return state;
}

}  // namespace

LogValue::LogValue(absl::Time time)
    : value_(absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone())) {}

LogValue::LogValue(const absl::Status& status) {
  std::string text = absl::StatusCodeToString(status.code());
  if (const std::string reason = ReasonOf(status); !reason.empty()) {
    absl::StrAppend(&text, " ", reason);
  }
  if (!status.message().empty()) absl::StrAppend(&text, ": ", status.message());
  value_ = std::move(text);
}

void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields) {
  State& log = TheLog();
  if (!log.logger->should_log(ToSpdlog(level))) return;
  const std::optional<std::int64_t> suppressed = log.gate.Admit(level, event);
  if (!suppressed.has_value()) return;
  nlohmann::ordered_json line = {{"event", std::string(event)}};
  for (const LogField& field : fields) {
    std::visit([&](const auto& value) { line[std::string(field.name)] = value; },
               field.value.value());
  }
  if (*suppressed > 0) line["suppressed"] = *suppressed;
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  log.logger->log(ToSpdlog(level), spdlog::string_view_t(text.data() + 1, text.size() - 1));
}

void SetLogLevel(LogLevel level) { TheLog().logger->set_level(ToSpdlog(level)); }

LogLevel GetLogLevel() {
  for (const LogLevel level : kLogLevels) {
    if (TheLog().logger->should_log(ToSpdlog(level))) return level;
  }
  return LogLevel::kError;
}

LogCounts GetLogCounts() { return TheLog().gate.counts(); }

bool AbslParseFlag(absl::string_view text, LogLevel* level, std::string* error) {
  for (size_t i = 0; i < std::size(kLevelNames); ++i) {
    if (text != kLevelNames[i]) continue;
    *level = static_cast<LogLevel>(i);
    return true;
  }
  *error = "must be debug, info, warning or error";
  return false;
}

std::string AbslUnparseFlag(LogLevel level) {
  return std::string(kLevelNames[static_cast<size_t>(level)]);
}

}  // namespace naval::base
