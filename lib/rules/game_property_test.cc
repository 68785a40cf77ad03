#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/random.h"
#include "lib/rules/custom_rules.h"
#include "lib/rules/game.h"
#include "lib/rules/game_state.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/test_match.h"
#include "lib/rules/view.h"
#include "lib/rules/volley.h"
#include "tests/support/status_matchers.h"

// What holds in every match, tried on random ones. A failure names the seed that repeats it.

namespace naval::rules {
namespace {

using naval::testing::HasReason;
using naval::testing::StatusIs;
using ::testing::IsEmpty;

constexpr std::uint64_t kMatches = 30;
constexpr std::uint64_t kTwins = 80;
constexpr std::uint64_t kRestored = 40;
constexpr int kMostSteps = 5000;

int Below(int bound, base::Random& random) {
  return static_cast<int>(random.Uniform(static_cast<std::uint64_t>(bound)));
}

Seat AnySeat(base::Random& random) { return random.Uniform(2) == 0 ? Seat::kFirst : Seat::kSecond; }

Square AnySquare(base::Random& random) { return Square::FromIndex(Below(kMaxSquares, random)); }

// What a player must be told of shots at a fleet, found out from the ships alone: how many squares
// of each class they hit, and which ships they sink after the shots before.
struct Result {
  std::vector<int> hits;
  std::vector<ShipPlacement> sunk;
  friend bool operator==(const Result&, const Result&) = default;
};

Result ResultOf(const Game& game, Seat shooter, SquareSet squares) {
  const RuleSet& rules = game.rules();
  SquareSet before;
  for (const ShotMark& shot : game.sea(Rival(shooter))->shots()) before.Add(shot.square);
  const std::vector<absl::string_view> classes = ShipClasses(rules);
  Result result{std::vector<int>(classes.size()), {}};
  for (const ShipPlacement& placement : game.fleet(Rival(shooter))) {
    const SquareSet ship = ShipSquareSet(rules, placement).value();
    const SquareSet hit = ship & squares;
    if (hit.empty()) continue;
    const Ship& kind = rules.ships[static_cast<std::size_t>(placement.ship)];
    const auto found = std::find(classes.begin(), classes.end(), ClassOf(kind));
    result.hits[static_cast<std::size_t>(found - classes.begin())] += hit.size();
    if (!(before | squares).ContainsAll(ship)) continue;
    // Where only the class is told, the place is not.
    result.sunk.push_back(rules.sunk_report == SunkReport::kShip ? placement
                                                                 : ShipPlacement{placement.ship});
  }
  std::sort(result.sunk.begin(), result.sunk.end(),
            [](const auto& left, const auto& right) { return left.ship < right.ship; });
  return result;
}

// The same of a single shot, of which a hit does not say which ship it was (M-05).
Result ResultOf(const Game& game, Seat shooter, Square square) {
  Result result = ResultOf(game, shooter, SquareSet{square});
  if (result.sunk.empty()) {
    const bool hit = game.sea(Rival(shooter))->ShipAt(square).has_value();
    result.hits = {hit ? 1 : 0};
  }
  return result;
}

// Any ships anywhere: legal as seldom as what a hostile client sends.
Fleet AnyDraft(const RuleSet& rules, base::Random& random) {
  const int ships = static_cast<int>(rules.ships.size());
  Fleet draft;
  for (int left = Below(ships + 2, random); left > 0; --left) {
    draft.push_back({Below(ships + 1, random), AnySquare(random),
                     random.Uniform(2) == 0 ? Orientation::kHorizontal : Orientation::kVertical});
  }
  return draft;
}

// Part of a legal fleet.
Fleet LegalDraft(const RuleSet& rules, base::Random& random) {
  Fleet fleet = CompleteFleet(rules, {}, random).value();
  fleet.resize(random.Uniform(fleet.size() + 1));
  return fleet;
}

Command PlacementCommand(const RuleSet& rules, base::Random& random) {
  const Seat seat = AnySeat(random);
  switch (Below(8, random)) {
    case 0:
      return PlaceFleet{seat, AnyDraft(rules, random)};
    case 1:
      return ProposeFleet{seat, AnyDraft(rules, random)};
    case 2:
      return ConfirmFleet{seat, AnyDraft(rules, random)};
    case 3:
    case 4:
      return ProposeFleet{seat, LegalDraft(rules, random)};
    case 5:
      return ConfirmFleet{seat, CompleteFleet(rules, {}, random).value()};
    default:
      return PlaceFleet{seat, LegalDraft(rules, random)};
  }
}

// Mostly one that is taken.
FireShots AnyVolley(const Game& game, base::Random& random) {
  FireShots volley{AnySeat(random), {}, game.round()};
  const Sea& target = *game.sea(Rival(volley.seat));
  SquareSet open = target.open();
  for (int left = VolleySize(game.rules(), game.sea(volley.seat), &target); left > 0; --left) {
    volley.squares.push_back(open.Nth(Below(open.size(), random)));
    open.Remove(volley.squares.back());
  }
  if (random.Uniform(8) == 0) volley.squares.back() = AnySquare(random);
  if (random.Uniform(16) == 0) --volley.round;
  return volley;
}

Command AnyCommand(const Game& game, base::Random& random) {
  switch (Below(game.phase() == Phase::kPlacement ? 9 : 40, random)) {
    case 0:
      return Tick{};
    case 1:
      return Resume{};
    case 2:
      return FireShots{AnySeat(random), {AnySquare(random)}};
    case 3:
      if (random.Uniform(2) == 0) return ClaimAbsence{AnySeat(random)};
      return FireShots{AnySeat(random), {}};
    case 4:
      if (random.Uniform(50) == 0) return Resign{AnySeat(random)};
      return Tick{};
    case 5:
    case 6:
    case 7:
    case 8:
      return PlacementCommand(game.rules(), random);
    default:
      if (game.round() > 0) return AnyVolley(game, random);
      return FireShots{game.turn().value_or(Seat::kFirst), {AnySquare(random)}};
  }
}

GameSettings AnySettings(base::Random& random) {
  const Preset& preset = AllRuleSets()[random.Uniform(AllRuleSets().size())];
  const RulesChoice choice = {
      .rule_set = preset.rules.id,
      .one_shot_per_turn = preset.offers_one_shot_per_turn && random.Uniform(2) == 0,
      .untimed = random.Uniform(4) == 0,
      .fleet_b = !preset.fleet_b.empty() && random.Uniform(2) == 0,
      .volley = preset.offers_volley && random.Uniform(2) == 0,
      .pace = preset.paces[random.Uniform(preset.paces.size())]};
  GameSettings settings = {Chosen(choice), {}};
  if (random.Uniform(2) == 0) settings.starter = AnySeat(random);
  return settings;
}

// Rules that a player made up, with fleets that are soon laid.
RuleSet AnyCustomRules(base::Random& random) {
  const auto maybe = [&random](absl::Duration duration) {
    return random.Uniform(2) == 0 ? std::optional(duration) : std::nullopt;
  };
  RuleSet rules{.id = "custom",
                .ships_may_touch = random.Uniform(2) == 0,
                .ring_closed = false,
                .sunk_report = SunkReport::kClass,
                .turn_order = static_cast<TurnOrder>(random.Uniform(3)),
                .illegal_fleet = static_cast<IllegalFleet>(random.Uniform(2)),
                .clock_end = static_cast<ClockEnd>(random.Uniform(3)),
                .placement_duration = maybe(absl::Seconds(30)),
                .shot_duration = maybe(absl::Seconds(5)),
                .strikes_to_lose = 1 + Below(4, random),
                .idle_duration = absl::Hours(72)};
  if (rules.clock_end != ClockEnd::kMayBeClaimed) rules.idle_duration = maybe(absl::Hours(24));
  if (rules.turn_order != TurnOrder::kVolley && random.Uniform(2) == 0) {
    rules.sunk_report = SunkReport::kShip;
    rules.ring_closed = !rules.ships_may_touch && random.Uniform(2) == 0;
  }
  if (rules.turn_order == TurnOrder::kVolley) {
    rules.shots_per_turn.reset();
    if (random.Uniform(2) == 0) rules.shots_per_turn = 1 + Below(kMaxShotsPerTurn, random);
  }
  for (int ship = Below(6, random); ship >= 0; --ship) {
    const int length = 1 + Below(4, random);
    rules.ships.push_back({.id = absl::StrCat("ship-", ship),
                           .length = length,
                           .ship_class = absl::StrCat("class-", length),
                           .shots = length});
  }
  NAVAL_CHECK(CheckCustomRules(rules, Opponent::kBot).ok());
  return rules;
}

// By any rules, those of a table's own included.
GameSettings AnySettingsAtAll(base::Random& random) {
  if (random.Uniform(2) == 0) return AnySettings(random);
  return {AnyCustomRules(random),
          random.Uniform(2) == 0 ? std::optional<Seat>(AnySeat(random)) : std::nullopt};
}

int CountEnds(const std::vector<Event>& log) {
  int ends = 0;
  for (const Event& event : log) ends += std::holds_alternative<MatchEnded>(event) ? 1 : 0;
  return ends;
}

// What must hold of a match that is over, whatever ended it.
void ExpectOver(TestMatch& match, base::Random& random) {
  EXPECT_EQ(CountEnds(match.log()), 1);
  EXPECT_TRUE(std::holds_alternative<MatchEnded>(match.log().back()));
  EXPECT_EQ(match.game().NextDeadline(), std::nullopt);
  EXPECT_EQ(match.game().turn(), std::nullopt);
  for (const Seat seat : kSeats) {
    for (const Command& command :
         {Command(PlaceFleet{seat, {}}), Command(ProposeFleet{seat, {}}),
          Command(ConfirmFleet{seat, RowsFleet()}), Command(FireShots{seat, {AnySquare(random)}}),
          Command(ClaimAbsence{seat}), Command(Resign{seat})}) {
      EXPECT_THAT(match.Do(command), HasReason("MATCH_OVER"));
    }
  }
  EXPECT_THAT(match.Wait(absl::Hours(100)), IsEmpty());
  EXPECT_THAT(match.Do(Resume{}).value(), IsEmpty());
}

// rule: A-04
TEST(EveryMatch, EndsOnceAndTakesNothingAfterwards) {
  for (std::uint64_t seed = 0; seed < kMatches; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    TestMatch match(AnySettings(random), seed, seed + 1);
    for (int step = 0; step < kMostSteps && match.game().phase() != Phase::kOver; ++step) {
      if (random.Uniform(4) == 0) match.Pass(absl::Seconds(Below(20, random)));
      const Command command = AnyCommand(match.game(), random);
      const WholeState before = StateOf(match.game());
      const bool refused = !match.Do(command).ok();
      if (refused) {
        EXPECT_EQ(StateOf(match.game()), before) << "a refusal changed something";
      }
    }
    ASSERT_EQ(match.game().phase(), Phase::kOver);
    ExpectOver(match, random);
  }
}

TEST(EveryMatch, IsWhatItsLogSaysAtEveryPoint) {
  for (std::uint64_t seed = 0; seed < kMatches; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    const GameSettings settings = AnySettings(random);
    TestMatch match(settings, seed, seed + 1);
    Game replayed(settings);
    std::size_t replayed_events = 0;
    for (int step = 0; step < kMostSteps && match.game().phase() != Phase::kOver; ++step) {
      match.Pass(absl::Seconds(Below(5, random)));
      static_cast<void>(match.Do(AnyCommand(match.game(), random)));
      while (replayed_events < match.log().size()) replayed.Apply(match.log()[replayed_events++]);
      ASSERT_EQ(StateOf(replayed), StateOf(match.game()));
      ASSERT_TRUE(replayed.settled());
    }
  }
}

TEST(EveryMatch, DecidesTheSameTwiceAndChangesNothingByIt) {
  for (std::uint64_t seed = 0; seed < kMatches; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    TestMatch match(AnySettings(random), seed, seed + 1);
    for (int step = 0; step < 300 && match.game().phase() != Phase::kOver; ++step) {
      const Command command = AnyCommand(match.game(), random);
      const WholeState before = StateOf(match.game());
      base::SeededRandom chance_a(7), chance_b(7);
      const auto a = match.game().Decide(command, match.now(), Chance{chance_a, chance_a});
      const auto b = match.game().Decide(command, match.now(), Chance{chance_b, chance_b});
      ASSERT_EQ(StateOf(match.game()), before);
      ASSERT_EQ(a.status(), b.status());
      if (a.ok()) {
        ASSERT_EQ(*a, *b);
      }
      match.Pass(absl::Seconds(Below(5, random)));
      static_cast<void>(match.Do(command));
    }
  }
}

// Everything but the time until when the clocks run, which the states of a game hold too.
void ExpectAlike(const Game& game, const Game& reference) {
  ASSERT_EQ(StateOf(game), StateOf(reference));
  ASSERT_EQ(game.phase(), reference.phase());
  if (reference.phase() != Phase::kOver) {
    ASSERT_EQ(game.State(), reference.State());
  }
}

// What both decide of a command that only one of them is then given.
void ExpectEqualDecisions(const Game& game, const Game& reference, const Command& command,
                          absl::Time now) {
  base::SeededRandom chance_a(7), chance_b(7);
  const auto a = game.Decide(command, now, Chance{chance_a, chance_a});
  const auto b = reference.Decide(command, now, Chance{chance_b, chance_b});
  ASSERT_EQ(a.status(), b.status());
  if (a.ok()) {
    ASSERT_EQ(*a, *b);
  }
}

TEST(EveryMatch, GoesOnTheSameFromItsState) {
  int restored = 0;
  for (std::uint64_t seed = 0; seed < kRestored; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    const GameSettings settings = AnySettingsAtAll(random);
    TestMatch match(settings, seed, seed + 1);
    Game beside = match.game();
    std::size_t events = match.log().size();
    for (int step = 0; step < kMostSteps && match.game().phase() != Phase::kOver; ++step) {
      if (random.Uniform(4) == 0) {
        NAVAL_ASSERT_OK_AND_ASSIGN(beside, Game::FromState(settings, beside.State()));
        ++restored;
        ExpectAlike(beside, match.game());
      }
      match.Pass(absl::Seconds(Below(5, random)));
      const Command command = AnyCommand(match.game(), random);
      ExpectEqualDecisions(beside, match.game(), command, match.now());
      static_cast<void>(match.Do(command));
      for (; events < match.log().size(); ++events) {
        ASSERT_TRUE(beside.Accepts(match.log()[events]));
        beside.Apply(match.log()[events]);
      }
      ExpectAlike(beside, match.game());
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
  EXPECT_GT(restored, 1000) << "too few states to mean anything";
}

// A game that events alone lead to, as a log does, on the only road that can end in the state;
// nothing of how FromState finds out is in here.
class Replay {
 public:
  Replay(const GameSettings& settings, const GameState& state) : game_(settings), state_(state) {}

  // Nullopt when an event is not accepted, or the game that they lead to is another.
  std::optional<Game> Run() {
    if (!KnowsAllShips()) return std::nullopt;
    Take(PlacementStarted{state_.deadline});
    for (const Seat seat : kSeats) {
      const SideState& side = OfSeat(state_.sides, seat);
      if (side.confirmed) {
        Take(FleetConfirmed{seat, side.fleet});
      } else {
        Take(DraftChanged{seat, side.fleet});
      }
    }
    if (state_.phase == Phase::kBattle) {
      const bool volleys = game_.rules().turn_order == TurnOrder::kVolley;
      Take(BattleStarted{state_.starter.value_or(Seat::kFirst)});
      if (ok_) volleys ? Rounds() : Shots();
    }
    if (state_.idle_deadline.has_value()) Take(IdleClockSet{*state_.idle_deadline});
    if (!ok_ || !game_.settled() || game_.State() != state_) return std::nullopt;
    return std::move(game_);
  }

 private:
  void Take(const Event& event) {
    ok_ = ok_ && game_.Accepts(event);
    if (ok_) game_.Apply(event);
  }

  bool KnowsAllShips() const {
    for (const SideState& side : state_.sides) {
      for (const ShipPlacement& placement : side.fleet) {
        const int ships = static_cast<int>(game_.rules().ships.size());
        if (placement.ship < 0 || placement.ship >= ships) return false;
      }
    }
    return true;
  }

  // The clock fires what is left of `moves` when they are as many as the strikes.
  bool ByClock(Seat seat, std::size_t moves) {
    const int strikes = OfSeat(state_.sides, seat).strikes;
    if (strikes < 1 || moves > static_cast<std::size_t>(strikes)) return false;
    Take(ClockRanOut{seat, strikes - static_cast<int>(moves) + 1});
    return true;
  }

  // Of what is due: the state's own at its end, any before where the rules know one.
  std::optional<absl::Time> Deadline(bool last) const {
    if (last) return state_.deadline;
    if (!game_.rules().shot_duration.has_value()) return std::nullopt;
    return absl::UnixEpoch();
  }

  void Shots() {
    std::array<std::size_t, 2> fired = {};
    std::size_t left = state_.sides[0].shots.size() + state_.sides[1].shots.size();
    Seat seat = *game_.starter();
    for (; ok_ && left > 0; --left) {
      Take(ShotDue{seat, Deadline(false)});
      const std::vector<Square>& shots = OfSeat(state_.sides, Rival(seat)).shots;
      std::size_t& mine = OfSeat(fired, seat);
      ok_ = ok_ && mine < shots.size();
      if (!ok_) return;
      const Square square = shots[mine];
      const bool by_clock = ByClock(seat, shots.size() - mine++);
      const Impact impact = game_.sea(Rival(seat))->Probe(square);
      Take(ShotFired{seat, square, impact, by_clock});
      seat = game_.NextToShoot(seat, impact.result);
    }
    Take(ShotDue{seat, Deadline(true)});
  }

  void Rounds() {
    std::array<std::size_t, 2> fired = {};
    for (std::size_t volley = 0; ok_ && volley < state_.volley_sizes.size(); volley += 2) {
      Due(false);
      for (const Seat seat : {*game_.starter(), Rival(*game_.starter())}) {
        const std::vector<Square>& shots = OfSeat(state_.sides, Rival(seat)).shots;
        SquareSet squares;
        for (int left = VolleySize(seat); left > 0 && OfSeat(fired, seat) < shots.size(); --left) {
          squares.Add(shots[OfSeat(fired, seat)++]);
        }
        Fire(seat, squares, state_.volley_sizes.size() / 2 - volley / 2);
      }
      for (const Seat seat : {*game_.starter(), Rival(*game_.starter())}) {
        if (!ok_) return;
        Sea target = *game_.sea(Rival(seat));
        Take(AnswerVolley(game_.rules(), target, seat, game_.round(), *game_.volley(seat)));
      }
    }
    Due(true);
    for (const Seat seat : kSeats) {
      if (OfSeat(state_.sides, seat).volley.has_value()) {
        Fire(seat, *OfSeat(state_.sides, seat).volley, 0);
      }
    }
  }

  int VolleySize(Seat seat) const {
    return rules::VolleySize(game_.rules(), game_.sea(seat), game_.sea(Rival(seat)));
  }

  void Due(bool last) {
    Take(VolleyDue{
        game_.round() + 1, {VolleySize(Seat::kFirst), VolleySize(Seat::kSecond)}, Deadline(last)});
  }

  // `later` volleys were answered from this one on.
  void Fire(Seat seat, SquareSet squares, std::size_t later) {
    const bool in = OfSeat(state_.sides, seat).volley.has_value();
    const bool by_clock = ok_ && ByClock(seat, later + (in ? 1 : 0));
    Take(VolleyFired{seat, squares, by_clock});
  }

  Game game_;
  const GameState& state_;
  bool ok_ = true;
};

void DamageSide(SideState& side, base::Random& random) {
  const auto any = [&random](auto& list) -> auto& { return list[random.Uniform(list.size())]; };
  const bool ships = !side.fleet.empty(), shots = !side.shots.empty();
  switch (Below(14, random)) {
    case 0:
      side.confirmed = !side.confirmed;
      return;
    case 1:
      side.strikes += Below(5, random) - 2;
      return;
    case 2:
      side.shots.push_back(AnySquare(random));
      return;
    case 3:
      if (shots) side.shots.pop_back();
      return;
    case 4:
      if (shots) any(side.shots) = AnySquare(random);
      return;
    case 5:
    case 6:
      if (shots) std::swap(any(side.shots), any(side.shots));
      return;
    case 7:
      if (ships) side.fleet.pop_back();
      return;
    case 8:
      if (ships) side.fleet.push_back(any(side.fleet));
      return;
    case 9:
      if (ships) any(side.fleet).ship += Below(3, random) - 1;
      return;
    case 10:
      if (ships) any(side.fleet).bow = AnySquare(random);
      return;
    case 11:
      if (ships) any(side.fleet).orientation = Orientation::kHorizontal;
      return;
    case 12:
      side.volley.reset();
      return;
    default:
      if (!side.volley.has_value()) side.volley.emplace();
      side.volley->Add(AnySquare(random));
      if (random.Uniform(2) == 0) {
        side.volley->Remove(side.volley->Nth(Below(side.volley->size(), random)));
      }
  }
}

void DamageClock(std::optional<absl::Time>& deadline) {
  deadline = deadline.has_value() ? std::nullopt : std::optional(absl::UnixEpoch());
}

std::optional<Seat> AnyOrNoSeat(base::Random& random) {
  return random.Uniform(3) == 0 ? std::nullopt : std::optional(AnySeat(random));
}

// Changes one field.
void Damage(GameState& state, base::Random& random) {
  switch (Below(20, random)) {
    case 0:
      state.phase = static_cast<Phase>(random.Uniform(4));
      return;
    case 1:
      state.round += Below(3, random) - 1;
      return;
    case 2:
      state.volley_sizes.push_back(static_cast<std::uint8_t>(random.Uniform(256)));
      return;
    case 3:
      if (!state.volley_sizes.empty()) state.volley_sizes.pop_back();
      return;
    case 4:
      if (!state.volley_sizes.empty()) ++state.volley_sizes.front();
      return;
    case 5:
      return DamageClock(state.deadline);
    case 6:
      return DamageClock(state.idle_deadline);
    case 7:
      state.starter = AnyOrNoSeat(random);
      return;
    case 8:
      state.turn = AnyOrNoSeat(random);
      return;
    default:
      DamageSide(state.sides[random.Uniform(2)], random);
  }
}

// What FromState believes is what events can lead to, and nothing else.
TEST(EveryMatch, IsRestoredFromADamagedStateOnlyWhereItsEventsCanLeadThere) {
  int believed = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < kRestored; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    base::SeededRandom random(seed);
    const GameSettings settings = AnySettingsAtAll(random);
    TestMatch match(settings, seed, seed + 1);
    for (int step = 0; step < kMostSteps && match.game().phase() != Phase::kOver; ++step) {
      GameState state = match.game().State();
      Damage(state, random);
      const auto game = Game::FromState(settings, state);
      const std::optional<Game> expected = Replay(settings, state).Run();
      ASSERT_EQ(game.ok(), expected.has_value()) << game.status() << ", step " << step;
      if (game.ok()) {
        ExpectAlike(*game, *expected);
      } else {
        ASSERT_THAT(game, StatusIs(absl::StatusCode::kDataLoss));
      }
      ++(game.ok() ? believed : refused);
      match.Pass(absl::Seconds(Below(5, random)));
      static_cast<void>(match.Do(AnyCommand(match.game(), random)));
    }
  }
  EXPECT_GT(believed, 500) << "too few to mean anything";
  EXPECT_GT(refused, 1500) << "too few to mean anything";
}

// Two matches that look alike from outside. The first seat hides different ships in each, and edits
// its draft a different number of times; the rest is the same. They are played on as long as their
// shots have the same results.
class Twins {
 public:
  explicit Twins(std::uint64_t seed)
      : random_(seed), a_(Settings(seed), seed, seed), b_(Settings(seed), seed, seed) {}

  // The rule sets in turns.
  static RuleSet RulesOf(std::uint64_t seed) {
    const std::uint64_t kinds = AllRuleSets().size() + 1;
    if (seed % kinds == 0) return Chosen({.rule_set = "salvo", .fleet_b = true});
    return AllRuleSets()[seed % kinds - 1].rules;
  }

  void LayFleets() {
    const RuleSet& rules = a_.game().rules();
    const Fleet fleet_a = CompleteFleet(rules, {}, random_).value();
    // Some ships at the same place, so that some sink alike.
    Fleet kept(fleet_a.end() - static_cast<std::ptrdiff_t>(random_.Uniform(4)), fleet_a.end());
    const Fleet fleet_b = CompleteFleet(rules, kept, random_).value();
    // First, while what is drawn in secret is the same in both: it draws which of the second
    // seat's own ships of one class is which.
    DoBoth(ConfirmFleet{Seat::kSecond, CompleteFleet(rules, {}, random_).value()});
    EditDraft(a_, fleet_a);
    EditDraft(b_, fleet_b);
    ExpectAlike();
    if (rules.clock_end == ClockEnd::kMayBeClaimed || random_.Uniform(2) == 0) {
      ASSERT_TRUE(a_.Do(ConfirmFleet{Seat::kFirst, fleet_a}).ok());
      ASSERT_TRUE(b_.Do(ConfirmFleet{Seat::kFirst, fleet_b}).ok());
    } else {
      // The clock confirms what the drafts hold.
      PassBoth(absl::Seconds(90));
    }
    ExpectAlike();
  }

  // One more shot with the same result in both, and what the others see of it. False when there is
  // none.
  bool Step() {
    if (a_.game().phase() == Phase::kOver || b_.game().phase() == Phase::kOver) return false;
    const Seat turn = a_.game().turn().value();
    const std::optional<Square> square = EqualShot(turn);
    if (!square.has_value()) return false;
    PassBoth(absl::Seconds(Below(3, random_)));
    DoBoth(FireShots{Rival(turn), {*square}});
    DoBoth(FireShots{turn, {*square}});
    ExpectAlike();
    ExpectEqualRefusals(*square);
    return true;
  }

  bool fleets_differ() const {
    return a_.game().fleet(Seat::kFirst) != b_.game().fleet(Seat::kFirst);
  }
  int sunk_alike() const {
    return static_cast<int>(a_.game().sea(Seat::kFirst)->sunk_ships().size());
  }
  int shots_alike() const { return static_cast<int>(a_.game().sea(Seat::kFirst)->shots().size()); }

 private:
  // Only who starts is drawn in some: the draw must not depend on what was drawn in secret.
  static GameSettings Settings(std::uint64_t seed) {
    return {RulesOf(seed), seed / 8 % 2 == 0 ? std::optional<Seat>(Seat::kFirst) : std::nullopt};
  }

  void EditDraft(TestMatch& match, const Fleet& fleet) {
    for (int edits = Below(5, random_); edits > 0; --edits) {
      ASSERT_TRUE(match.Do(ProposeFleet{Seat::kFirst, {}}).ok());
    }
    ASSERT_TRUE(match.Do(PlaceFleet{Seat::kFirst, fleet}).ok());
  }

  void DoBoth(const Command& command) { EXPECT_EQ(a_.Do(command).ok(), b_.Do(command).ok()); }

  void PassBoth(absl::Duration duration) {
    a_.Wait(duration);
    b_.Wait(duration);
  }

  // An open square that tells the same in both matches.
  std::optional<Square> EqualShot(Seat turn) {
    const Sea& sea = *a_.game().sea(Rival(turn));
    SquareSet equal;
    for (const Square square : sea.open()) {
      if (ResultOf(a_.game(), turn, square) != ResultOf(b_.game(), turn, square)) continue;
      // The hidden sea is hit first, or hardly a ship of it would sink.
      const bool hit = sea.ShipAt(square).has_value();
      if (turn == Seat::kSecond && hit && random_.Uniform(2) == 0) return square;
      equal.Add(square);
    }
    if (equal.empty()) return std::nullopt;
    return equal.Nth(Below(equal.size(), random_));
  }

  void ExpectAlike() {
    for (const Viewer viewer : {Viewer::kSecond, Viewer::kSpectator}) {
      if (a_.game().phase() == Phase::kOver) continue;
      ASSERT_TRUE(ViewOf(a_.game(), viewer) == ViewOf(b_.game(), viewer));
      ASSERT_TRUE(a_.heard(viewer) == b_.heard(viewer));
    }
  }

  void ExpectEqualRefusals(Square known) {
    for (const Command& command :
         {Command(FireShots{Seat::kSecond, {known}}), Command(FireShots{Seat::kSecond, {}}),
          Command(PlaceFleet{Seat::kSecond, {}}), Command(ConfirmFleet{Seat::kSecond, {}})}) {
      const auto refusal_a = Decide(a_, command);
      const auto refusal_b = Decide(b_, command);
      EXPECT_EQ(refusal_a.status(), refusal_b.status());
    }
  }

  static absl::StatusOr<std::vector<Event>> Decide(const TestMatch& match, const Command& command) {
    base::SeededRandom chance(1);
    return match.game().Decide(command, match.now(), Chance{chance, chance});
  }

  base::SeededRandom random_;
  TestMatch a_;
  TestMatch b_;
};

// rule: T-03, T-23
TEST(EveryMatch, TellsOthersNothingThatDependsOnHiddenShips) {
  int matches = 0, shots = 0, ships = 0;
  for (std::uint64_t seed = 0; seed < kTwins; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Twins twins(seed);
    twins.LayFleets();
    if (::testing::Test::HasFatalFailure()) return;
    if (!twins.fleets_differ()) continue;
    ++matches;
    while (twins.Step()) {
    }
    shots += twins.shots_alike();
    ships += twins.sunk_alike();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(matches, 60) << "too few matches to mean anything";
  EXPECT_GT(shots, 1500) << "too few shots to mean anything";
  EXPECT_GT(ships, 60) << "too few ships sank to mean anything";
}

// Two battles of volleys in which the first seat hides other ships, played on as long as the
// volleys into its sea have equal answers.
class VolleyTwins {
 public:
  explicit VolleyTwins(std::uint64_t seed)
      : random_(seed), a_(Settings(seed), seed, seed), b_(Settings(seed), seed, seed) {
    const RuleSet& rules = a_.game().rules();
    DoBoth(ConfirmFleet{Seat::kSecond, CompleteFleet(rules, {}, random_).value()});
    for (TestMatch* match : {&a_, &b_}) {
      const Fleet hidden = CompleteFleet(rules, {}, random_).value();
      EXPECT_TRUE(match->Do(ConfirmFleet{Seat::kFirst, hidden}).ok());
    }
  }

  // One more round. False when there is none with equal answers.
  bool Step() {
    if (a_.game().phase() == Phase::kOver || b_.game().phase() == Phase::kOver) return false;
    const std::optional<FireShots> volley = EqualVolley();
    if (!volley.has_value()) return false;
    const FireShots other = AnyVolleyOf(Seat::kFirst);
    const bool first = random_.Uniform(2) == 0;
    DoBoth(first ? other : *volley);
    ExpectAlike();
    DoBoth(first ? *volley : other);
    ExpectAlike();
    return true;
  }

  bool hit() const {
    const VolleyAnswered last = a_.game().volleys().back();
    return std::any_of(last.hits.begin(), last.hits.end(), [](int hits) { return hits > 0; });
  }

 private:
  static GameSettings Settings(std::uint64_t seed) {
    return {Chosen({.rule_set = "salvo", .fleet_b = seed % 2 == 0, .volley = true}), Seat::kFirst};
  }

  void DoBoth(const Command& command) {
    EXPECT_TRUE(a_.Do(command).ok());
    EXPECT_TRUE(b_.Do(command).ok());
  }

  FireShots AnyVolleyOf(Seat seat) {
    FireShots volley{seat, {}, a_.game().round()};
    const Sea& target = *a_.game().sea(Rival(seat));
    SquareSet open = target.open();
    const int size = VolleySize(a_.game().rules(), a_.game().sea(seat), &target);
    for (int left = size; left > 0; --left) {
      volley.squares.push_back(open.Nth(Below(open.size(), random_)));
      open.Remove(volley.squares.back());
    }
    return volley;
  }

  std::optional<FireShots> EqualVolley() {
    for (int tries = 0; tries < 300; ++tries) {
      const FireShots volley = AnyVolleyOf(Seat::kSecond);
      SquareSet squares;
      for (const Square square : volley.squares) squares.Add(square);
      if (ResultOf(a_.game(), volley.seat, squares) == ResultOf(b_.game(), volley.seat, squares)) {
        return volley;
      }
    }
    return std::nullopt;
  }

  void ExpectAlike() {
    if (a_.game().phase() == Phase::kOver || b_.game().phase() == Phase::kOver) return;
    for (const Viewer viewer : {Viewer::kSecond, Viewer::kSpectator}) {
      ASSERT_TRUE(ViewOf(a_.game(), viewer) == ViewOf(b_.game(), viewer));
      ASSERT_TRUE(a_.heard(viewer) == b_.heard(viewer));
    }
  }

  base::SeededRandom random_;
  TestMatch a_;
  TestMatch b_;
};

// rule: S-07, S-09, T-23
TEST(EveryMatch, TellsOfVolleysNothingButTheirAnswers) {
  int rounds = 0, rounds_with_hits = 0;
  for (std::uint64_t seed = 0; seed < kTwins; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    VolleyTwins twins(seed);
    while (twins.Step()) {
      ++rounds;
      rounds_with_hits += twins.hit() ? 1 : 0;
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(rounds, 300) << "too few rounds to mean anything";
  EXPECT_GT(rounds_with_hits, 100) << "too few hits to mean anything";
}

}  // namespace
}  // namespace naval::rules
