#include "tools/arena/report.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace naval::arena {
namespace {

// The smallest value that at least `percent` of all do not exceed. Requires sorted values.
template <typename Value>
Value Percentile(const std::vector<Value>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

template <typename Value>
double Mean(const std::vector<Value>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string Cell(double value) { return absl::StrFormat("%.3f", value); }

}  // namespace

Summary Summarize(absl::Span<const Outcome> outcomes) {
  Summary summary;
  std::vector<int> shots;
  std::vector<int> rounds;
  std::vector<double> cpu_ms;
  int won = 0;
  int starter_won = 0;
  for (const Outcome& outcome : outcomes) {
    shots.push_back(outcome.shots);
    rounds.push_back(outcome.rounds);
    cpu_ms.insert(cpu_ms.end(), outcome.cpu_ms.begin(), outcome.cpu_ms.end());
    won += outcome.won ? 1 : 0;
    starter_won += outcome.won == outcome.started ? 1 : 0;
  }
  std::sort(shots.begin(), shots.end());
  std::sort(cpu_ms.begin(), cpu_ms.end());
  summary.games = static_cast<int>(shots.size());
  summary.mean_shots = Mean(shots);
  summary.median_shots = (shots[(shots.size() - 1) / 2] + shots[shots.size() / 2]) / 2.0;
  summary.p5_shots = Percentile(shots, 5);
  summary.p95_shots = Percentile(shots, 95);
  summary.mean_rounds = Mean(rounds);
  if (!cpu_ms.empty()) {
    summary.cpu_ms_mean = Mean(cpu_ms);
    summary.cpu_ms_p99 = Percentile(cpu_ms, 99);
    summary.cpu_ms_max = cpu_ms.back();
  }
  summary.win_rate = static_cast<double>(won) / summary.games;
  summary.starter_win_rate = static_cast<double>(starter_won) / summary.games;
  return summary;
}

std::string TableText(const Title& title, const Summary& summary) {
  std::vector<std::vector<std::string>> columns = {
      {"rule set", title.rule_set},
      {"options", title.options.empty() ? "-" : absl::StrJoin(title.options, ",")},
      {"bot", title.bot},
      {"fleets", title.fleets},
      {"seed", absl::StrCat(title.seed)},
      {"games", absl::StrCat(summary.games)},
      {"mean shots", Cell(summary.mean_shots)},
      {"median", absl::StrCat(summary.median_shots)},
      {"5 %", absl::StrCat(summary.p5_shots)},
      {"95 %", absl::StrCat(summary.p95_shots)},
      {"CPU ms mean", Cell(summary.cpu_ms_mean)},
      {"99 %", Cell(summary.cpu_ms_p99)},
      {"max", Cell(summary.cpu_ms_max)}};
  if (summary.mean_rounds > 0) columns.push_back({"mean rounds", Cell(summary.mean_rounds)});
  if (!title.rival.empty()) {
    columns.insert(columns.begin() + 3, {"rival", title.rival});
    columns.push_back({"wins", Cell(summary.win_rate)});
    columns.push_back({"starter wins", Cell(summary.starter_win_rate)});
  }
  std::string text;
  for (std::size_t line = 0; line < 2; ++line) {
    std::vector<std::string> cells;
    for (const std::vector<std::string>& column : columns) {
      const std::size_t width = std::max(column[0].size(), column[1].size());
      cells.push_back(column[line] + std::string(width - column[line].size(), ' '));
    }
    absl::StrAppend(&text, absl::StripTrailingAsciiWhitespace(absl::StrJoin(cells, "  ")), "\n");
  }
  return text;
}

std::string JsonLine(const Title& title, const Summary& summary) {
  nlohmann::ordered_json line = {{"rule_set", title.rule_set},
                                 {"options", title.options},
                                 {"bot", title.bot},
                                 {"fleets", title.fleets},
                                 {"seed", title.seed},
                                 {"games", summary.games},
                                 {"mean_shots", summary.mean_shots},
                                 {"median_shots", summary.median_shots},
                                 {"p5_shots", summary.p5_shots},
                                 {"p95_shots", summary.p95_shots},
                                 {"cpu_ms_mean", summary.cpu_ms_mean},
                                 {"cpu_ms_p99", summary.cpu_ms_p99},
                                 {"cpu_ms_max", summary.cpu_ms_max}};
  if (summary.mean_rounds > 0) line["mean_rounds"] = summary.mean_rounds;
  if (!title.rival.empty()) {
    line["rival"] = title.rival;
    line["win_rate"] = summary.win_rate;
    line["starter_win_rate"] = summary.starter_win_rate;
  }
  return line.dump() + "\n";
}

}  // namespace naval::arena
