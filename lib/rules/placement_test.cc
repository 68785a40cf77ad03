#include "lib/rules/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "lib/base/random.h"
#include "lib/rules/crowded.h"
#include "lib/rules/open_places.h"
#include "lib/rules/test_match.h"
#include "tests/support/status_matchers.h"

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Square At(absl::string_view name) { return Square::Parse(name).value(); }

Fleet Parsed(absl::string_view text) { return ParseFleet(Tablu(), text).value(); }

std::vector<Violation> Check(absl::string_view text) { return CheckFleet(Tablu(), Parsed(text)); }

// A rule set of ships with these lengths, named a, b, c and so on.
RuleSet RulesOf(int board_size, const std::vector<int>& lengths, bool may_touch) {
  RuleSet rules;
  rules.board_size = board_size;
  rules.ships_may_touch = may_touch;
  for (const int length : lengths) {
    const char id = static_cast<char>('a' + rules.ships.size());
    rules.ships.push_back({std::string(1, id), length});
  }
  return rules;
}

// Whether the ships of a part of a fleet break no rule.
bool IsLegalPart(const RuleSet& rules, const Fleet& part) {
  const std::vector<Violation> violations = CheckFleet(rules, part);
  return std::all_of(violations.begin(), violations.end(), [](const Violation& violation) {
    return violation.kind == ViolationKind::kMissingShip;
  });
}

// Every legal completion, found without any of the code under test but CheckFleet.
void Enumerate(const RuleSet& rules, Fleet& fleet, std::size_t ship, std::vector<Fleet>& found) {
  if (!IsLegalPart(rules, fleet)) return;
  if (ship == rules.ships.size()) return found.push_back(fleet);
  const bool stands = std::any_of(fleet.begin(), fleet.end(), [ship](const ShipPlacement& placed) {
    return placed.ship == static_cast<int>(ship);
  });
  if (stands) return Enumerate(rules, fleet, ship + 1, found);
  for (const Square bow : SquareSet::Board(rules.board_size)) {
    for (const Orientation orientation : {Orientation::kHorizontal, Orientation::kVertical}) {
      if (rules.ships[ship].length == 1 && orientation == Orientation::kVertical) continue;
      fleet.push_back({static_cast<int>(ship), bow, orientation});
      Enumerate(rules, fleet, ship + 1, found);
      fleet.pop_back();
    }
  }
}

std::vector<Fleet> AllCompletions(const RuleSet& rules, Fleet kept) {
  std::vector<Fleet> found;
  Enumerate(rules, kept, 0, found);
  return found;
}

// One for each fleet, whatever the order of its ships.
std::string Key(Fleet fleet) {
  std::sort(fleet.begin(), fleet.end(),
            [](const ShipPlacement& a, const ShipPlacement& b) { return a.ship < b.ship; });
  std::string key;
  for (const ShipPlacement& ship : fleet) {
    key += static_cast<char>(ship.bow.index());
    key += ship.orientation == Orientation::kHorizontal ? 'r' : 'd';
  }
  return key;
}

// Draws 20 times as often as there are completions, and compares how often each came with what is
// likely when each is as likely as any other.
void ExpectUniform(const std::vector<Fleet>& all, absl::FunctionRef<Fleet()> draw) {
  ASSERT_GT(all.size(), 1U);
  constexpr int kDrawsEach = 20;
  std::map<std::string, int> count;
  for (const Fleet& fleet : all) count[Key(fleet)] = 0;
  for (std::size_t i = 0; i < all.size() * kDrawsEach; ++i) ++count[Key(draw())];
  ASSERT_EQ(count.size(), all.size()) << "a completion was drawn that is not legal";
  double chi_square = 0;
  for (const auto& [key, drawn] : count) {
    chi_square += (drawn - kDrawsEach) * (drawn - kDrawsEach) / static_cast<double>(kDrawsEach);
  }
  const double freedom = static_cast<double>(all.size() - 1);
  EXPECT_LT(chi_square, freedom + 4 * std::sqrt(2 * freedom)) << all.size() << " completions";
}

// The fleet of a choice.
Fleet ToFleet(const OpenPlaces& open, const Choice& choice, Fleet fleet) {
  std::size_t next = 0;
  for (const OpenShips& ships : open.lengths) {
    for (const int ship : ships.ships) {
      fleet.push_back(ships.places[choice.at(next++)]);
      fleet.back().ship = ship;
    }
  }
  return fleet;
}

TEST(ShipSquares, GoRightOrDownFromTheBow) {
  EXPECT_THAT(ShipSquares(Tablu(), Parsed("fragata C7 right")[0]).value(),
              ElementsAre(At("C7"), At("D7"), At("E7")));
  EXPECT_THAT(ShipSquares(Tablu(), Parsed("fragata C7 down")[0]).value(),
              ElementsAre(At("C7"), At("C8"), At("C9")));
  EXPECT_EQ(ShipSquareSet(Tablu(), Parsed("lancha J9 down")[0]).value().ToString(), "J9 J10");
}

// rule: T-04
TEST(ShipSquares, AreNoneForAShipThatLeavesTheBoard) {
  EXPECT_EQ(ShipSquares(Tablu(), Parsed("lancha J9 right")[0]), std::nullopt);
  EXPECT_EQ(ShipSquares(Tablu(), Parsed("portaaviones C7 down")[0]), std::nullopt);
  EXPECT_EQ(ShipSquares(RulesOf(4, {1}, false), {0, At("E1"), Orientation::kHorizontal}),
            std::nullopt);
}

TEST(CheckFleet, FindsNothingInALegalFleet) {
  EXPECT_THAT(CheckFleet(Tablu(), RowsFleet()), IsEmpty());
}

// rule: T-02
TEST(CheckFleet, NamesEachMissingShip) {
  EXPECT_THAT(Check("fragata A1 right, lancha J9 down"),
              ElementsAre(Violation{ViolationKind::kMissingShip, 0, {}},
                          Violation{ViolationKind::kMissingShip, 1, {}},
                          Violation{ViolationKind::kMissingShip, 3, {}}));
}

// rule: T-02
TEST(CheckFleet, NamesAShipThatStandsTwiceOnceAndLooksAtItsFirstPlaceOnly) {
  Fleet fleet = RowsFleet();
  for (int i = 0; i < 1000; ++i) fleet.push_back(fleet[0]);
  EXPECT_THAT(CheckFleet(Tablu(), fleet),
              ElementsAre(Violation{ViolationKind::kDuplicateShip, 0, {}}));
}

// rule: T-04
TEST(CheckFleet, NamesEveryPairThatOverlapsOrTouches) {
  EXPECT_THAT(Check("portaaviones A1 right, acorazado E1 down, fragata G1 right, "
                    "submarino F5 right, lancha J10 right"),
              ElementsAre(Violation{ViolationKind::kOverlap, 0, 1},
                          Violation{ViolationKind::kTouching, 1, 3},
                          Violation{ViolationKind::kOutOfBoard, 4, {}}));
}

// rule: T-04
TEST(CheckFleet, ShipsTouchAtCornersTooButNotAcrossOneSquareOfWater) {
  const RuleSet rules = RulesOf(10, {2, 2}, false);
  const auto kinds = [&rules](absl::string_view text) {
    return CheckFleet(rules, ParseFleet(rules, text).value());
  };
  EXPECT_THAT(kinds("a C3 right, b E4 right"),
              ElementsAre(Violation{ViolationKind::kTouching, 0, 1}));
  EXPECT_THAT(kinds("a C3 right, b A2 right"),
              ElementsAre(Violation{ViolationKind::kTouching, 0, 1}));
  EXPECT_THAT(kinds("a C3 right, b E3 right"),
              ElementsAre(Violation{ViolationKind::kTouching, 0, 1}));
  EXPECT_THAT(kinds("a C3 right, b F3 right"), IsEmpty());
  EXPECT_THAT(kinds("a C3 right, b C5 right"), IsEmpty());
  // The last square of a column and the first of the next one are no neighbours.
  EXPECT_THAT(kinds("a A9 down, b B1 down"), IsEmpty());
}

TEST(CheckFleet, ShipsMayTouchButNotOverlapWhereTheRuleSetSaysSo) {
  const RuleSet rules = RulesOf(10, {2, 2}, true);
  EXPECT_THAT(CheckFleet(rules, ParseFleet(rules, "a C3 right, b E3 right").value()), IsEmpty());
  EXPECT_THAT(CheckFleet(rules, ParseFleet(rules, "a C3 right, b D3 right").value()),
              ElementsAre(Violation{ViolationKind::kOverlap, 0, 1}));
}

// Legal fleets, exact, as tools/long/fleets counts them: how many there are, ships of one length
// being alike, and how many squares of ships they have together on each kind of square. Turned and
// mirrored the board has fifteen kinds, in the order (0, 0), (0, 1) ... (0, 4), (1, 1) ... (4, 4).
struct Counted {
  std::vector<int> lengths;
  bool may_touch;
  double fleets;
  std::array<double, 15> squares;
  // How many to draw: enough to find out a generator that is not uniform.
  int draws;
};

const Counted kCounted[] = {
    // Tablú and Selminha.
    {{5, 4, 3, 3, 2},
     false,
     1925751392,
     {918853072, 2322501056, 2871594504, 3061485328, 3161535144, 1104951752, 2463276480, 2434149344,
      2417998840, 1357385288, 2678566376, 2670364216, 1316071112, 2633297432, 1325743720},
     5000},
    // Clásica.
    {{4, 3, 3, 2, 2, 2, 1, 1, 1, 1},
     false,
     1855545978831780,
     {1753950912756864, 3344517862030328, 3806361951457816, 3735890052116624, 3672004325910448,
      1095975670233680, 2491049312181112, 2297851070714248, 2296524171786904, 1513336542502008,
      2858941380295048, 2889017097318336, 1322609411162984, 2678053013422112, 1354836802747088},
     2000},
    // Salvo, fleet A.
    {{5, 4, 3, 2},
     true,
     269056552,
     {67600272, 196104504, 243931760, 277541712, 295413608, 123564216, 287320336, 315597952,
      330660368, 160980720, 346442608, 359562064, 184426880, 380983672, 196661056},
     5000},
};

// How far a sample of fleets is from uniform.
struct Distance {
  // Of the mean number of border squares a fleet, in standard deviations.
  double border = 0;
  // Sum over the squares of the squared deviations; about 100 where it is uniform.
  double chi_square = 0;

  bool small() const { return std::abs(border) < 4 && chi_square < 175; }
};

Distance Measure(const Counted& counted, const RuleSet& rules, absl::FunctionRef<Fleet()> draw) {
  const int fleets = counted.draws;
  const auto kind = [](Square square) {
    const int a = std::min(square.column(), 9 - square.column());
    const int b = std::min(square.row(), 9 - square.row());
    constexpr int kFirst[] = {0, 5, 9, 12, 14};
    return static_cast<std::size_t>(kFirst[std::min(a, b)] + std::abs(a - b));
  };
  std::array<int, 15> squares_of = {};
  for (const Square square : SquareSet::Board(10)) ++squares_of[kind(square)];
  std::array<int, kMaxSquares> count = {};
  double sum = 0;
  double squared = 0;
  for (int i = 0; i < fleets; ++i) {
    int border = 0;
    for (const Square square : FleetSquareSet(rules, draw())) {
      ++count[static_cast<std::size_t>(square.index())];
      border += kind(square) < 5 ? 1 : 0;
    }
    sum += border;
    squared += border * border;
  }
  Distance distance;
  double exact = 0;
  for (std::size_t i = 0; i < 5; ++i) exact += counted.squares[i] / counted.fleets;
  const double mean = sum / fleets;
  distance.border = (mean - exact) / std::sqrt((squared / fleets - mean * mean) / fleets);
  for (const Square square : SquareSet::Board(10)) {
    const double p = counted.squares[kind(square)] / counted.fleets / squares_of[kind(square)];
    const double difference = count[static_cast<std::size_t>(square.index())] - fleets * p;
    distance.chi_square += difference * difference / (fleets * p * (1 - p));
  }
  return distance;
}

// The generator that comes to mind first: the ships one after the other, each wherever it is free.
// Not uniform: what is left for the later ships tells nothing of the odds.
Fleet OneAfterTheOther(const RuleSet& rules, const std::vector<std::vector<ShipPlace>>& places,
                       base::Random& random) {
  Fleet fleet;
  SquareSet taken;
  for (const std::vector<ShipPlace>& of_ship : places) {
    const ShipPlace* place = nullptr;
    do {
      place = &of_ship[random.Uniform(of_ship.size())];
    } while (place->squares.Intersects(taken));
    fleet.push_back(place->placement);
    taken |= rules.ships_may_touch ? place->squares : place->squares | Ring(place->squares);
  }
  return fleet;
}

// rule: T-05
TEST(CompleteFleet, DrawsWholeFleetsUniformlyAsAGeneratorThatIsNotIsFoundOut) {
  constexpr std::uint64_t kSeed = 3;
  for (const Counted& counted : kCounted) {
    const RuleSet rules = RulesOf(10, counted.lengths, counted.may_touch);
    SCOPED_TRACE(::testing::PrintToString(counted.lengths));
    base::SeededRandom random(kSeed);
    const Distance uniform =
        Measure(counted, rules, [&] { return CompleteFleet(rules, {}, random).value(); });
    EXPECT_TRUE(uniform.small()) << uniform.border << ", " << uniform.chi_square;
    std::vector<std::vector<ShipPlace>> places;
    for (std::size_t ship = 0; ship < rules.ships.size(); ++ship) {
      places.push_back(ShipPlaces(rules, static_cast<int>(ship)));
    }
    const Distance biased =
        Measure(counted, rules, [&] { return OneAfterTheOther(rules, places, random); });
    EXPECT_FALSE(biased.small()) << biased.border << ", " << biased.chi_square;
  }
}

// A board with some ships on it, so small that every completion can be listed.
struct SmallWorld {
  int board_size;
  std::vector<int> lengths;
  bool may_touch;
  const char* kept;
};

const SmallWorld kSmallWorlds[] = {
    {5, {3, 2, 2}, false, "b C3 right"},
    {5, {3, 2, 2}, false, "a B3 right"},
    {5, {3, 2, 2}, false, "c D5 right, b A1 right"},
    {4, {2, 1, 1}, false, ""},
    {3, {3, 2, 1}, true, ""},
    {4, {3, 3, 2, 2}, true, "a A1 right, d D3 down"},
    {6, {1, 2, 1, 2}, false, "c D3 right, d F1 down"},
};

// rule: T-05
TEST(CompleteFleet, DrawsUniformlyFromAllCompletionsOfWhatIsKept) {
  for (const SmallWorld& world : kSmallWorlds) {
    SCOPED_TRACE(::testing::PrintToString(world.lengths) + world.kept);
    const RuleSet rules = RulesOf(world.board_size, world.lengths, world.may_touch);
    const Fleet kept = ParseFleet(rules, world.kept).value();
    base::SeededRandom random(5);
    ExpectUniform(AllCompletions(rules, kept),
                  [&] { return CompleteFleet(rules, kept, random).value(); });
  }
}

// rule: T-05
TEST(CompleteFleet, DrawsUniformlyFromTheCompletionsOfATabluDraft) {
  const Fleet kept =
      Parsed("acorazado F2 down, fragata F8 down, submarino B6 right, portaaviones J1 down");
  base::SeededRandom random(5);
  ExpectUniform(AllCompletions(Tablu(), kept),
                [&] { return CompleteFleet(Tablu(), kept, random).value(); });
}

// What CompleteFleet turns to on crowded boards, on boards that are none.
// rule: T-05
TEST(EachWayToDraw, IsUniform) {
  using Way = std::function<std::optional<Choice>(const OpenPlaces&, base::Random&)>;
  const std::pair<const char*, Way> ways[] = {
      {"counting",
       [](const OpenPlaces& open, base::Random& random) {
         return DrawByCounting(open, 10'000, random).choice;
       }},
      {"thinning", [](const OpenPlaces& open,
                      base::Random& random) { return DrawByThinning(open, 100'000, random); }},
      // Not exactly: closer than this shows.
      {"population", [](const OpenPlaces& open,
                        base::Random& random) { return DrawFromPopulation(open, 100, random); }},
  };
  for (const SmallWorld& world : kSmallWorlds) {
    const RuleSet rules = RulesOf(world.board_size, world.lengths, world.may_touch);
    const Fleet kept = ParseFleet(rules, world.kept).value();
    const std::vector<Fleet> all = AllCompletions(rules, kept);
    // Counting and a population cost much more for one draw than a try does.
    if (all.size() > 200) continue;
    const OpenPlaces open = FindOpenPlaces(rules, kept);
    for (const auto& [name, way] : ways) {
      SCOPED_TRACE(::testing::PrintToString(world.lengths) + world.kept + ", by " + name);
      base::SeededRandom random(6);
      ExpectUniform(all,
                    [&, &way = way] { return ToFleet(open, way(open, random).value(), kept); });
    }
  }
}

// The proof that thinning is uniform needs no more than this. Ships laid one after the other are
// laid most densely where each keeps to the border or to those before it.
TEST(MostPlaces, AreNeverFewerThanThePlacesThatShipsHave) {
  base::SeededRandom random(7);
  for (const Counted& counted : kCounted) {
    const OpenPlaces open = FindOpenPlaces(RulesOf(10, counted.lengths, counted.may_touch), {});
    const std::vector<std::uint64_t> most = MostPlaces(open);
    for (int fleets = 0; fleets < 200; ++fleets) {
      Footprint taken = 0;
      std::size_t next = 0;
      for (const OpenShips& ships : open.lengths) {
        for (std::size_t ship = 0; ship < ships.ships.size(); ++ship) {
          std::vector<Footprint> free;
          for (const Footprint footprint : ships.footprints) {
            if ((footprint & taken) == 0) free.push_back(footprint);
          }
          ASSERT_LE(free.size(), most[next++]);
          if (free.empty()) break;
          // Half of the fleets from the first corner on, as close as they can lie.
          taken |= free[random.Uniform(fleets % 2 == 0 ? free.size()
                                                       : std::min<std::size_t>(free.size(), 3))];
        }
      }
    }
  }
}

TEST(DrawByCounting, CountsFleetsThatNearlyFillTheBoard) {
  base::SeededRandom random(1);
  const auto count = [&](const std::vector<int>& lengths, bool may_touch) {
    const RuleSet rules = RulesOf(10, lengths, may_touch);
    return DrawByCounting(FindOpenPlaces(rules, {}), 20'000, random).completions;
  };
  // In the one way and in its mirror image.
  EXPECT_EQ(count(std::vector<int>(12, 4), false), 2U);
  EXPECT_EQ(count(std::vector<int>(8, 6), false), 2U);
  EXPECT_EQ(count(std::vector<int>(10, 4), true), std::nullopt) << "within so few states";
}

// Fifteen ships of 6 leave ten squares, twelve of 4 that may not touch leave none for another; of
// the others some need every way there is.
// rule: A-01
TEST(CompleteFleet, LaysEveryFleetThatFindsRoom) {
  constexpr std::uint64_t kSeed = 1;
  const std::pair<std::vector<int>, bool> fleets[] = {
      {std::vector<int>(15, 6), true},
      {std::vector<int>(15, 4), true},
      {std::vector<int>(12, 4), false},
      {{6, 6, 5, 5, 4, 3, 2, 2, 2, 2, 2, 2, 2, 1, 1}, false},
      {{6, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 2}, false},
  };
  base::SeededRandom random(kSeed);
  for (const auto& [lengths, may_touch] : fleets) {
    const RuleSet rules = RulesOf(10, lengths, may_touch);
    const absl::StatusOr<Fleet> fleet = CompleteFleet(rules, {}, random);
    ASSERT_TRUE(fleet.ok()) << ::testing::PrintToString(lengths);
    EXPECT_THAT(CheckFleet(rules, *fleet), IsEmpty()) << ::testing::PrintToString(lengths);
  }
}

// Nine ships of one square fit on this board in one pattern only: a try succeeds once in a million,
// and with a ship in its way never.
// rule: T-05
TEST(CompleteFleet, CountsTheCompletionsWhereTriesAreHopeless) {
  const RuleSet rules = RulesOf(5, {1, 1, 1, 1, 1, 1, 1, 1, 1}, false);
  constexpr std::uint64_t kSeed = 3;
  base::SeededRandom random(kSeed);
  std::map<Square, int> second_ship;
  for (int fleets = 0; fleets < 12; ++fleets) {
    const Fleet fleet =
        CompleteFleet(rules, ParseFleet(rules, "a A1 right").value(), random).value();
    ASSERT_THAT(CheckFleet(rules, fleet), IsEmpty());
    ++second_ship[fleet[1].bow];
  }
  EXPECT_GE(second_ship.size(), 5U) << "seed " << kSeed;
  EXPECT_THAT(CompleteFleet(rules, ParseFleet(rules, "a B1 right").value(), random),
              HasReason("NO_LEGAL_COMPLETION"));
}

// rule: T-05
TEST(CompleteFleet, LeavesTheKeptShipsInFrontAsTheyAre) {
  base::SeededRandom random(1);
  const Fleet kept = Parsed("lancha C3 down, portaaviones F10 right");
  const Fleet fleet = CompleteFleet(Tablu(), kept, random).value();
  ASSERT_EQ(fleet.size(), 5U);
  EXPECT_EQ(Fleet(fleet.begin(), fleet.begin() + 2), kept);
  EXPECT_EQ(CompleteFleet(Tablu(), RowsFleet(), random).value(), RowsFleet());
}

constexpr absl::string_view kNoRoomForFive =
    "acorazado F2 down, fragata F8 down, submarino B6 right, lancha I6 right";

// rule: T-05
TEST(CompleteFleet, FindsThatThereIsNoLegalCompletion) {
  base::SeededRandom random(1);
  ASSERT_THAT(AllCompletions(Tablu(), Parsed(kNoRoomForFive)), IsEmpty());
  for (const absl::string_view kept :
       {kNoRoomForFive, absl::string_view("lancha A1 right, fragata A2 right"),
        absl::string_view("lancha J1 right"),
        absl::string_view("lancha A1 right, lancha A5 right")}) {
    const absl::StatusOr<Fleet> fleet = CompleteFleet(Tablu(), Parsed(kept), random);
    EXPECT_THAT(fleet, StatusIs(absl::StatusCode::kFailedPrecondition)) << kept;
    EXPECT_THAT(fleet, HasReason("NO_LEGAL_COMPLETION")) << kept;
  }
}

// rule: T-07
TEST(CompleteDraft, KeepsTheShipsOfALegalDraft) {
  base::SeededRandom random(1);
  const Fleet draft = Parsed("lancha C3 down, portaaviones F10 right");
  const Fleet fleet = CompleteDraft(Tablu(), draft, random);
  EXPECT_THAT(CheckFleet(Tablu(), fleet), IsEmpty());
  EXPECT_EQ(Fleet(fleet.begin(), fleet.begin() + 2), draft);
}

// rule: T-07
TEST(CompleteDraft, DropsTheLatestShipsUntilThereIsACompletion) {
  base::SeededRandom random(1);
  const Fleet no_room = Parsed(kNoRoomForFive);
  Fleet fleet = CompleteDraft(Tablu(), no_room, random);
  EXPECT_THAT(CheckFleet(Tablu(), fleet), IsEmpty());
  EXPECT_EQ(Fleet(fleet.begin(), fleet.begin() + 3), Fleet(no_room.begin(), no_room.begin() + 3));
  EXPECT_EQ(std::count(fleet.begin(), fleet.end(), no_room[3]), 0);

  // The second ship touches the first, the third is as good as any, but was placed later.
  const Fleet touching = Parsed("fragata A1 right, lancha A2 right, portaaviones A10 right");
  fleet = CompleteDraft(Tablu(), touching, random);
  EXPECT_THAT(CheckFleet(Tablu(), fleet), IsEmpty());
  EXPECT_EQ(fleet[0], touching[0]);
  EXPECT_EQ(std::count(fleet.begin(), fleet.end(), touching[1]), 0);

  // Even the first ship may have to go.
  EXPECT_THAT(CheckFleet(Tablu(), CompleteDraft(Tablu(), Parsed("lancha J1 right"), random)),
              IsEmpty());
}

TEST(ShuffleAlike, GivesEachShipOfAClassEachPlaceEvenly) {
  RuleSet rules = Chosen({.rule_set = "clasica"});
  base::SeededRandom random(5);
  const Fleet fleet = CompleteFleet(rules, {}, random).value();
  constexpr int kDraws = 2400;
  std::map<std::vector<int>, int> orders;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Fleet shuffled = ShuffleAlike(rules, fleet, random);
    ASSERT_THAT(CheckFleet(rules, shuffled), ::testing::IsEmpty());
    std::vector<int> torpederas;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      EXPECT_EQ(shuffled[i].bow, fleet[i].bow);
      EXPECT_EQ(rules.ships[static_cast<std::size_t>(shuffled[i].ship)].length,
                rules.ships[static_cast<std::size_t>(fleet[i].ship)].length);
      if (fleet[i].ship >= 6) torpederas.push_back(shuffled[i].ship);
    }
    ++orders[torpederas];
  }
  ASSERT_EQ(orders.size(), 24U);
  for (const auto& [order, count] : orders) EXPECT_NEAR(count, kDraws / 24.0, 5 * 10);
}

// Or a Tablú match of old would draw otherwise than it did.
TEST(ShuffleAlike, DrawsNothingWhereEachShipIsOneOfItsKind) {
  base::SeededRandom random(1);
  base::SeededRandom untouched(1);
  EXPECT_EQ(ShuffleAlike(Tablu(), RowsFleet(), random), RowsFleet());
  EXPECT_EQ(random.Uniform(1'000'000), untouched.Uniform(1'000'000));
}

}  // namespace
}  // namespace naval::rules
