#include "tools/arena/arena.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "lib/base/random.h"
#include "lib/rules/test_match.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tools/arena/fleets.h"
#include "tools/arena/report.h"

namespace naval::arena {
namespace {

using naval::testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;

Setting TabluSetting(const std::string& bot, const std::string& rival, int games) {
  return {.rules = rules::Tablu(), .bot = bot, .rival = rival, .games = games, .seed = 7};
}

struct Facts {
  int shots;
  bool won;
  bool started;
  bool operator==(const Facts&) const = default;
};

std::vector<Facts> FactsOf(const std::vector<Outcome>& outcomes) {
  std::vector<Facts> facts;
  for (const Outcome& outcome : outcomes) {
    EXPECT_EQ(outcome.cpu_ms.size(), static_cast<std::size_t>(outcome.shots));
    facts.push_back({outcome.shots, outcome.won, outcome.started});
  }
  return facts;
}

TEST(Arena, PlaysTheSameGamesOnHoweverManyThreads) {
  for (const char* rival : {"", "jota"}) {
    Setting setting = TabluSetting("as", rival, 20);
    const std::vector<Facts> alone = FactsOf(PlayAll(setting).value());
    setting.threads = 3;
    EXPECT_EQ(FactsOf(PlayAll(setting).value()), alone) << rival;
    setting.seed = 8;
    EXPECT_NE(FactsOf(PlayAll(setting).value()), alone) << rival;
  }
}

TEST(Arena, LetsABotAloneSinkEverything) {
  for (const Facts& game : FactsOf(PlayAll(TabluSetting("jota", "", 20)).value())) {
    EXPECT_TRUE(game.won);
    EXPECT_TRUE(game.started);
    EXPECT_THAT(game.shots, AllOf(Ge(17), Le(100)));
  }
}

TEST(Arena, LetsTheTwoOfASeriesShootFirstInTurn) {
  const std::vector<Facts> games = FactsOf(PlayAll(TabluSetting("as", "jota", 40)).value());
  int won = 0;
  for (std::size_t number = 0; number < games.size(); ++number) {
    EXPECT_EQ(games[number].started, number % 2 == 0) << number;
    won += games[number].won ? 1 : 0;
  }
  EXPECT_GE(won, 36);
}

TEST(Arena, NamesAnUnknownBotOnEitherSide) {
  for (const Setting& setting :
       {TabluSetting("deep-blue", "", 1), TabluSetting("as", "deep-blue", 1)}) {
    const absl::Status refusal = PlayAll(setting).status();
    EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(std::string(refusal.message()), HasSubstr("deep-blue"));
  }
}

TEST(Arena, SaysWhenTheRulesHaveNoSuchFleets) {
  Setting setting = TabluSetting("jota", "", 3);
  setting.fleets = FleetModel::kBorder;
  setting.rules.board_size = 2;
  setting.rules.ships = {{"dot", 1}};
  EXPECT_THAT(PlayAll(setting).status(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(Fleets, AreLegalAndKeepToTheirModel) {
  const rules::RuleSet rules = rules::Tablu();
  base::SeededRandom random(3);
  for (const char* name : {"uniform", "bot", "border", "corners", "cluster"}) {
    const FleetModel model = FindFleetModel(name).value();
    const rules::Fleet fleet = DrawFleet(model, rules, random).value();
    EXPECT_THAT(rules::CheckFleet(rules, fleet), ::testing::IsEmpty()) << name;
    if (model != FleetModel::kBorder) continue;
    for (const rules::ShipPlacement& ship : fleet) {
      const bool across = ship.orientation == rules::Orientation::kHorizontal;
      EXPECT_THAT(across ? ship.bow.row() : ship.bow.column(), ::testing::AnyOf(0, 9));
    }
  }
  const absl::Status refusal = FindFleetModel("nice").status();
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(refusal.message()), HasSubstr("uniform bot border"));
}

TEST(Report, CountsByNearestRankAndByWhoShotFirst) {
  std::vector<Outcome> outcomes;
  for (int shots = 1; shots <= 20; ++shots) {
    outcomes.push_back({.shots = shots,
                        .won = shots <= 5,
                        .started = shots % 2 == 0,
                        .cpu_ms = {static_cast<double>(shots), 0}});
  }
  const Summary summary = Summarize(outcomes);
  EXPECT_DOUBLE_EQ(summary.mean_shots, 10.5);
  EXPECT_DOUBLE_EQ(summary.median_shots, 10.5);
  EXPECT_EQ(summary.p5_shots, 1);
  EXPECT_EQ(summary.p95_shots, 19);
  EXPECT_DOUBLE_EQ(summary.cpu_ms_mean, 5.25);
  EXPECT_DOUBLE_EQ(summary.cpu_ms_p99, 20);
  EXPECT_DOUBLE_EQ(summary.win_rate, 0.25);
  // Won and started: 2, 4. Neither: the 8 odd ones from 7 on.
  EXPECT_DOUBLE_EQ(summary.starter_win_rate, 0.45);
}

TEST(Report, WritesATableAndALineOfJson) {
  const Summary summary = Summarize({{.shots = 40, .won = true, .started = true, .cpu_ms = {0.5}}});
  Title title{.rule_set = "tablu", .options = {"one_shot_per_turn"}, .bot = "as"};
  EXPECT_THAT(TableText(title, summary), AllOf(HasSubstr("rule set  options"), HasSubstr("40.000"),
                                               ::testing::Not(HasSubstr("rival"))));
  const auto line = nlohmann::json::parse(JsonLine(title, summary));
  EXPECT_EQ(line["options"][0], "one_shot_per_turn");
  EXPECT_EQ(line["mean_shots"], 40);
  EXPECT_FALSE(line.contains("win_rate"));
  title.rival = "jota";
  EXPECT_THAT(TableText(title, summary), HasSubstr("starter wins"));
  EXPECT_EQ(nlohmann::json::parse(JsonLine(title, summary))["starter_win_rate"], 1);
}

}  // namespace
}  // namespace naval::arena
