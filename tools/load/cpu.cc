#include "tools/load/cpu.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/support/scrape.h"

namespace naval::load {
namespace {

// What /proc/PID/stat (proc(5)) tells.
struct Stat {
  std::string name;
  pid_t parent = 0;
  // Its own, and of children that have ended.
  absl::Duration own;
  absl::Duration children;
};

constexpr std::size_t kParent = 4 - 3;
constexpr std::size_t kUserTicks = 14 - 3;

std::optional<Stat> StatOf(const std::string& pid) {
  std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The name may hold spaces and brackets.
  const std::size_t begin = text.find('(');
  const std::size_t end = text.rfind(") ");
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields = absl::StrSplit(text.substr(end + 2), ' ');
  Stat stat{.name = text.substr(begin + 1, end - begin - 1)};
  int64_t ticks[4] = {};
  if (fields.size() < kUserTicks + 4 || !absl::SimpleAtoi(fields[kParent], &stat.parent)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (!absl::SimpleAtoi(fields[kUserTicks + i], &ticks[i])) return std::nullopt;
  }
  const absl::Duration tick = absl::Seconds(1) / sysconf(_SC_CLK_TCK);
  stat.own = tick * (ticks[0] + ticks[1]);
  stat.children = tick * (ticks[2] + ticks[3]);
  return stat;
}

}  // namespace

absl::StatusOr<absl::Duration> CpuOfService(int metrics_port) {
  const testing::HttpAnswer answer = testing::HttpRequest(metrics_port, "/metrics");
  for (absl::string_view line : absl::StrSplit(answer.body, '\n')) {
    double seconds = 0;
    if (absl::ConsumePrefix(&line, "process_cpu_seconds_total ") &&
        absl::SimpleAtod(line, &seconds)) {
      return absl::Seconds(seconds);
    }
  }
  return absl::UnavailableError(
      absl::StrCat("127.0.0.1:", metrics_port, "/metrics does not tell process_cpu_seconds_total"));
}

absl::Duration OwnCpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return absl::DurationFromTimeval(usage.ru_utime) + absl::DurationFromTimeval(usage.ru_stime);
}

absl::Duration CpuOfPostgres(pid_t postmaster) {
  absl::Duration cpu;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (!absl::SimpleAtoi(name, &pid)) continue;
    const auto stat = StatOf(name);
    if (!stat.has_value()) continue;
    if (pid == postmaster) cpu += stat->own + stat->children;
    if (stat->parent == postmaster) cpu += stat->own;
  }
  return cpu;
}

pid_t PostmasterOf(pid_t backend) {
  const auto stat = StatOf(absl::StrCat(backend));
  return stat.has_value() && stat->name == "postgres" ? stat->parent : 0;
}

}  // namespace naval::load
