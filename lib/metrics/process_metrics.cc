#include "lib/metrics/process_metrics.h"

#include <dirent.h>
#include <prometheus/metric_family.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "lib/base/log.h"
#include "lib/metrics/families.h"

namespace naval::metrics {
namespace {

// Fields of /proc/self/stat after the command's name, which may hold spaces (see proc(5)).
constexpr size_t kStartTicks = 22 - 3;
constexpr size_t kVirtualBytes = 23 - 3;
constexpr size_t kResidentPages = 24 - 3;
constexpr size_t kThreads = 20 - 3;

std::string ReadFile(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> StatFields() {
  const std::string stat = ReadFile("/proc/self/stat");
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return {};
  return absl::StrSplit(stat.substr(name_end + 2), ' ');
}

std::optional<double> NumberAt(const std::vector<std::string>& fields, size_t index) {
  double number = 0;
  if (index >= fields.size() || !absl::SimpleAtod(fields[index], &number)) return std::nullopt;
  return number;
}

// When the machine was started, in seconds since 1970.
std::optional<double> BootTime() {
  const std::string stat = ReadFile("/proc/stat");
  for (absl::string_view line : absl::StrSplit(stat, '\n')) {
    double seconds = 0;
    if (absl::ConsumePrefix(&line, "btime ") && absl::SimpleAtod(line, &seconds)) return seconds;
  }
  return std::nullopt;
}

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::optional<double> OpenDescriptors() {
  const auto close = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> folder(opendir("/proc/self/fd"), close);
  if (folder == nullptr) return std::nullopt;
  // ".", ".." and the descriptor of this very folder.
  double open = -3;
  while (readdir(folder.get()) != nullptr) ++open;
  return open;
}

std::optional<double> MostDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::nullopt;
  return static_cast<double>(limit.rlim_cur);
}

// A metric whose value the system did not tell is left out.
void AddGauge(std::vector<prometheus::MetricFamily>& families, const char* name, const char* help,
              std::optional<double> value) {
  if (value.has_value()) families.push_back(GaugeFamily(name, help, *value));
}

void AddProcess(std::vector<prometheus::MetricFamily>& families) {
  const std::vector<std::string> stat = StatFields();
  const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  families.push_back(CounterFamily("process_cpu_seconds_total",
                                   "Processor time spent, user and system.", CpuSeconds()));
  if (const auto start = NumberAt(stat, kStartTicks), boot = BootTime(); start && boot) {
    AddGauge(families, "process_start_time_seconds", "When the process began, since 1970.",
             *boot + *start / ticks_a_second);
  }
  if (const auto pages = NumberAt(stat, kResidentPages)) {
    AddGauge(families, "process_resident_memory_bytes", "Memory that is really held.",
             *pages * page_bytes);
  }
  AddGauge(families, "process_virtual_memory_bytes", "Address space in use.",
           NumberAt(stat, kVirtualBytes));
  AddGauge(families, "process_threads", "Threads of the process.", NumberAt(stat, kThreads));
  AddGauge(families, "process_open_fds", "Open file descriptors, connections among them.",
           OpenDescriptors());
  AddGauge(families, "process_max_fds", "Limit of open file descriptors.", MostDescriptors());
}

void AddLog(std::vector<prometheus::MetricFamily>& families) {
  std::vector<Sample> levels;
  std::vector<Sample> written;
  const base::LogCounts counts = base::GetLogCounts();
  for (const base::LogLevel level : base::kLogLevels) {
    const std::string name = base::AbslUnparseFlag(level);
    levels.push_back({{{"level", name}}, level == base::GetLogLevel() ? 1.0 : 0.0});
    written.push_back(
        {{{"level", name}}, static_cast<double>(counts.written[static_cast<size_t>(level)])});
  }
  families.push_back(GaugeFamily(
      "naval_log_level",
      "1 for the level from which on lines are written, 0 for the others. SIGUSR1 makes the log "
      "one level more talkative, SIGUSR2 one less.",
      levels));
  families.push_back(CounterFamily(
      "naval_log_lines_total",
      "Lines written into the log. A rise of level=\"error\" wants a look into the log.", written));
  families.push_back(CounterFamily(
      "naval_log_suppressed_lines_total",
      "Lines that were not written because too many of the same event came; the next line of the "
      "event says how many. A rise means that something fails for everybody.",
      static_cast<double>(counts.suppressed)));
}

}  // namespace

std::vector<prometheus::MetricFamily> ProcessMetrics::Collect() const {
  std::vector<prometheus::MetricFamily> families;
  families.push_back(GaugeFamily("naval_build_info", "Always 1; the labels say what is running.",
                                 {{{{"version", NAVAL_VERSION}, {"compiler", __VERSION__}}, 1.0}}));
  AddProcess(families);
  AddLog(families);
  return families;
}

}  // namespace naval::metrics
