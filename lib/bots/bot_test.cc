#include "lib/bots/bot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/bots/as.h"
#include "lib/bots/jota.h"
#include "lib/bots/rey.h"
#include "lib/bots/test_range.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "tests/support/status_matchers.h"

namespace naval::bots {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;
using rules::Seat;
using rules::Square;
using rules::SquareSet;

TEST(MakeBot, MakesEveryBotThatIsNamed) {
  EXPECT_THAT(BotIds(), ::testing::ElementsAre("jota", "as", "rey"));
  for (const absl::string_view id : BotIds()) EXPECT_NE(MakeBot(id).value(), nullptr) << id;
}

TEST(MakeBot, NamesAnUnknownIdAndTheKnownOnes) {
  for (const char* id : {"", "Jota", "deep-blue"}) {
    const absl::Status refusal = MakeBot(id).status();
    EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(refusal, HasReason("UNKNOWN_BOT"));
    EXPECT_EQ(base::MetadataOf(refusal).at("bot"), id);
    EXPECT_EQ(base::MetadataOf(refusal).at("known"), "jota as rey");
  }
}

struct Player {
  std::string name;
  std::unique_ptr<Bot> bot;
};

// Every bot; Rey with less thought, so that the tests take seconds without optimization too.
std::vector<Player> EveryBot() {
  std::vector<Player> players;
  players.push_back({"jota", std::make_unique<Jota>()});
  players.push_back({"as", std::make_unique<As>()});
  players.push_back({"rey", std::make_unique<Rey>(Effort{.samples = 20, .visits = 100})});
  return players;
}

rules::RuleSet Fleet(int board_size, bool ships_may_touch, const std::vector<int>& lengths) {
  rules::RuleSet rules = rules::Tablu();
  rules.id = absl::StrCat("board of ", board_size, ships_may_touch ? ", touching:" : ", apart:");
  rules.board_size = board_size;
  rules.ships_may_touch = ships_may_touch;
  rules.ring_closed = !ships_may_touch;
  rules.ships.clear();
  for (const int length : lengths) {
    absl::StrAppend(&rules.id, " ", length);
    rules.ships.push_back({absl::StrCat("ship", rules.ships.size()), length});
  }
  return rules;
}

// Rules as a custom table may have them, with room for the fleet.
rules::RuleSet AnyRules(base::Random& random) {
  const int size = 2 + static_cast<int>(random.Uniform(9));
  const bool may_touch = random.Uniform(2) == 0;
  // What is surely found quickly: every third square with a ship, or every sixth.
  int squares = size * size / (may_touch ? 3 : 6);
  std::vector<int> lengths;
  do {
    const int length = 1 + static_cast<int>(random.Uniform(static_cast<std::uint64_t>(
                               std::clamp(std::min(size, squares), 1, 6))));
    lengths.push_back(length);
    squares -= length;
  } while (squares > 0 && lengths.size() < 15);
  std::sort(lengths.rbegin(), lengths.rend());
  rules::RuleSet rules = Fleet(size, may_touch, lengths);
  rules.ring_closed = !may_touch && random.Uniform(2) == 0;
  if (random.Uniform(2) == 0) rules.sunk_report = rules::SunkReport::kClass;
  if (random.Uniform(2) == 0) rules.turn_order = rules::TurnOrder::kAlternate;
  return rules;
}

std::vector<rules::RuleSet> ManyRules(base::Random& random) {
  rules::RuleSet unmarked = rules::Tablu();
  unmarked.ring_closed = false;
  std::vector<rules::RuleSet> many = {
      rules::Tablu(),
      unmarked,
      Fleet(10, true, {5, 4, 3, 2}),
      Fleet(10, true, {6, 6, 5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}),
      Fleet(10, false, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
      Fleet(4, true, {2, 2, 2, 2, 2}),
      Fleet(3, false, {3}),
      Fleet(1, false, {1})};
  for (const rules::Preset& preset : rules::AllRuleSets()) many.push_back(preset.rules);
  for (int i = 0; i < 12; ++i) many.push_back(AnyRules(random));
  return many;
}

TEST(EveryBot, SinksAnyFleetByAnyRulesAndNeverFiresAtAKnownSquare) {
  constexpr std::uint64_t kSeed = 5;
  base::SeededRandom random(kSeed);
  for (const rules::RuleSet& rules : ManyRules(random)) {
    SCOPED_TRACE(absl::StrCat(rules.id, ", seed ", kSeed));
    for (const Player& player : EveryBot()) {
      SCOPED_TRACE(player.name);
      EXPECT_GT(MeanShots(*player.bot, rules, /*fleets=*/1, random.Next()), 0);
    }
  }
}

TEST(EveryBot, PlaysMatchesAgainstEachOther) {
  const std::vector<Player> players = EveryBot();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    const rules::RuleSet rules = rules::Tablu();
    rules::TestMatch match({rules, {}}, seed);
    match.ConfirmBoth(rules::CompleteFleet(rules, {}, random).value(),
                      rules::CompleteFleet(rules, {}, random).value());
    while (match.game().phase() == rules::Phase::kBattle) {
      const Seat turn = match.game().turn().value();
      const Player& player = players[(seed + static_cast<std::uint64_t>(SeatIndex(turn))) % 3];
      const rules::GameView view = rules::ViewOf(match.game(), rules::ViewerAt(turn));
      ASSERT_TRUE(match.Do(rules::FireShots{turn, {player.bot->ChooseShot(view, random)}}).ok());
    }
    EXPECT_EQ(match.game().result()->reason, rules::EndReason::kFleetDestroyed);
  }
}

// The hit and the sunk ships of a fleet stay, the others go where no shot fell. The fleet itself
// when none is left to move.
rules::Fleet OtherFleetLike(const rules::Game& game, base::Random& random) {
  const rules::Sea& sea = *game.sea(Seat::kSecond);
  SquareSet fired;
  for (const rules::ShotMark& shot : sea.shots()) fired.Add(shot.square);
  rules::Fleet kept;
  for (const rules::ShipPlacement& ship : sea.fleet()) {
    if (rules::ShipSquareSet(game.rules(), ship)->Intersects(fired)) kept.push_back(ship);
  }
  while (true) {
    const rules::Fleet fleet = rules::CompleteFleet(game.rules(), kept, random).value();
    bool moved_into_shots = false;
    for (std::size_t i = kept.size(); i < fleet.size(); ++i) {
      moved_into_shots |= rules::ShipSquareSet(game.rules(), fleet[i])->Intersects(fired);
    }
    if (!moved_into_shots) return fleet;
  }
}

// NAVAL_BLIND_POSITIONS=10000 makes it the long form.
int BlindPositions() {
  const char* const asked = std::getenv("NAVAL_BLIND_POSITIONS");
  int positions = 0;
  return asked != nullptr && absl::SimpleAtoi(asked, &positions) ? positions : 40;
}

// rule: M-10
TEST(EveryBot, ChoosesTheSameWhateverTheRivalHides) {
  constexpr std::uint64_t kSeed = 11;
  base::SeededRandom random(kSeed);
  const std::vector<Player> players = EveryBot();
  for (int position = 0; position < BlindPositions(); ++position) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed, ", position ", position));
    const std::vector<rules::Preset>& presets = rules::AllRuleSets();
    rules::RuleSet rules = presets[static_cast<std::size_t>(position) % presets.size()].rules;
    // Each ship its own class, so that the ids of the fleets below are not exchanged at random.
    for (rules::Ship& ship : rules.ships) ship.ship_class.clear();
    Range range(rules, rules::CompleteFleet(rules, {}, random).value());
    std::vector<Square> shots(random.Uniform(30));
    for (Square& shot : shots) {
      shot = As().ChooseShot(range.view(), random);
      range.Fire(shot);
      if (range.over()) break;
    }
    if (range.over()) continue;
    const std::uint64_t seed = random.Next();
    std::vector<Square> choices;
    for (const Player& player : players) {
      base::SeededRandom chance(seed);
      choices.push_back(player.bot->ChooseShot(range.view(), chance));
    }
    for (int hidden = 0; hidden < 10; ++hidden) {
      Range other(rules, OtherFleetLike(range.game(), random));
      for (const Square shot : shots) other.Fire(shot);
      ASSERT_EQ(other.view(), range.view());
      for (std::size_t i = 0; i < players.size(); ++i) {
        base::SeededRandom chance(seed);
        ASSERT_EQ(players[i].bot->ChooseShot(other.view(), chance), choices[i]) << players[i].name;
      }
    }
  }
}

}  // namespace
}  // namespace naval::bots
