#include "lib/bots/bot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/bots/as.h"
#include "lib/bots/jota.h"
#include "lib/bots/rey.h"
#include "lib/bots/test_range.h"
#include "lib/rules/custom_rules.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "tests/support/environment.h"
#include "tests/support/status_matchers.h"

namespace naval::bots {
namespace {

using naval::testing::HasReason;
using naval::testing::NumberFromEnvironment;
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

// With which the tests take seconds without optimization too.
constexpr Effort kLittleEffort = {.samples = 20, .visits = 100};

std::vector<Player> EveryBot(const Effort& effort) {
  std::vector<Player> players;
  players.push_back({"jota", std::make_unique<Jota>()});
  players.push_back({"as", std::make_unique<As>()});
  players.push_back({"rey", std::make_unique<Rey>(effort)});
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

int RandomInt(int least, int most, base::Random& random) {
  return least + static_cast<int>(random.Uniform(static_cast<std::uint64_t>(most - least + 1)));
}

// What may be chosen beside the fleet.
void DrawOptions(rules::RuleSet& rules, base::Random& random) {
  if (RandomInt(0, 2, random) == 0) {
    rules.turn_order = rules::TurnOrder::kVolley;
    rules.shots_per_turn.reset();
    if (RandomInt(0, 1, random) == 0) rules.shots_per_turn = RandomInt(1, 10, random);
    rules.ring_closed = false;
    rules.sunk_report = rules::SunkReport::kClass;
    return;
  }
  rules.ring_closed = !rules.ships_may_touch && RandomInt(0, 1, random) == 0;
  if (!rules.ring_closed && RandomInt(0, 1, random) == 0) {
    rules.sunk_report = rules::SunkReport::kClass;
  }
  if (RandomInt(0, 1, random) == 0) rules.turn_order = rules::TurnOrder::kAlternate;
}

// Whether random fleets of such ships are laid in no time: full boards take longer than a test may.
bool QuicklyLaid(const rules::RuleSet& rules) {
  int squares = 0;
  for (const rules::Ship& ship : rules.ships) squares += ship.length;
  const int apart = 2 * (squares + static_cast<int>(rules.ships.size()));
  return rules.ships_may_touch ? squares <= 40 : apart <= 64;
}

// Rules as a custom table may have them: one to fifteen ships of one to six squares, some of them
// alike.
rules::RuleSet CustomRules(base::Random& random, bool crowded) {
  while (true) {
    std::vector<int> lengths;
    const int ships = RandomInt(1, rules::kMaxShips, random);
    const int longest = RandomInt(1, rules::kMaxShipLength, random);
    for (int i = 0; i < ships; ++i) lengths.push_back(RandomInt(1, longest, random));
    std::sort(lengths.rbegin(), lengths.rend());
    rules::RuleSet rules = Fleet(10, RandomInt(0, 1, random) == 0, lengths);
    const bool alike = RandomInt(0, 1, random) == 0;
    std::vector<int> shots(rules::kMaxShipLength + 1);
    for (int& each : shots) each = RandomInt(1, 3, random);
    for (rules::Ship& ship : rules.ships) {
      ship.shots = shots[static_cast<std::size_t>(ship.length)];
      if (alike) ship.ship_class = absl::StrCat("of ", ship.length);
    }
    DrawOptions(rules, random);
    if (!crowded && !QuicklyLaid(rules)) continue;
    if (rules::CheckCustomRules(rules, rules::Opponent::kBot).ok()) return rules;
  }
}

// The same on smaller boards, which the engine plays too, with room for the fleet.
rules::RuleSet SmallRules(base::Random& random) {
  const int size = RandomInt(2, 9, random);
  const bool may_touch = RandomInt(0, 1, random) == 0;
  // What is surely found quickly: every third square with a ship, or every sixth.
  int squares = size * size / (may_touch ? 3 : 6);
  std::vector<int> lengths;
  do {
    lengths.push_back(RandomInt(1, std::clamp(std::min(size, squares), 1, 6), random));
    squares -= lengths.back();
  } while (squares > 0 && lengths.size() < 15);
  std::sort(lengths.rbegin(), lengths.rend());
  rules::RuleSet rules = Fleet(size, may_touch, lengths);
  DrawOptions(rules, random);
  return rules;
}

// Every rule set and option that changes what a bot sees.
std::vector<rules::RuleSet> EveryPreset() {
  return {rules::Tablu(),
          rules::Chosen({.rule_set = "tablu", .one_shot_per_turn = true}),
          rules::Chosen({.rule_set = "clasica"}),
          rules::Chosen({.rule_set = "salvo"}),
          rules::Chosen({.rule_set = "salvo", .fleet_b = true}),
          rules::Chosen({.rule_set = "salvo", .volley = true}),
          rules::Chosen({.rule_set = "salvo", .fleet_b = true, .volley = true}),
          rules::Chosen({.rule_set = "selminha"})};
}

std::vector<rules::RuleSet> ManyRules(base::Random& random) {
  rules::RuleSet unmarked = rules::Tablu();
  unmarked.ring_closed = false;
  std::vector<rules::RuleSet> many = {
      unmarked,
      Fleet(10, true, {5, 4, 3, 2}),
      Fleet(10, true, {6, 6, 5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1}),
      Fleet(10, false, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
      Fleet(4, true, {2, 2, 2, 2, 2}),
      Fleet(3, false, {3}),
      Fleet(1, false, {1})};
  for (const rules::RuleSet& rules : EveryPreset()) many.push_back(rules);
  for (int i = 0; i < 5; ++i) many.push_back(SmallRules(random));
  constexpr int kInTheGate = 5;
  const int times = static_cast<int>(NumberFromEnvironment("NAVAL_CUSTOM_RULES", kInTheGate));
  for (int i = 0; i < times; ++i) many.push_back(CustomRules(random, times > kInTheGate));
  return many;
}

TEST(EveryBot, SinksAnyFleetByAnyRulesAndNeverFiresAtAKnownSquare) {
  constexpr std::uint64_t kSeed = 5;
  base::SeededRandom random(kSeed);
  for (const rules::RuleSet& rules : ManyRules(random)) {
    SCOPED_TRACE(absl::StrCat(rules.id, ", seed ", kSeed));
    for (const Player& player : EveryBot(kLittleEffort)) {
      SCOPED_TRACE(player.name);
      EXPECT_GT(MeanShots(*player.bot, rules, /*fleets=*/1, random.Next()), 0);
    }
  }
}

TEST(EveryBot, PlaysMatchesAgainstEachOther) {
  const std::vector<Player> players = EveryBot(kLittleEffort);
  std::uint64_t seed = 0;
  for (const rules::RuleSet& rules : EveryPreset()) {
    SCOPED_TRACE(absl::StrCat(rules.id, ", seed ", ++seed));
    base::SeededRandom random(seed);
    rules::TestMatch match({rules, {}}, seed);
    match.ConfirmBoth(rules::CompleteFleet(rules, {}, random).value(),
                      rules::CompleteFleet(rules, {}, random).value());
    while (match.game().phase() == rules::Phase::kBattle) {
      const Seat seat = match.game().Awaits(Seat::kFirst) ? Seat::kFirst : Seat::kSecond;
      const Player& player = players[(seed + static_cast<std::uint64_t>(SeatIndex(seat))) % 3];
      const rules::GameView view = rules::ViewOf(match.game(), rules::ViewerAt(seat));
      const SquareSet shots = player.bot->ChooseShots(view, random);
      ASSERT_TRUE(match.Do(rules::FireShots{seat, {shots.begin(), shots.end()}, view.round}).ok());
    }
    EXPECT_EQ(match.game().result()->reason, rules::EndReason::kFleetDestroyed);
  }
}

// What was fired at once, of which the answer is known as a whole.
std::vector<SquareSet> Answered(const rules::GameView& view) {
  std::vector<SquareSet> answered;
  for (const rules::VolleyAnswered& volley : view.volleys) {
    if (volley.seat == Seat::kFirst) answered.push_back(volley.squares);
  }
  if (!answered.empty()) return answered;
  for (const rules::SeenShot& shot : view.sea(Seat::kSecond).shots) {
    answered.push_back({shot.square});
  }
  return answered;
}

// A fleet that answers alike, each ship for itself: what hits a ship hits the same ship as often.
// Other places are tried in vain at most so often that the test stays quick.
rules::Fleet OtherFleetLike(const rules::Game& game, base::Random& random) {
  constexpr int kTries = 2000;
  const std::vector<SquareSet> answered = Answered(rules::ViewOf(game, rules::Viewer::kFirst));
  const rules::Fleet& fleet = game.fleet(Seat::kSecond);
  std::vector<std::vector<rules::ShipPlace>> places;
  for (const rules::ShipPlacement& ship : fleet) {
    const SquareSet stands = *rules::ShipSquareSet(game.rules(), ship);
    places.push_back(rules::ShipPlaces(game.rules(), ship.ship));
    std::erase_if(places.back(), [&](const rules::ShipPlace& place) {
      return !std::all_of(answered.begin(), answered.end(), [&](SquareSet shots) {
        return (place.squares & shots).size() == (stands & shots).size();
      });
    });
  }
  for (int i = 0; i < kTries; ++i) {
    rules::Fleet other;
    for (const std::vector<rules::ShipPlace>& of_ship : places) {
      other.push_back(of_ship[random.Uniform(of_ship.size())].placement);
    }
    if (rules::CheckFleet(game.rules(), other).empty()) return other;
  }
  return fleet;
}

// Every rule set, with each ship its own class, so that the ids of fleets that are alike but for
// what is hidden are not exchanged at random.
std::vector<rules::RuleSet> RulesToBeBlindBy() {
  std::vector<rules::RuleSet> all = EveryPreset();
  for (rules::RuleSet& rules : all) {
    for (rules::Ship& ship : rules.ships) ship.ship_class.clear();
  }
  return all;
}

// rule: M-10
TEST(EveryBot, ChoosesTheSameWhateverTheRivalHides) {
  constexpr std::uint64_t kSeed = 11;
  constexpr int kInTheGate = 16;
  base::SeededRandom random(kSeed);
  const int positions =
      static_cast<int>(NumberFromEnvironment("NAVAL_BLIND_POSITIONS", kInTheGate));
  const std::vector<Player> players = EveryBot(positions == kInTheGate ? kLittleEffort : Effort());
  const std::vector<rules::RuleSet> rule_sets = RulesToBeBlindBy();
  int others = 0;
  for (int position = 0; position < positions; ++position) {
    SCOPED_TRACE(absl::StrCat("seed ", kSeed, ", position ", position));
    const rules::RuleSet& rules = rule_sets[static_cast<std::size_t>(position) % rule_sets.size()];
    std::vector<SquareSet> fired;
    Range range(rules, rules::CompleteFleet(rules, {}, random).value());
    for (int squares = RandomInt(0, 40, random); squares > 0 && !range.over();) {
      fired.push_back(As().ChooseShots(range.view(), random));
      range.Fire(fired.back());
      squares -= fired.back().size();
    }
    if (range.over()) continue;
    const std::uint64_t seed = random.Next();
    std::vector<SquareSet> choices;
    for (const Player& player : players) {
      base::SeededRandom chance(seed);
      choices.push_back(player.bot->ChooseShots(range.view(), chance));
    }
    for (int hidden = 0; hidden < 10; ++hidden) {
      const rules::Fleet fleet = OtherFleetLike(range.game(), random);
      others += fleet == range.game().fleet(Seat::kSecond) ? 0 : 1;
      Range other(rules, fleet);
      for (const SquareSet shots : fired) other.Fire(shots);
      ASSERT_EQ(other.view(), range.view());
      for (std::size_t i = 0; i < players.size(); ++i) {
        base::SeededRandom chance(seed);
        ASSERT_EQ(players[i].bot->ChooseShots(other.view(), chance), choices[i]) << players[i].name;
      }
    }
  }
  // Now and then nothing is left to hide.
  EXPECT_GT(others, positions * 7);
}

}  // namespace
}  // namespace naval::bots
