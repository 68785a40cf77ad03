#include "tests/comparison/random_game.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/rules/custom_rules.h"
#include "lib/rules/rule_sets.h"
#include "lib/rules/volley.h"
#include "tests/oracle/say.h"

namespace naval::comparison {
namespace {

using rules::Pace;
using rules::Phase;
using rules::Seat;
using rules::Square;

int Below(int bound, base::Random& random) {
  return static_cast<int>(random.Uniform(static_cast<std::uint64_t>(bound)));
}

bool OneIn(int bound, base::Random& random) { return Below(bound, random) == 0; }

Seat AnySeat(base::Random& random) { return rules::kSeats[Below(2, random)]; }

template <typename Value>
Value OneOf(std::initializer_list<Value> values, base::Random& random) {
  return values.begin()[Below(static_cast<int>(values.size()), random)];
}

Square AnySquare(const rules::RuleSet& rules, base::Random& random) {
  return Square(Below(rules.board_size, random), Below(rules.board_size, random));
}

rules::ShipPlacement AnyPlacement(const rules::RuleSet& rules, int ship, base::Random& random) {
  return {ship, AnySquare(rules, random),
          OneOf({rules::Orientation::kHorizontal, rules::Orientation::kVertical}, random)};
}

oracle::Clock ClockOf(const rules::RulesChoice& choice) {
  if (choice.untimed) return oracle::Clock::kNone;
  switch (choice.pace.value()) {
    case Pace::kLive:
      return oracle::Clock::kLive;
    case Pace::kSlow:
      return oracle::Clock::kSlow;
    case Pace::kCorrespondence:
      return oracle::Clock::kCorrespondence;
  }
  NAVAL_CHECK(false);
}

// As the oracle knows them. A rule set that it does not know must be written down there first.
oracle::OracleRules OracleRulesOf(const rules::RulesChoice& choice) {
  const oracle::Clock clock = ClockOf(choice);
  if (choice.rule_set == "tablu") return oracle::Tablu(choice.one_shot_per_turn, clock);
  if (choice.rule_set == "clasica") return oracle::Clasica(clock);
  if (choice.rule_set == "salvo") return oracle::Salvo(clock, choice.fleet_b, choice.volley);
  NAVAL_CHECK(choice.rule_set == "selminha");
  return oracle::Selminha(clock);
}

std::string NameOf(const rules::RulesChoice& choice) {
  static constexpr absl::string_view kPaces[] = {" live", " slow", " correspondence"};
  return absl::StrCat(choice.rule_set, choice.one_shot_per_turn ? " one_shot_per_turn" : "",
                      choice.fleet_b ? " fleet_b" : "", choice.volley ? " volley" : "",
                      choice.untimed ? " untimed" : kPaces[static_cast<int>(choice.pace.value())]);
}

// Every choice of a rule set that its options allow: each combination is offered to the engine.
void AddSettings(const rules::Preset& preset, std::vector<Setting>& settings) {
  for (int options = 0; options < 16; ++options) {
    for (const Pace pace : {Pace::kLive, Pace::kSlow, Pace::kCorrespondence}) {
      const rules::RulesChoice choice = {.rule_set = preset.rules.id,
                                         .one_shot_per_turn = (options & 1) != 0,
                                         .untimed = (options & 2) != 0,
                                         .fleet_b = (options & 4) != 0,
                                         .volley = (options & 8) != 0,
                                         .pace = pace};
      if (choice.untimed && pace != Pace::kLive) continue;  // all the same
      const auto chosen = rules::ChooseRules(choice, rules::Opponent::kBot);
      if (!chosen.ok()) continue;
      settings.push_back(
          {NameOf(choice), std::make_shared<const Words>(*chosen->rules, OracleRulesOf(choice))});
    }
  }
}

// Up to five classes of up to three ships each; where ships may not touch they take no more room
// than the fullest fleet of the house does.
std::vector<rules::Ship> AnyShips(bool may_touch, base::Random& random) {
  int room = may_touch ? 24 : 60;
  std::vector<rules::Ship> ships;
  for (int ship_class = 1 + Below(5, random); ship_class > 0; --ship_class) {
    const int length = 1 + Below(rules::kMaxShipLength, random);
    const int shots = 1 + Below(3, random);
    const std::string name = absl::StrCat("barco ", ship_class);
    const int count = OneOf({1, 1, 2, 3}, random);
    for (int i = 1; i <= count; ++i) {
      room -= may_touch ? length : 2 * (length + 1);
      if (room < 0 || ships.size() == rules::kMaxShips) break;
      ships.push_back(
          {count == 1 ? name : absl::StrCat(name, "-", i), length, count == 1 ? "" : name, shots});
    }
  }
  std::stable_sort(ships.begin(), ships.end(),
                   [](const rules::Ship& a, const rules::Ship& b) { return a.length > b.length; });
  return ships;
}

void AddClocks(base::Random& random, rules::RuleSet& rules) {
  rules.clock_end = OneOf(
      {rules::ClockEnd::kServerPlays, rules::ClockEnd::kLoses, rules::ClockEnd::kMayBeClaimed},
      random);
  if (!OneIn(4, random)) rules.placement_duration = absl::Seconds(30 + Below(100, random));
  if (!OneIn(4, random)) rules.shot_duration = absl::Seconds(5 + Below(60, random));
  if (OneIn(4, random)) rules.shot_duration = absl::Hours(24) * (1 + Below(7, random));
  rules.strikes_to_lose = 1 + Below(4, random);
  if (OneIn(2, random) || rules.clock_end == rules::ClockEnd::kMayBeClaimed) {
    const absl::Duration clocks =
        std::max(rules.placement_duration, rules.shot_duration).value_or(absl::ZeroDuration());
    rules.idle_duration = clocks + absl::Hours(24) * (1 + Below(7, random));
  }
}

// Two players and a clock who do what they like.
class RandomGame {
 public:
  RandomGame(const Setting& setting, std::uint64_t seed, bool with_transcript)
      : random_(seed),
        secret_(seed + 1),
        open_(seed + 2),
        twins_(setting.words,
               OneIn(2, random_) ? std::optional<Seat>(AnySeat(random_)) : std::nullopt, now_),
        with_transcript_(with_transcript),
        one_hit_in_(OneOf({1, 2, 2, 8}, random_)),
        one_jump_in_(OneOf({10, 40, 1000}, random_)) {
    played_.setting = setting.name;
  }

  Played Play() &&;

 private:
  // Returns whether the two still agree.
  bool Do(const rules::Command& command);
  void LetTimePass();
  bool TimeIsUp() const;

  rules::Command AnyCommand();
  rules::Command PlacementCommand();
  rules::Command BattleCommand();
  rules::Command Mischief();
  rules::Command Fire();
  // Squares of the rival's sea, as many as the seat has shots, mostly open ones.
  rules::FireShots ShotsOf(Seat seat);
  Square Target(const rules::Sea& sea, rules::SquareSet open);
  rules::Fleet AnyFleet();
  rules::Fleet SomeShips();

  base::SeededRandom random_;
  base::SeededRandom secret_;
  base::SeededRandom open_;
  absl::Time now_ = absl::UnixEpoch();
  TwinMatch twins_;
  const bool with_transcript_;
  // How often a player who may fire hits for certain, and how often time jumps to a clock's end.
  const int one_hit_in_;
  const int one_jump_in_;
  Played played_;
};

Played RandomGame::Play() && {
  played_.difference = twins_.DifferenceAtStart();
  bool agree = played_.difference.empty();
  int steps = 0;
  for (; agree && twins_.game().phase() != Phase::kOver; ++steps) {
    if (steps == 5'000) {
      played_.difference = "the game does not end";
      return std::move(played_);
    }
    LetTimePass();
    agree = Do(AnyCommand());
  }
  // Nothing is taken after the end.
  for (int i = 0; agree && i < 3; ++i)
    agree = Do(OneIn(2, random_) ? Mischief() : PlacementCommand());
  if (agree) played_.end = twins_.game().result()->reason;
  return std::move(played_);
}

bool RandomGame::Do(const rules::Command& command) {
  played_.difference = twins_.Do(command, now_, rules::Chance{secret_, open_});
  ++played_.commands;
  if (with_transcript_) {
    played_.transcript.push_back(absl::StrCat("at ", absl::FormatDuration(now_ - absl::UnixEpoch()),
                                              " ", Say(twins_.words(), command), " -> ",
                                              oracle::Say(twins_.outcome())));
  }
  return played_.difference.empty();
}

// A little, or to the end of a clock, give or take an instant.
void RandomGame::LetTimePass() {
  if (!OneIn(one_jump_in_, random_)) {
    now_ += absl::Milliseconds(Below(3'000, random_));
    return;
  }
  const rules::Game& game = twins_.game();
  const std::optional<absl::Time> end =
      OneIn(8, random_) ? game.idle_deadline()
                        : OneOf({game.deadline(), game.NextDeadline()}, random_);
  const absl::Duration off =
      OneOf({absl::Nanoseconds(-1), absl::ZeroDuration(), absl::Nanoseconds(1), absl::Seconds(1)},
            random_);
  if (end) now_ = std::max(now_, *end + off);
}

bool RandomGame::TimeIsUp() const {
  const std::optional<absl::Time> end = twins_.game().NextDeadline();
  return end && now_ >= *end;
}

rules::Command RandomGame::AnyCommand() {
  if (TimeIsUp() && OneIn(2, random_)) return rules::Tick{};
  if (twins_.game().phase() == Phase::kPlacement) return PlacementCommand();
  if (OneIn(6, random_)) return Mischief();
  return Fire();
}

rules::Command RandomGame::PlacementCommand() {
  const Seat seat = AnySeat(random_);
  switch (Below(16, random_)) {
    case 0:
      return Mischief();
    case 1:
      return rules::PlaceFleet{seat, AnyFleet()};
    case 2:
      return rules::ProposeFleet{seat, AnyFleet()};
    case 3:
      // Where that loses the game, not too often.
      if (twins_.rules().illegal_fleet == rules::IllegalFleet::kRefused || OneIn(8, random_)) {
        return rules::ConfirmFleet{seat, OneIn(2, random_) ? AnyFleet() : SomeShips()};
      }
      return rules::PlaceFleet{seat, {}};
    case 4:
      return rules::ProposeFleet{seat, SomeShips()};
    case 5:
    case 6:
    case 7:
      return rules::PlaceFleet{seat, SomeShips()};
    default:
      return rules::ConfirmFleet{seat, AnyLegalFleet(twins_.rules(), random_)};
  }
}

rules::Command RandomGame::Mischief() {
  const Seat seat = AnySeat(random_);
  switch (Below(8, random_)) {
    case 0:
      if (OneIn(30, random_)) return rules::Resign{seat};
      if (OneIn(60, random_)) return rules::Abort{};
      return rules::Tick{};
    case 1:
      return rules::ClaimAbsence{seat};
    case 2:
      return rules::PlaceFleet{seat, AnyFleet()};
    case 3:
      // A confirmation that is too late, or once too often; before both stand it may be in time.
      return rules::ConfirmFleet{seat, AnyLegalFleet(twins_.rules(), random_)};
    case 4:
      return rules::FireShots{seat, {}, twins_.game().round()};
    case 5:
      return rules::FireShots{
          seat,
          {AnySquare(twins_.rules(), random_), AnySquare(twins_.rules(), random_)},
          twins_.game().round()};
    default:
      return ShotsOf(seat);
  }
}

// Of who is to fire; where the rival could claim the match, the rival may do that instead.
rules::Command RandomGame::Fire() {
  const rules::Game& game = twins_.game();
  Seat seat = AnySeat(random_);
  if (!game.Awaits(seat)) seat = rules::Rival(seat);
  if (game.deadline() && now_ > *game.deadline() && OneIn(3, random_)) {
    return rules::ClaimAbsence{rules::Rival(seat)};
  }
  return ShotsOf(seat);
}

rules::FireShots RandomGame::ShotsOf(Seat seat) {
  rules::FireShots shots{seat, {}, twins_.game().round()};
  // Of the round before or after, or of none.
  if (OneIn(16, random_)) shots.round += Below(4, random_) - 2;
  const rules::Sea* target = twins_.game().sea(rules::Rival(seat));
  if (target == nullptr || twins_.game().phase() != Phase::kBattle) {
    shots.squares.push_back(AnySquare(twins_.rules(), random_));
    return shots;
  }
  const bool volley = twins_.game().round() > 0;
  int left = volley ? rules::VolleySize(twins_.rules(), twins_.game().sea(seat), target) : 1;
  rules::SquareSet open = target->open();
  for (; left > 0; --left) {
    shots.squares.push_back(Target(*target, open));
    open.Remove(shots.squares.back());
  }
  // One square is wrong: known, maybe, or called twice.
  if (OneIn(12, random_)) {
    shots.squares[random_.Uniform(shots.squares.size())] = AnySquare(twins_.rules(), random_);
  }
  return shots;
}

Square RandomGame::Target(const rules::Sea& sea, rules::SquareSet open) {
  const rules::SquareSet ships = rules::FleetSquareSet(twins_.rules(), sea.fleet()) & open;
  const rules::SquareSet from = !ships.empty() && OneIn(one_hit_in_, random_) ? ships : open;
  return from.Nth(Below(from.size(), random_));
}

// Any ships anywhere, one or the other of them unknown or there twice.
rules::Fleet RandomGame::AnyFleet() {
  const int ships = static_cast<int>(twins_.rules().ships.size());
  rules::Fleet fleet;
  for (int left = Below(ships + 2, random_); left > 0; --left) {
    const int ship = OneIn(20, random_) ? ships : Below(ships, random_);
    fleet.push_back(AnyPlacement(twins_.rules(), ship, random_));
  }
  return fleet;
}

// All, or some, of a legal fleet; now and then with one ship elsewhere.
rules::Fleet RandomGame::SomeShips() {
  rules::Fleet fleet = AnyLegalFleet(twins_.rules(), random_);
  if (OneIn(2, random_)) fleet.resize(random_.Uniform(fleet.size() + 1));
  if (!fleet.empty() && OneIn(3, random_)) {
    rules::ShipPlacement& moved = fleet[random_.Uniform(fleet.size())];
    moved = AnyPlacement(twins_.rules(), moved.ship, random_);
  }
  return fleet;
}

}  // namespace

std::vector<Setting> HouseSettings() {
  std::vector<Setting> settings;
  for (const rules::Preset& preset : rules::AllRuleSets()) AddSettings(preset, settings);
  return settings;
}

rules::RuleSet AnyCustomRules(base::Random& random) {
  rules::RuleSet rules;
  rules.id = "custom";
  rules.ships_may_touch = OneIn(2, random);
  rules.ships = AnyShips(rules.ships_may_touch, random);
  rules.turn_order =
      OneOf({rules::TurnOrder::kHitAgain, rules::TurnOrder::kAlternate, rules::TurnOrder::kVolley},
            random);
  const bool volleys = rules.turn_order == rules::TurnOrder::kVolley;
  rules.sunk_report =
      volleys || OneIn(2, random) ? rules::SunkReport::kClass : rules::SunkReport::kShip;
  rules.ring_closed =
      !rules.ships_may_touch && rules.sunk_report == rules::SunkReport::kShip && OneIn(2, random);
  if (volleys && OneIn(2, random)) rules.shots_per_turn.reset();
  if (volleys && rules.shots_per_turn)
    rules.shots_per_turn = 1 + Below(rules::kMaxShotsPerTurn, random);
  rules.illegal_fleet = OneOf({rules::IllegalFleet::kRefused, rules::IllegalFleet::kLoses}, random);
  AddClocks(random, rules);
  NAVAL_CHECK(rules::CheckCustomRules(rules, rules::Opponent::kBot).ok());
  return rules;
}

rules::Fleet AnyLegalFleet(const rules::RuleSet& rules, base::Random& random) {
  while (true) {
    rules::Fleet fleet;
    rules::SquareSet taken;
    for (int tries = 0; tries < 400 && fleet.size() < rules.ships.size(); ++tries) {
      const rules::ShipPlacement placement =
          AnyPlacement(rules, static_cast<int>(fleet.size()), random);
      const std::optional<rules::SquareSet> squares = rules::ShipSquareSet(rules, placement);
      if (!squares || taken.Intersects(*squares)) continue;
      taken |= rules.ships_may_touch ? *squares : *squares | rules::Ring(*squares);
      fleet.push_back(placement);
    }
    if (fleet.size() < rules.ships.size()) continue;
    for (std::size_t i = 1; i < fleet.size(); ++i)
      std::swap(fleet[i], fleet[random.Uniform(i + 1)]);
    return fleet;
  }
}

Played PlayRandomGame(std::uint64_t seed, bool with_transcript) {
  static const auto& house = *new std::vector<Setting>(HouseSettings());
  if (seed % 4 != 0) {
    return RandomGame(house[seed / 4 % house.size()], seed, with_transcript).Play();
  }
  base::SeededRandom random(seed);
  rules::RuleSet rules = AnyCustomRules(random);
  oracle::OracleRules words = InOracleWords(rules);
  const Setting custom = {"custom",
                          std::make_shared<const Words>(std::move(rules), std::move(words))};
  return RandomGame(custom, seed, with_transcript).Play();
}

}  // namespace naval::comparison
