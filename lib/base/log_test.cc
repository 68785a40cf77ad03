#include "lib/base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_split.h"
#include "lib/base/error.h"

namespace naval::base {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

// What `write` logs, line by line; each line must be one valid JSON object.
template <typename Write>
std::vector<json> Logged(Write write) {
  ::testing::internal::CaptureStdout();
  write();
  const std::string output = ::testing::internal::GetCapturedStdout();
  std::vector<json> lines;
  for (absl::string_view line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    lines.push_back(json::parse(std::string(line)));
  }
  return lines;
}

TEST(Log, WritesOneJsonObjectALine) {
  const std::vector<json> lines = Logged([] {
    Log(LogLevel::kInfo, "match_created", {{"match_id", "018f"}, {"seats", 2}});
    Log(LogLevel::kError, "failed");
  });
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0]["event"], "match_created");
  EXPECT_EQ(lines[0]["level"], "info");
  EXPECT_EQ(lines[0]["match_id"], "018f");
  EXPECT_EQ(lines[0]["seats"], 2);
  EXPECT_THAT(lines[0]["time"].get<std::string>(),
              MatchesRegex("[0-9-]{10}T[0-9:]{8}[.][0-9]{3}Z"));
  EXPECT_EQ(lines[1]["level"], "error");
}

TEST(Log, KeepsTheTypesOfValues) {
  const std::vector<json> lines = Logged([] {
    Log(LogLevel::kWarning, "values",
        {{"yes", true},
         {"big", std::numeric_limits<int64_t>::min()},
         {"size", size_t{7}},
         {"half", 0.5},
         {"span", absl::Milliseconds(1500)},
         {"at", absl::FromUnixMillis(1'800'000'000'250)},
         {"view", absl::string_view("text")},
         {"status", Error(absl::StatusCode::kNotFound, "NO_MATCH", "no such match")}});
  });
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0]["yes"], true);
  EXPECT_EQ(lines[0]["big"], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(lines[0]["size"], 7);
  EXPECT_EQ(lines[0]["half"], 0.5);
  EXPECT_EQ(lines[0]["span"], 1.5);
  EXPECT_EQ(lines[0]["at"], "2027-01-15T08:00:00.250000Z");
  EXPECT_EQ(lines[0]["view"], "text");
  EXPECT_EQ(lines[0]["status"], "NOT_FOUND NO_MATCH: no such match");
}

TEST(Log, EscapesWhateverATextHolds) {
  const std::string nasty = std::string("\"}\n{\"a\":\\ \x01") + '\0' + "\xff\xc3 %v {} ñ";
  const std::vector<json> lines = Logged([&] { Log(LogLevel::kInfo, "text", {{"text", nasty}}); });
  ASSERT_THAT(lines, SizeIs(1));
  const std::string text = lines[0]["text"];
  // U+FFFD stands for each byte that is no UTF-8.
  EXPECT_EQ(text, std::string("\"}\n{\"a\":\\ \x01") + '\0' + "\ufffd\ufffd %v {} ñ");
}

TEST(Log, DropsLinesBelowTheSetLevel) {
  SetLogLevel(LogLevel::kWarning);
  EXPECT_THAT(Logged([] { Log(LogLevel::kInfo, "quiet"); }), IsEmpty());
  EXPECT_THAT(Logged([] { Log(LogLevel::kWarning, "loud"); }), SizeIs(1));
  SetLogLevel(LogLevel::kDebug);
  EXPECT_THAT(Logged([] { Log(LogLevel::kDebug, "all"); }), SizeIs(1));
  SetLogLevel(LogLevel::kInfo);
}

TEST(Log, TellsItsLevel) {
  for (const LogLevel level : kLogLevels) {
    SetLogLevel(level);
    EXPECT_EQ(GetLogLevel(), level);
  }
  SetLogLevel(LogLevel::kInfo);
}

TEST(Log, KeepsLinesOfManyThreadsApartAndSuppressesNoneForDebugging) {
  SetLogLevel(LogLevel::kDebug);
  const std::vector<json> lines = Logged([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 100; ++j) Log(LogLevel::kDebug, "line", {{"j", j}});
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  SetLogLevel(LogLevel::kInfo);
  EXPECT_THAT(lines, SizeIs(400));
}

TEST(Log, SuppressesAFloodOfOneEventAndSaysHowMany) {
  const LogCounts before = GetLogCounts();
  int written = 0;
  json last;
  int logged = 0;
  // Until a line comes through again after some that did not.
  while (!last.contains("suppressed")) {
    ++logged;
    const std::vector<json> lines = Logged([] { Log(LogLevel::kWarning, "flood"); });
    if (lines.empty()) continue;
    ++written;
    last = lines[0];
  }
  EXPECT_EQ(last["suppressed"], logged - written);
  EXPECT_THAT(Logged([] { Log(LogLevel::kWarning, "another"); }), SizeIs(1));
  const LogCounts after = GetLogCounts();
  const auto warning = static_cast<size_t>(LogLevel::kWarning);
  EXPECT_EQ(after.written[warning] - before.written[warning], written + 1u);
  EXPECT_EQ(after.suppressed - before.suppressed, static_cast<uint64_t>(logged - written));
}

TEST(LogLevel, IsReadFromAFlag) {
  LogLevel level = LogLevel::kInfo;
  std::string error;
  EXPECT_TRUE(AbslParseFlag("warning", &level, &error));
  EXPECT_EQ(level, LogLevel::kWarning);
  EXPECT_EQ(AbslUnparseFlag(level), "warning");
  EXPECT_FALSE(AbslParseFlag("loud", &level, &error));
  EXPECT_THAT(error, HasSubstr("debug, info, warning or error"));
}

}  // namespace
}  // namespace naval::base
