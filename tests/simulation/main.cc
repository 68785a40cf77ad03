// naval-simulation: runs whole worlds of players, processes and a database that go wrong, a seed
// each, and says which seeds found something.
//
//   tools/naval simulation --seeds=1-10000
//   tools/naval simulation --seeds=4711 --trace

#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "lib/base/clock.h"
#include "lib/base/flags.h"
#include "lib/base/log.h"
#include "tests/simulation/seeds.h"
#include "tests/simulation/world.h"

namespace naval::simulation {

// "4711", or "1-10000".
bool AbslParseFlag(absl::string_view text, SeedRange* range, std::string* error) {
  const std::vector<absl::string_view> ends = absl::StrSplit(text, '-');
  if (ends.size() <= 2 && absl::SimpleAtoi(ends.front(), &range->first) &&
      absl::SimpleAtoi(ends.back(), &range->last) && range->first <= range->last) {
    return true;
  }
  *error = "must be a number, or two as in 1-10000";
  return false;
}

std::string AbslUnparseFlag(const SeedRange& range) {
  return absl::StrFormat("%d-%d", range.first, range.last);
}

}  // namespace naval::simulation

ABSL_FLAG(naval::simulation::SeedRange, seeds, (naval::simulation::SeedRange{1, 10'000}),
          "Which seeds to run: one, or a range as in 1-10000.");
ABSL_FLAG(bool, trace, false, "Print all that happens; takes one seed.");
ABSL_FLAG(int, processes, 0, "How many to run in; 0: as many as there are processors.");
ABSL_FLAG(int, max_failures, 10, "Stop after so many seeds that found something.");

namespace naval::simulation {
namespace {

int TraceOne(SeedRange range) {
  if (range.first != range.last) {
    absl::FPrintF(stderr, "naval-simulation: --trace takes one seed, as in --seeds=4711\n");
    return 2;
  }
  const RunReport report = RunSeed(range.first, /*trace=*/true);
  absl::PrintF("seed %d: nothing found; %d commands, %d disasters in %s, digest %016x\n",
               range.first, report.commands, report.disasters,
               absl::FormatDuration(report.duration), report.digest);
  return 0;
}

int RunAll(SeedRange range) {
  const base::SystemClock clock;
  const absl::Time begin = clock.Now();
  const SeedsReport report = RunSeeds(range, absl::GetFlag(FLAGS_processes),
                                      static_cast<std::size_t>(absl::GetFlag(FLAGS_max_failures)));
  const double seconds = absl::ToDoubleSeconds(clock.Now() - begin);
  for (const auto& [seed, failure] : report.failures) {
    absl::PrintF("seed %d: %s\n  again with --seeds=%d --trace\n", seed, failure, seed);
  }
  absl::PrintF(
      "%d runs in %.1f s (%.0f a second), %d commands, %d disasters, digest %016x; %d failed\n",
      report.runs, seconds, static_cast<double>(report.runs) / seconds, report.commands,
      report.disasters, report.digest, report.failures.size());
  return report.failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace naval::simulation

int main(int argc, char** argv) {
  naval::base::ParseFlags(argc, argv, "Runs the match service in a simulated world, a seed a run.");
  const naval::simulation::SeedRange range = absl::GetFlag(FLAGS_seeds);
  return absl::GetFlag(FLAGS_trace) ? naval::simulation::TraceOne(range)
                                    : naval::simulation::RunAll(range);
}
