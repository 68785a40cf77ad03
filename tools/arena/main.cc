// naval-arena: plays bots by the thousand and says how strong they are.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "lib/base/flags.h"
#include "lib/base/status_macros.h"
#include "lib/rules/rule_sets.h"
#include "tools/arena/arena.h"
#include "tools/arena/fleets.h"
#include "tools/arena/report.h"

ABSL_FLAG(std::string, rule_set, "tablu", "Id of the rule set.");
ABSL_FLAG(std::string, options, "",
          "Options of the rule set, with commas between: one_shot_per_turn, fleet_b, volley.");
ABSL_FLAG(
    std::string, bot, "rey",
    "What is measured: a bot (jota, as, rey), or marginals (fires where a ship is most likely) or "
    "rey-uniform "
    "(Rey expecting uniform fleets only).");
ABSL_FLAG(std::string, rival, "",
          "Another of those: a series of matches, the two shooting first in turn. Without it the "
          "bot fires at "
          "fleets that do not hit back, until all is sunk.");
ABSL_FLAG(
    std::string, fleets, "uniform",
    "How both sides lay: uniform (every legal fleet as often), bot (as bots do), border (all along "
    "the border), "
    "corners (the most in the corners, of 64 uniform fleets), cluster (the closest together, of "
    "64).");
ABSL_FLAG(int, games, 2000, "How many games.");
ABSL_FLAG(std::uint64_t, seed, 1, "The same seed gives the same games, on however many cores.");
ABSL_FLAG(bool, json, false, "One line of JSON in place of a table.");

namespace naval::arena {
namespace {

constexpr int kMaxGames = 10'000'000;

absl::StatusOr<rules::RulesChoice> ReadChoice() {
  rules::RulesChoice choice{.rule_set = absl::GetFlag(FLAGS_rule_set)};
  for (const auto option : absl::StrSplit(absl::GetFlag(FLAGS_options), ',', absl::SkipEmpty())) {
    if (option == "one_shot_per_turn") {
      choice.one_shot_per_turn = true;
    } else if (option == "fleet_b") {
      choice.fleet_b = true;
    } else if (option == "volley") {
      choice.volley = true;
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "no such option: \"", option, "\"; known are: one_shot_per_turn fleet_b volley"));
    }
  }
  return choice;
}

absl::Status Run() {
  Setting setting{.bot = absl::GetFlag(FLAGS_bot),
                  .rival = absl::GetFlag(FLAGS_rival),
                  .games = absl::GetFlag(FLAGS_games),
                  .seed = absl::GetFlag(FLAGS_seed)};
  if (setting.games < 1 || setting.games > kMaxGames) {
    return absl::InvalidArgumentError(absl::StrCat("--games must be 1 to ", kMaxGames));
  }
  NAVAL_ASSIGN_OR_RETURN(const rules::RulesChoice choice, ReadChoice());
  NAVAL_ASSIGN_OR_RETURN(const rules::GameSettings chosen,
                         rules::ChooseRules(choice, rules::Opponent::kBot));
  setting.rules = *chosen.rules;
  NAVAL_ASSIGN_OR_RETURN(setting.fleets, FindFleetModel(absl::GetFlag(FLAGS_fleets)));
  setting.threads = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  NAVAL_ASSIGN_OR_RETURN(const std::vector<Outcome> outcomes, PlayAll(setting));
  const Title title{.rule_set = choice.rule_set,
                    .options = absl::StrSplit(absl::GetFlag(FLAGS_options), ',', absl::SkipEmpty()),
                    .bot = setting.bot,
                    .rival = setting.rival,
                    .fleets = absl::GetFlag(FLAGS_fleets),
                    .seed = setting.seed};
  const Summary summary = Summarize(outcomes);
  const bool json = absl::GetFlag(FLAGS_json);
  std::fputs((json ? JsonLine(title, summary) : TableText(title, summary)).c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace
}  // namespace naval::arena

int main(int argc, char** argv) {
  const std::vector<char*> rest = naval::base::ParseFlags(
      argc, argv,
      "plays a bot against thousands of fleets, or against another bot, on all cores, "
      "and prints how many shots and how much time it took.");
  if (!rest.empty()) {
    absl::FPrintF(stderr, "naval-arena: '%s' is no flag; see --help\n", rest[0]);
    return 2;
  }
  const absl::Status status = naval::arena::Run();
  if (status.ok()) return 0;
  absl::FPrintF(stderr, "naval-arena: %s\n", status.message());
  return status.code() == absl::StatusCode::kInvalidArgument ? 2 : 1;
}
