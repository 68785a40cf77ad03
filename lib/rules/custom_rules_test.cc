#include "lib/rules/custom_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"
#include "lib/rules/test_match.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::IsOk;
using ::testing::ElementsAre;

std::vector<std::string> FaultyFields(const RuleSet& rules) {
  const absl::Status status = CheckCustomRules(rules, Opponent::kPerson);
  EXPECT_THAT(status, HasReason("INVALID_RULE_SET"));
  std::vector<std::string> fields;
  for (const auto& violation : base::FieldViolationsOf(status)) fields.push_back(violation.field);
  return fields;
}

TEST(CheckCustomRules, TakesEveryRuleSetThatThereIs) {
  for (const Preset& preset : AllRuleSets()) {
    for (const Pace pace : preset.paces) {
      EXPECT_THAT(
          CheckCustomRules(Chosen({.rule_set = preset.rules.id, .pace = pace}), Opponent::kPerson),
          IsOk());
    }
    EXPECT_THAT(
        CheckCustomRules(Chosen({.rule_set = preset.rules.id, .untimed = true}), Opponent::kBot),
        IsOk());
  }
  EXPECT_THAT(CheckCustomRules(Chosen({.rule_set = "salvo", .fleet_b = true, .volley = true}),
                               Opponent::kPerson),
              IsOk());
}

TEST(CheckCustomRules, NamesEveryFaultAtOnce) {
  RuleSet rules = Tablu();
  rules.board_size = 8;
  rules.ships[0].id = " nave";
  rules.ships[1].length = 7;
  rules.ships[2].shots = 0;
  rules.ships[3].id = "lancha";
  rules.shots_per_turn = 2;
  rules.ships_may_touch = true;
  rules.placement_duration = absl::Seconds(29);
  rules.shot_duration = absl::Milliseconds(25'500);
  rules.strikes_to_lose = 0;
  rules.clock_end = ClockEnd::kMayBeClaimed;
  EXPECT_THAT(
      FaultyFields(rules),
      ElementsAre("board_size", "ships[0].id", "ships[1].length", "ships[2].shots", "ships[4].id",
                  "ships[4].ship_class", "shots_per_turn", "ring_closed", "placement_duration",
                  "shot_duration", "strikes_to_lose", "idle_duration"));
}

TEST(CheckCustomRules, NamesWhatDoesNotGoWithVolleys) {
  RuleSet rules = Tablu();
  rules.turn_order = TurnOrder::kVolley;
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ring_closed", "sunk_report"));
  rules.ring_closed = false;
  rules.sunk_report = SunkReport::kClass;
  rules.shots_per_turn = 11;
  EXPECT_THAT(FaultyFields(rules), ElementsAre("shots_per_turn"));
  rules.shots_per_turn = 10;
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
  rules.turn_order = TurnOrder::kAlternate;
  rules.shots_per_turn.reset();
  EXPECT_THAT(FaultyFields(rules), ElementsAre("shots_per_turn"));
}

TEST(CheckCustomRules, WantsEveryMatchOfPeopleToEndAndNobodyToGainByWaiting) {
  RuleSet rules = Tablu();
  rules.placement_duration.reset();
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kBot), IsOk());
  EXPECT_THAT(FaultyFields(rules), ElementsAre("placement_duration"));
  rules.idle_duration = absl::Hours(24);
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
  rules.shot_duration.reset();
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kBot), IsOk());
  EXPECT_THAT(FaultyFields(rules), ElementsAre("shot_duration"));
  rules.shot_duration = absl::Hours(24);
  EXPECT_THAT(FaultyFields(rules), ElementsAre("idle_duration"));
  rules.shot_duration = absl::Hours(23);
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
  // Who may be claimed must not be waited for without end, in the placement too.
  rules = Tablu();
  rules.clock_end = ClockEnd::kMayBeClaimed;
  EXPECT_THAT(FaultyFields(rules), ElementsAre("idle_duration"));
  rules.shot_duration.reset();
  EXPECT_THAT(FaultyFields(rules), ElementsAre("idle_duration", "shot_duration"));
}

TEST(CheckCustomRules, WantsOneToFifteenShipsAndListsTheFaultsOfNoMore) {
  RuleSet rules = Tablu();
  rules.ships.clear();
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ships"));
  rules.ships.assign(1000, {"barca", 1});
  EXPECT_THAT(FaultyFields(rules), ::testing::SizeIs(15));
}

TEST(CheckCustomRules, WantsNamesThatCanBeShown) {
  for (const std::string& name :
       {std::string(), std::string("a\nb"), std::string("barca "), std::string("\xC3\xB1"),
        std::string(33, 'a'), std::string("a\0b", 3)}) {
    RuleSet rules = Tablu();
    rules.ships[2].id = name;
    EXPECT_THAT(FaultyFields(rules), ElementsAre("ships[2].id")) << base::Shown(name);
    rules.ships[2].id = "barca";
    if (name.empty()) continue;
    rules.ships[2].ship_class = name;
    EXPECT_THAT(FaultyFields(rules), ElementsAre("ships[2].ship_class")) << base::Shown(name);
  }
}

TEST(CheckCustomRules, WantsNamesThatDoNotStandForShipsOfTwoClasses) {
  RuleSet rules = Tablu();
  rules.ships = {{"A", 2}, {"a", 2}};
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ships[1].id"));
  rules.ships = {{"a", 2, "Barca"}, {"b", 2, "barca"}};
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ships[1].ship_class"));
  rules.ships = {{"barca", 2, "bote"}, {"nave", 3, "barca"}};
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ships[1].ship_class"));
  rules.ships = {{"nave", 3, "Barca"}, {"barca", 2}};
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ships[0].ship_class"));
  // A ship may be named as its own class is.
  rules.ships = {{"barca", 2, "barca"}, {"barca-2", 2, "barca"}, {"nave", 3}};
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
}

TEST(CheckCustomRules, WantsEnumValuesThatThereAre) {
  RuleSet rules = Tablu();
  rules.sunk_report = static_cast<SunkReport>(2);
  rules.turn_order = static_cast<TurnOrder>(3);
  rules.illegal_fleet = static_cast<IllegalFleet>(2);
  rules.clock_end = static_cast<ClockEnd>(255);
  EXPECT_THAT(FaultyFields(rules),
              ElementsAre("sunk_report", "turn_order", "illegal_fleet", "clock_end"));
}

TEST(CheckCustomRules, WantsADayInWhichToClaim) {
  RuleSet rules = Tablu();
  rules.clock_end = ClockEnd::kMayBeClaimed;
  rules.placement_duration = absl::Hours(48);
  rules.idle_duration = absl::Hours(72) - absl::Seconds(1);
  EXPECT_THAT(FaultyFields(rules), ElementsAre("idle_duration"));
  rules.idle_duration = absl::Hours(72);
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
  rules.shot_duration = absl::Hours(49);
  EXPECT_THAT(FaultyFields(rules), ElementsAre("idle_duration"));
  rules.clock_end = ClockEnd::kLoses;
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
}

TEST(CheckCustomRules, RefusesAFleetThatFindsNoRoom) {
  RuleSet rules = Tablu();
  rules.ships.clear();
  for (int i = 0; i < 9; ++i) rules.ships.push_back({absl::StrCat("nave ", i), 6});
  EXPECT_THAT(FaultyFields(rules), ElementsAre("ships"));
  rules.ships_may_touch = true;
  rules.ring_closed = false;
  EXPECT_THAT(CheckCustomRules(rules, Opponent::kPerson), IsOk());
}

// How many ships there are of each length from 1.
using Lengths = std::array<int, kMaxShipLength>;

bool HasRoom(const Lengths& lengths) {
  std::vector<int> ships;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    ships.insert(ships.end(), static_cast<std::size_t>(lengths[i]), static_cast<int>(i) + 1);
  }
  return CanAllBePlaced(ships, /*ships_may_touch=*/false);
}

// Calls `visit` with every fleet of 1 to kMaxShips ships of the lengths up to `length`, added to
// those in `lengths`.
template <typename Visit>
void ForEachFleet(int length, int left, Lengths& lengths, const Visit& visit) {
  if (length == 0) {
    if (left < kMaxShips) visit(lengths);
    return;
  }
  int& count = lengths[static_cast<std::size_t>(length - 1)];
  for (count = 0; count <= left; ++count) ForEachFleet(length - 1, left - count, lengths, visit);
  count = 0;
}

// Lays ships that may not touch one after the other, each as a rectangle with the squares to the
// right and below, at the first square of the 11 x 11 that is not decided yet; or leaves that free.
class Layer {
 public:
  static bool Lay(Lengths lengths) {
    std::array<unsigned, kSide> rows = {};
    return From(0, rows, lengths);
  }

 private:
  static constexpr int kSide = kCustomBoardSize + 1;
  static constexpr unsigned kRow = (1U << kSide) - 1;
  static constexpr unsigned kEvenColumns = 0x555;

  // `rows` holds a bit for each square that is decided.
  static bool From(int row, std::array<unsigned, kSide>& rows, Lengths& lengths) {
    if (std::accumulate(lengths.begin(), lengths.end(), 0) == 0) return true;
    while (row < kSide && rows[static_cast<std::size_t>(row)] == kRow) ++row;
    if (row == kSide || !RoomIsLeft(row, rows, lengths)) return false;
    const int column = std::countr_one(rows[static_cast<std::size_t>(row)]);
    for (int length = kMaxShipLength; length >= 1; --length) {
      int& left = lengths[static_cast<std::size_t>(length - 1)];
      if (left == 0) continue;
      for (const int height : {2, length + 1}) {
        const unsigned width = static_cast<unsigned>(length + 3 - height);
        const unsigned squares = ((1U << width) - 1) << column;
        if (!Fits(row, height, squares, rows)) continue;
        --left;
        Flip(row, height, squares, rows);
        const bool laid = From(row, rows, lengths);
        Flip(row, height, squares, rows);
        ++left;
        if (laid) return true;
      }
    }
    Flip(row, 1, 1U << column, rows);
    const bool laid = From(row, rows, lengths);
    Flip(row, 1, 1U << column, rows);
    return laid;
  }

  // Each ship takes 2 * (length + 1) squares, (length + 1) / 2 at least of each of the four kinds
  // that rows and columns, even or odd, make.
  static bool RoomIsLeft(int first, const std::array<unsigned, kSide>& rows,
                         const Lengths& lengths) {
    int needed = 0;
    int area = 0;
    for (int length = 1; length <= kMaxShipLength; ++length) {
      const int ships = lengths[static_cast<std::size_t>(length - 1)];
      needed += ships * ((length + 1) / 2);
      area += ships * 2 * (length + 1);
    }
    std::array<int, 4> open = {};
    for (int row = first; row < kSide; ++row) {
      const unsigned free = kRow & ~rows[static_cast<std::size_t>(row)];
      open[static_cast<std::size_t>(row % 2)] += std::popcount(free & kEvenColumns);
      open[static_cast<std::size_t>(2 + row % 2)] += std::popcount(free & ~kEvenColumns);
    }
    return std::accumulate(open.begin(), open.end(), 0) >= area &&
           *std::min_element(open.begin(), open.end()) >= needed;
  }

  static bool Fits(int row, int height, unsigned squares, const std::array<unsigned, kSide>& rows) {
    if ((squares & ~kRow) != 0 || row + height > kSide) return false;
    for (int i = row; i < row + height; ++i) {
      if ((rows[static_cast<std::size_t>(i)] & squares) != 0) return false;
    }
    return true;
  }

  static void Flip(int row, int height, unsigned squares, std::array<unsigned, kSide>& rows) {
    for (int i = row; i < row + height; ++i) rows[static_cast<std::size_t>(i)] ^= squares;
  }
};

// Whether no ship can be added or lengthened, so that every fleet with room is part of such a one.
bool IsLargest(const Lengths& lengths) {
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    Lengths larger = lengths;
    ++larger[i];
    if (std::accumulate(larger.begin(), larger.end(), 0) <= kMaxShips && HasRoom(larger)) {
      return false;
    }
    if (i == 0 || lengths[i - 1] == 0) continue;
    --larger[i - 1];
    if (HasRoom(larger)) return false;
  }
  return true;
}

// That fleets beyond the two sums find no room is proved where the sums stand.
TEST(CanAllBePlaced, SaysYesToNoFleetThatFindsNoRoom) {
  Lengths lengths = {};
  int laid = 0;
  ForEachFleet(kMaxShipLength, kMaxShips, lengths, [&laid](const Lengths& fleet) {
    if (!HasRoom(fleet) || !IsLargest(fleet)) return;
    ++laid;
    EXPECT_TRUE(Layer::Lay(fleet)) << ::testing::PrintToString(fleet);
  });
  EXPECT_GT(laid, 100);
}

}  // namespace
}  // namespace naval::rules
