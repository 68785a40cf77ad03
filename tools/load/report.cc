#include "tools/load/report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace naval::load {
namespace {

double PerSecond(const Report& report, double count) {
  return count / absl::ToDoubleSeconds(report.measured);
}

double ShotsPerSecond(const Report& report) {
  return PerSecond(report, static_cast<double>(report.shots.size()));
}

double CpuUsPerShot(const Report& report, absl::Duration cpu) {
  if (report.shots.size() == 0) return 0;
  return absl::ToDoubleMicroseconds(cpu) / static_cast<double>(report.shots.size());
}

// Three digits after the point are more than anything here is good for.
double Rounded(double value) { return std::round(value * 1000) / 1000; }

std::string ErrorsText(const Report& report) {
  if (report.errors.empty()) return "none";
  return absl::StrJoin(report.errors, ", ", absl::PairFormatter(" "));
}

std::string InsertsText(const Report& report) {
  if (!report.insert_events_per_second.has_value()) return "no Postgres was given\n";
  return absl::StrFormat("%.0f rows/s, fsync %s; shots are %.2f of it\n",
                         *report.insert_events_per_second, *report.fsync ? "on" : "off",
                         ShotsPerSecond(report) / *report.insert_events_per_second);
}

}  // namespace

double Samples::PercentileMs(double percent) const {
  if (samples_.empty()) return 0;
  const double rank = std::ceil(percent / 100 * static_cast<double>(samples_.size()));
  std::vector<int64_t> copy = samples_;
  const auto nth = copy.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(copy.begin(), nth, copy.end());
  return static_cast<double>(*nth) / 1000;
}

std::string JsonLine(const Report& report) {
  nlohmann::ordered_json cpu = nlohmann::ordered_json::object();
  for (const auto& [process, time] : report.cpu) cpu[process] = Rounded(CpuUsPerShot(report, time));
  nlohmann::ordered_json line = {
      {"rule_set", report.rule_set},
      {"options", report.options},
      {"players", report.players},
      {"think_time_seconds", absl::ToDoubleSeconds(report.think_time)},
      {"measured_seconds", Rounded(absl::ToDoubleSeconds(report.measured))},
      {"shots_per_second", Rounded(ShotsPerSecond(report))},
      {"games_per_second", Rounded(PerSecond(report, static_cast<double>(report.games)))},
      {"shot_p50_ms", report.shots.PercentileMs(50)},
      {"shot_p99_ms", report.shots.PercentileMs(99)},
      {"event_p50_ms", report.events.PercentileMs(50)},
      {"event_p99_ms", report.events.PercentileMs(99)},
      {"cpu_us_per_shot", cpu},
      {"echo_calls_per_second", Rounded(report.echo_calls_per_second)},
      {"echo_cpu_us_per_call", Rounded(absl::ToDoubleMicroseconds(report.echo_cpu_per_call))},
      {"insert_events_per_second", nullptr},
      {"fsync", nullptr},
      {"lost", report.faults.lost},
      {"doubled", report.faults.doubled},
      {"reordered", report.faults.reordered},
      {"differing", report.faults.differing},
      {"stuck", report.stuck},
      {"errors", nlohmann::json(report.errors)},
  };
  if (report.insert_events_per_second.has_value()) {
    line["insert_events_per_second"] = Rounded(*report.insert_events_per_second);
    line["fsync"] = *report.fsync;
  }
  return line.dump() + "\n";
}

std::string TableText(const Report& report) {
  const double echo_us = absl::ToDoubleMicroseconds(report.echo_cpu_per_call);
  std::string text = absl::StrFormat(
      "%d players, %d matches at once, %s%s, %s\n"
      "shots      %.0f/s, answered in p50 %.2f ms, p99 %.2f ms; told to the rival in p50 %.2f ms, "
      "p99 %.2f ms\n"
      "games      %.2f/s\n"
      "echo       %.0f calls/s; shots are %.3f of it\n"
      "inserts    %s"
      "CPU        ",
      report.players, report.players / 2, report.rule_set,
      report.options.empty() ? "" : absl::StrCat(" ", absl::StrJoin(report.options, " ")),
      report.think_time == absl::ZeroDuration()
          ? "flat out"
          : absl::StrCat(absl::FormatDuration(report.think_time), " of thought before each shot"),
      ShotsPerSecond(report), report.shots.PercentileMs(50), report.shots.PercentileMs(99),
      report.events.PercentileMs(50), report.events.PercentileMs(99),
      PerSecond(report, static_cast<double>(report.games)), report.echo_calls_per_second,
      ShotsPerSecond(report) / report.echo_calls_per_second, InsertsText(report));
  absl::StrAppendFormat(&text, "%.1f us an echo; a shot:", echo_us);
  for (const auto& [process, time] : report.cpu) {
    const double us = CpuUsPerShot(report, time);
    absl::StrAppendFormat(&text, " %s %.1f us (%.1f echoes)", process, us, us / echo_us);
  }
  absl::StrAppendFormat(&text,
                        "\nhistories  %d lost, %d doubled, %d reordered, %d differing, %d stuck\n"
                        "errors     %s\n",
                        report.faults.lost, report.faults.doubled, report.faults.reordered,
                        report.faults.differing, report.stuck, ErrorsText(report));
  return text;
}

}  // namespace naval::load
