#include "lib/rules/rule_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "lib/base/error.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;

RuleSet Chosen(const RulesChoice& choice, Opponent opponent) {
  return *ChooseRules(choice, opponent)->rules;
}

// rule: T-02
TEST(RuleSets, TabluHasFiveShipsOfSeventeenSquares) {
  const RuleSet rules = Chosen({.rule_set = "tablu"}, Opponent::kPerson);
  const std::vector<Ship> fleet = {
      {"portaaviones", 5}, {"acorazado", 4}, {"fragata", 3}, {"submarino", 3}, {"lancha", 2}};
  EXPECT_EQ(rules.ships, fleet);
  EXPECT_EQ(rules.board_size, 10);
}

// rule: T-19
TEST(RuleSets, TabluHasFixedTimes) {
  for (const Opponent opponent : {Opponent::kPerson, Opponent::kBot}) {
    const RuleSet rules = Chosen({.rule_set = "tablu"}, opponent);
    EXPECT_EQ(rules.placement_duration, absl::Seconds(90));
    EXPECT_EQ(rules.shot_duration, absl::Seconds(25));
  }
}

// rule: T-18
TEST(RuleSets, OneShotPerTurnChangesTheTurnOrderAndNothingElse) {
  RuleSet expected = Chosen({.rule_set = "tablu"}, Opponent::kPerson);
  EXPECT_EQ(expected.turn_order, TurnOrder::kHitAgain);
  expected.turn_order = TurnOrder::kAlternate;
  EXPECT_EQ(Chosen({.rule_set = "tablu", .one_shot_per_turn = true}, Opponent::kPerson), expected);
}

// rule: A-08
TEST(RuleSets, OnlyATableAgainstABotMayBeWithoutAClock) {
  const RulesChoice choice = {.rule_set = "tablu", .untimed = true};
  const RuleSet rules = Chosen(choice, Opponent::kBot);
  EXPECT_EQ(rules.placement_duration, std::nullopt);
  EXPECT_EQ(rules.shot_duration, std::nullopt);

  const absl::Status refusal = ChooseRules(choice, Opponent::kPerson).status();
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(refusal, HasReason("OPTION_NOT_OFFERED"));
  EXPECT_EQ(base::MetadataOf(refusal).at("option"), "untimed");
}

// rule: A-08
TEST(RuleSets, WithoutAClockAPaceChangesNothing) {
  for (const Preset& preset : AllRuleSets()) {
    const RuleSet usual = Chosen({.rule_set = preset.rules.id, .untimed = true}, Opponent::kBot);
    EXPECT_EQ(usual.clock_end, preset.live_clock_end);
    for (const Pace pace : preset.paces) {
      EXPECT_EQ(
          Chosen({.rule_set = preset.rules.id, .untimed = true, .pace = pace}, Opponent::kBot),
          usual);
    }
  }
}

TEST(RuleSets, AnUnknownIdIsNamedWithTheKnownOnes) {
  for (const char* id : {"", "Tablu", "hundir-la-flota"}) {
    const absl::Status refusal = ChooseRules({.rule_set = id}, Opponent::kBot).status();
    EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(refusal, HasReason("UNKNOWN_RULE_SET"));
    EXPECT_EQ(base::MetadataOf(refusal).at("rule_set"), id);
    EXPECT_EQ(base::MetadataOf(refusal).at("known"), "tablu clasica salvo selminha");
  }
}

// rule: C-01, S-01
TEST(RuleSets, EveryFleetCoversTheSquaresThatItsRulesSay) {
  const auto squares = [](const std::vector<Ship>& ships) {
    int sum = 0;
    for (const Ship& ship : ships) sum += ship.length;
    return sum;
  };
  const auto chosen = [](const RulesChoice& choice) {
    return Chosen(choice, Opponent::kPerson).ships;
  };
  EXPECT_EQ(squares(chosen({.rule_set = "clasica"})), 20);
  EXPECT_EQ(squares(chosen({.rule_set = "salvo"})), 14);
  EXPECT_EQ(squares(chosen({.rule_set = "salvo", .fleet_b = true})), 12);
  EXPECT_THAT(ChooseRules({.rule_set = "clasica", .fleet_b = true}, Opponent::kBot),
              HasReason("OPTION_NOT_OFFERED"));
}

TEST(RuleSets, EachPaceHasItsClocksAndItsPriceForTheirEnd) {
  const auto chosen = [](const char* rule_set, Pace pace) {
    return Chosen({.rule_set = rule_set, .pace = pace}, Opponent::kPerson);
  };
  const RuleSet live = chosen("clasica", Pace::kLive);
  EXPECT_EQ(live.shot_duration, absl::Seconds(25));
  EXPECT_EQ(live.clock_end, ClockEnd::kLoses);
  EXPECT_EQ(live.idle_duration, std::nullopt);
  const RuleSet slow = chosen("salvo", Pace::kSlow);
  EXPECT_EQ(slow.placement_duration, absl::Minutes(5));
  EXPECT_EQ(slow.shot_duration, absl::Minutes(2));
  EXPECT_EQ(slow.clock_end, ClockEnd::kServerPlays);
  for (const char* rule_set : {"clasica", "salvo", "selminha"}) {
    const RuleSet rules = chosen(rule_set, Pace::kCorrespondence);
    EXPECT_EQ(rules.placement_duration, absl::Hours(48));
    EXPECT_EQ(rules.shot_duration, absl::Hours(48));
    EXPECT_EQ(rules.clock_end, ClockEnd::kMayBeClaimed);
    EXPECT_EQ(rules.idle_duration, absl::Hours(168));
  }
  EXPECT_EQ(chosen("selminha", Pace::kCorrespondence), AllRuleSets()[3].rules);
  EXPECT_EQ(chosen("selminha", Pace::kLive).clock_end, ClockEnd::kServerPlays);
  EXPECT_THAT(ChooseRules({.rule_set = "tablu", .pace = Pace::kSlow}, Opponent::kPerson),
              HasReason("OPTION_NOT_OFFERED"));
}

TEST(RuleSets, MatchesThatChooseAlikeShareTheirRules) {
  const auto rules = [](const RulesChoice& choice) {
    return ChooseRules(choice, Opponent::kBot)->rules;
  };
  EXPECT_EQ(rules({.rule_set = "salvo"}), rules({.rule_set = "salvo", .pace = Pace::kLive}));
  EXPECT_NE(rules({.rule_set = "salvo"}), rules({.rule_set = "salvo", .volley = true}));
}

TEST(RuleSets, EveryPresetNamesItsShipsOnceAndShipsOfOneClassAreAlike) {
  for (const Preset& preset : AllRuleSets()) {
    std::set<std::string> ids;
    std::map<std::string, int> lengths;
    for (const Ship& ship : preset.rules.ships) {
      EXPECT_TRUE(ids.insert(ship.id).second) << ship.id;
      EXPECT_GE(ship.length, 1);
      EXPECT_LE(ship.length, 6);
      const auto known = lengths.emplace(ClassOf(ship), ship.length).first;
      EXPECT_EQ(known->second, ship.length) << ship.id;
    }
  }
}

TEST(FindShip, GivesTheIndexOrNamesTheUnknownId) {
  const RuleSet& rules = FindPreset("tablu").value()->rules;
  EXPECT_EQ(FindShip(rules, "portaaviones").value(), 0);
  EXPECT_EQ(FindShip(rules, "lancha").value(), 4);
  const absl::Status refusal = FindShip(rules, "crucero").status();
  EXPECT_THAT(refusal, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(refusal, HasReason("UNKNOWN_SHIP"));
  EXPECT_EQ(base::MetadataOf(refusal).at("ship"), "crucero");
}

}  // namespace
}  // namespace naval::rules
