// naval-capacity: how many matches and watchers a process of the match service can hold, and how
// soon it has them again after a crash.

#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "lib/base/flags.h"
#include "services/match/live_matches.h"
#include "tests/capacity/measure.h"

ABSL_FLAG(int, matches, 100'000, "Live matches that are to come back after a crash.");
ABSL_FLAG(int, watchers, 10'000, "Idle streams, at most one a match.");
ABSL_FLAG(int, waiting, 1'000'000, "Matches in the store that are played over days.");
ABSL_FLAG(int, sweeps, 3,
          "Minutes for which the idle process is looked at, without and with the waiting matches.");
ABSL_FLAG(bool, json, false, "One line of JSON in place of a table.");

int main(int argc, char** argv) {
  const auto rest = naval::base::ParseFlags(
      argc, argv,
      "naval-capacity: fills a store, starts the match service on it as after a crash, and prints "
      "what that takes. Called by tools/long/capacity.");
  const naval::capacity::Plan plan{.matches = absl::GetFlag(FLAGS_matches),
                                   .watchers = absl::GetFlag(FLAGS_watchers),
                                   .waiting = absl::GetFlag(FLAGS_waiting),
                                   .sweeps = absl::GetFlag(FLAGS_sweeps)};
  const int limit = static_cast<int>(naval::match::kMaxMatches);
  if (!rest.empty() || plan.matches < 1 || plan.matches > limit || plan.watchers < 1 ||
      plan.watchers > plan.matches || plan.waiting < 0 || plan.sweeps < 0) {
    absl::FPrintF(stderr,
                  "naval-capacity: --matches is 1 to %d, --watchers 1 to --matches, --waiting and "
                  "--sweeps at least 0, and there is nothing but flags\n",
                  limit);
    return 2;
  }
  const auto figures = naval::capacity::Measure(plan);
  if (!figures.ok()) {
    absl::FPrintF(stderr, "naval-capacity: %s\n", figures.status().message());
    return 1;
  }
  std::fputs((absl::GetFlag(FLAGS_json) ? naval::capacity::JsonLine(plan, *figures)
                                        : naval::capacity::TableText(plan, *figures))
                 .c_str(),
             stdout);
  return 0;
}
