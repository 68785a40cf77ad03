// naval-chaos: has players play while the services under them are killed and halted, and checks
// everything that they were told.

#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/str_format.h"
#include "lib/base/flags.h"
#include "lib/base/random.h"
#include "tests/chaos/run.h"

ABSL_FLAG(absl::Duration, duration, absl::Minutes(10), "For how long harm is done.");
ABSL_FLAG(int, stops, 0,
          "In place of --duration: so often the owner of the matches is halted until the other has "
          "taken over, and goes on then.");
ABSL_FLAG(uint64_t, seed, 0, "What decides when harm is done and to whom; 0: any, which is told.");
ABSL_FLAG(int, players, 64, "Even, 2 to 4000.");
ABSL_FLAG(absl::Duration, think_time, absl::Milliseconds(200), "Of players before each shot.");
ABSL_FLAG(absl::Duration, match_away_at_most, absl::Milliseconds(1500),
          "How long a killed process of the match service is away at most, before it is started.");
ABSL_FLAG(std::string, postgres_tool, "", "The command tools/dev/postgres, to crash it with.");
ABSL_FLAG(std::string, postgres, "", "The folder of the Postgres that is used.");

int main(int argc, char** argv) {
  const auto rest = naval::base::ParseFlags(
      argc, argv,
      "kills and halts services while players play, and checks everything that they "
      "were told. Called by tools/long/chaos.");
  naval::chaos::Plan plan{.duration = absl::GetFlag(FLAGS_duration),
                          .stops = absl::GetFlag(FLAGS_stops),
                          .seed = absl::GetFlag(FLAGS_seed),
                          .players = absl::GetFlag(FLAGS_players),
                          .think_time = absl::GetFlag(FLAGS_think_time),
                          .postgres_tool = absl::GetFlag(FLAGS_postgres_tool),
                          .postgres = absl::GetFlag(FLAGS_postgres)};
  plan.schedule.match_away.to = absl::GetFlag(FLAGS_match_away_at_most);
  if (!rest.empty() || plan.players < 2 || plan.players > 4000 || plan.players % 2 != 0 ||
      plan.stops < 0 || plan.schedule.match_away.to < plan.schedule.match_away.from ||
      plan.postgres.empty() != plan.postgres_tool.empty()) {
    absl::FPrintF(
        stderr,
        "naval-chaos: --players is even, 2 to 4000, --stops at least 0, "
        "--match_away_at_most at least 500ms, --postgres and --postgres_tool go together, "
        "and there is nothing but flags\n");
    return 2;
  }
  if (plan.seed == 0) plan.seed = 1 + naval::base::SecureRandom().Uniform(1'000'000);
  absl::FPrintF(stderr, "naval-chaos: seed %d\n", plan.seed);
  const auto outcome = naval::chaos::Run(plan);
  if (!outcome.ok()) {
    absl::FPrintF(stderr, "naval-chaos: %s\n", outcome.status().ToString());
    return 1;
  }
  std::fputs(naval::chaos::TableText(plan, *outcome).c_str(), stdout);
  return outcome->findings.none() && outcome->invalid.empty() ? 0 : 1;
}
