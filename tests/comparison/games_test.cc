#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/comparison/effort.h"
#include "tests/comparison/random_game.h"
#include "tests/support/environment.h"

// Whole games of random players, by the engine and by the oracle. More of them, or others, or one
// again: NAVAL_GAMES (how many) and NAVAL_SEED (of the first) in the environment;
// `tools/long/games` does that.

namespace naval::comparison {
namespace {

using ::testing::Contains;
using ::testing::SizeIs;

// Of the game that is played. A check in the engine that fails ends the process: then this tells
// it.
std::uint64_t playing = 0;

void TellSeed(int) {
  std::cerr << "NAVAL_SEED=" << playing << " NAVAL_GAMES=1 ended the process\n";
}

// Ids and who starts aside, which the oracle has of its own.
TEST(HouseSettings, AreTheSameRulesInBoth) {
  for (const Setting& setting : HouseSettings()) {
    oracle::OracleRules oracle = setting.words->oracle_rules();
    const oracle::OracleRules engine = InOracleWords(setting.words->rules());
    ASSERT_EQ(engine.ships.size(), oracle.ships.size()) << setting.name;
    for (std::size_t i = 0; i < oracle.ships.size(); ++i) oracle.ships[i].id = engine.ships[i].id;
    oracle.start = engine.start;
    EXPECT_TRUE(engine == oracle) << setting.name;
  }
}

TEST(RandomGames, GoTheSameWayInBoth) {
  const std::uint64_t games =
      testing::NumberFromEnvironment("NAVAL_GAMES", kSanitized ? 100 : 2'000);
  const std::uint64_t first = testing::NumberFromEnvironment("NAVAL_SEED", 1);
  std::signal(SIGABRT, TellSeed);
  std::set<std::string> settings;
  std::set<rules::EndReason> ends;
  std::uint64_t commands = 0;
  for (std::uint64_t seed = first; seed < first + games; ++seed) {
    playing = seed;
    const Played played = PlayRandomGame(seed, /*with_transcript=*/false);
    if (played.end.has_value()) {
      settings.insert(played.setting);
      ends.insert(*played.end);
      commands += static_cast<std::uint64_t>(played.commands);
      continue;
    }
    const Played again = PlayRandomGame(seed, /*with_transcript=*/true);
    FAIL() << "NAVAL_SEED=" << seed << " NAVAL_GAMES=1, " << again.setting << "\n"
           << absl::StrJoin(again.transcript, "\n") << "\n"
           << again.difference;
  }
  std::signal(SIGABRT, SIG_DFL);
  // Or the games would say little.
  EXPECT_GT(games, 0u);
  if (games < 2'000) return;
  EXPECT_GE(commands, 40 * games);
  EXPECT_THAT(ends, SizeIs(static_cast<std::size_t>(rules::EndReason::kAborted) + 1));
  for (const Setting& setting : HouseSettings()) EXPECT_THAT(settings, Contains(setting.name));
}

}  // namespace
}  // namespace naval::comparison
