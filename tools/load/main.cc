// naval-load: plays Naval with many players at once and says how fast that goes.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "lib/base/clock.h"
#include "lib/base/flags.h"
#include "lib/base/random.h"
#include "lib/base/status_macros.h"
#include "lib/rules/rule_sets.h"
#include "tests/support/cluster.h"
#include "tools/load/run.h"

ABSL_FLAG(std::string, rule_set, "tablu", "Id of the rule set.");
ABSL_FLAG(std::string, options, "",
          "Options of the rule set, with commas between: one_shot_per_turn, fleet_b, volley.");
ABSL_FLAG(int, players, 64, "How many play at once, two a match: even, 2 to 4000.");
ABSL_FLAG(absl::Duration, duration, absl::Seconds(30), "How long is measured: up to 8h.");
ABSL_FLAG(
    absl::Duration, think_time, absl::ZeroDuration(),
    "How long a player thinks before each shot, half as long to one and a half times; 0: fires "
    "at once. Up to 15s, less than the shortest clock.");
ABSL_FLAG(bool, json, false, "One line of JSON in place of a table.");
ABSL_FLAG(std::string, lobby, "",
          "HOST:PORT of the public API of a lobby that runs. Without it and --match the services "
          "are started for the run, with a database of their own.");
ABSL_FLAG(std::string, match, "", "HOST:PORT of the public API of the match service.");
ABSL_FLAG(std::string, metrics_ports, "",
          "Ports of this machine where the services that run tell of their CPU time: "
          "lobby=7301,match=7302,ranking=7303.");
ABSL_FLAG(std::string, database, "",
          "libpq connection string of the Postgres that the services use, for a role that may make "
          "a table: batches of inserts are measured there.");

namespace naval::load {
namespace {

// As many as there is room for: 1000 streams and calls on a connection.
constexpr int kMaxPlayers = 4000;
constexpr absl::Duration kLongestRun = absl::Hours(8);
constexpr absl::Duration kLongestThought = absl::Seconds(15);

absl::Status ReadRules(Plan& plan) {
  rules::RulesChoice choice{.rule_set = absl::GetFlag(FLAGS_rule_set)};
  plan.rules.set_rule_set(choice.rule_set);
  plan.options = absl::StrSplit(absl::GetFlag(FLAGS_options), ',', absl::SkipEmpty());
  for (const std::string& option : plan.options) {
    if (option == "one_shot_per_turn") {
      choice.one_shot_per_turn = true;
      plan.rules.set_one_shot_per_turn(true);
    } else if (option == "fleet_b") {
      choice.fleet_b = true;
      plan.rules.set_fleet_b(true);
    } else if (option == "volley") {
      choice.volley = true;
      plan.rules.set_volley(true);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "no such option: \"", option, "\"; known are: one_shot_per_turn fleet_b volley"));
    }
  }
  return rules::ChooseRules(choice, rules::Opponent::kPerson).status();
}

absl::StatusOr<Plan> ReadPlan() {
  Plan plan{.players = absl::GetFlag(FLAGS_players),
            .duration = absl::GetFlag(FLAGS_duration),
            .think_time = absl::GetFlag(FLAGS_think_time)};
  if (plan.players < 2 || plan.players > kMaxPlayers || plan.players % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--players must be even, 2 to ", kMaxPlayers, ", not ", plan.players));
  }
  if (plan.duration <= absl::ZeroDuration() || plan.duration > kLongestRun) {
    return absl::InvalidArgumentError(absl::StrCat("--duration must be more than 0 and at most ",
                                                   absl::FormatDuration(kLongestRun), ", not ",
                                                   absl::FormatDuration(plan.duration)));
  }
  if (plan.think_time < absl::ZeroDuration() || plan.think_time > kLongestThought) {
    return absl::InvalidArgumentError(absl::StrCat("--think_time must be 0 to ",
                                                   absl::FormatDuration(kLongestThought), ", not ",
                                                   absl::FormatDuration(plan.think_time)));
  }
  NAVAL_RETURN_IF_ERROR(ReadRules(plan));
  return plan;
}

absl::StatusOr<Target> ReadTarget() {
  Target target{.lobby_address = absl::GetFlag(FLAGS_lobby),
                .match_address = absl::GetFlag(FLAGS_match),
                .database = absl::GetFlag(FLAGS_database)};
  for (const absl::string_view part :
       absl::StrSplit(absl::GetFlag(FLAGS_metrics_ports), ',', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> named = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (!absl::SimpleAtoi(named.second, &target.metrics_ports[named.first])) {
      return absl::InvalidArgumentError(
          absl::StrCat("--metrics_ports: \"", part, "\" is not as in lobby=7301"));
    }
  }
  const bool runs = !target.lobby_address.empty();
  if (runs != !target.match_address.empty()) {
    return absl::InvalidArgumentError("--lobby and --match go together: give both or neither");
  }
  if (!runs && (!target.metrics_ports.empty() || !target.database.empty())) {
    return absl::InvalidArgumentError(
        "--metrics_ports and --database belong to services that run: give --lobby and --match too");
  }
  return target;
}

Target TargetOf(testing::Cluster& cluster) {
  Target target{.lobby_address = cluster.Address(testing::Service::kLobby),
                .match_address = cluster.Address(testing::Service::kMatch),
                .database = cluster.database().ConnectionString()};
  for (const testing::Service service : testing::kServices) {
    target.metrics_ports[std::string(testing::ServiceName(service))] = cluster.MetricsPort(service);
  }
  return target;
}

// Becomes this very program again, with a Postgres of its own around it. Returns when that is
// impossible.
absl::Status RunAgainWithPostgres(char** argv) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  // It lies in ROOT/.naval/build/PRESET/bin.
  std::filesystem::path root = self;
  while (!std::filesystem::exists(root / "tools/dev/postgres")) {
    if (root == root.root_path()) {
      return absl::NotFoundError(
          absl::StrCat(self.string(),
                       " lies outside of a checkout, so there is nothing to start a Postgres "
                       "with: give --lobby and --match"));
    }
    root = root.parent_path();
  }
  std::vector<std::string> command = {root / "tools/dev/postgres", "run",
                                      root / ".naval/load/postgres", self};
  for (int i = 1; argv[i] != nullptr; ++i) command.emplace_back(argv[i]);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  return absl::UnavailableError(absl::StrCat(command[0], ": ", std::strerror(errno)));
}

absl::Status Main(char** argv) {
  NAVAL_ASSIGN_OR_RETURN(const Plan plan, ReadPlan());
  NAVAL_ASSIGN_OR_RETURN(Target target, ReadTarget());
  std::unique_ptr<testing::Cluster> cluster;
  if (target.lobby_address.empty()) {
    if (std::getenv("NAVAL_TEST_POSTGRES") == nullptr) return RunAgainWithPostgres(argv);
    cluster = std::make_unique<testing::Cluster>();
    target = TargetOf(*cluster);
  }
  base::SystemClock clock;
  base::SecureRandom random;
  NAVAL_ASSIGN_OR_RETURN(const Report report, Run(plan, target, clock, random));
  std::fputs((absl::GetFlag(FLAGS_json) ? JsonLine(report) : TableText(report)).c_str(), stdout);
  if (report.faults.none() && report.stuck == 0) return absl::OkStatus();
  return absl::DataLossError(
      "the service broke its promises: something was lost, doubled, reordered or differing, or a "
      "match did not end");
}

}  // namespace
}  // namespace naval::load

int main(int argc, char** argv) {
  // As the services do, so that what calls them takes no more of the machine than it must.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  const std::vector<char*> rest = naval::base::ParseFlags(
      argc, argv,
      "has many players play whole matches over the public API, checks all that they "
      "are told, and prints how fast that goes beside what a bare echo and bare inserts take.");
  if (!rest.empty()) {
    absl::FPrintF(stderr, "naval-load: '%s' is no flag; see --help\n", rest[0]);
    return 2;
  }
  const absl::Status status = naval::load::Main(argv);
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "naval-load: %s\n", status.message());
  return status.code() == absl::StatusCode::kInvalidArgument ? 2 : 1;
}
