#include "tests/comparison/small_world.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/game.h"
#include "lib/rules/volley.h"
#include "tests/comparison/twin_match.h"
#include "tests/oracle/say.h"

namespace naval::comparison {
namespace {

using rules::Seat;
using rules::Square;
using rules::SquareSet;

constexpr int kSize = 4;

// The n-th of whatever is asked for, each time: with Uniform(bound), n modulo bound.
class Scripted final : public base::Random {
 public:
  Scripted(std::uint64_t n, std::uint64_t bound) : value_(n + (bound << 32)) {}
  std::uint64_t Next() override { return value_; }

 private:
  const std::uint64_t value_;
};

// Every set of `size` of these squares.
void AddSets(SquareSet from, int size, std::vector<Square> chosen,
             std::vector<std::vector<Square>>& sets) {
  if (size == 0) return sets.push_back(chosen);
  for (const Square square : SquareSet(from)) {
    from.Remove(square);
    chosen.push_back(square);
    AddSets(from, size - 1, chosen, sets);
    chosen.pop_back();
  }
}

class Explorer {
 public:
  Explorer(const SmallWorld& world, const Bounds& bounds) : world_(world), bounds_(bounds) {}

  Explored Run() &&;

 private:
  struct Position {
    TwinMatch twins;
    absl::Time now;
    std::string path;
  };
  // What the future depends on.
  using Key = std::tuple<std::string, std::string, std::string>;

  // Each returns false at a difference.
  bool Begin();
  bool Visit(const Position& position);
  bool TryShots(const Position& position, Seat seat);
  bool TryTicks(const Position& position, absl::Time now);
  bool TryTheRest(const Position& position, Seat seat, absl::Time now);
  // Gives the command in a copy of the position. `goes_on`: what follows is visited as well.
  bool Try(const Position& position, const rules::Command& command, absl::Time now, bool goes_on,
           base::Random& open);

  bool fires_volleys() const { return rules().turn_order == rules::TurnOrder::kVolley; }
  const rules::RuleSet& rules() const { return world_.words->rules(); }
  int ShotsOf(const rules::Game& game, Seat seat) const;
  // What the second seat fires next.
  std::vector<Square> Next(const rules::Game& game, int shots) const;
  bool GoesOn(const Position& position, Seat seat, const std::vector<Square>& squares) const;
  static Key KeyOf(const Position& position);

  const SmallWorld& world_;
  const Bounds bounds_;
  base::SeededRandom secret_{1};
  std::vector<Position> left_;
  // The position that is visited, to try the next command in.
  std::optional<TwinMatch> copy_;
  std::set<Key> seen_;
  Explored explored_;
};

Explored Explorer::Run() && {
  if (!Begin()) return explored_;
  while (!left_.empty()) {
    const Position position = std::move(left_.back());
    left_.pop_back();
    if (!Visit(position)) break;
  }
  return explored_;
}

bool Explorer::Begin() {
  const absl::Time now = absl::UnixEpoch();
  Position position = {TwinMatch(world_.words, Seat::kFirst, now), now, ""};
  for (const Seat seat : rules::kSeats) {
    const auto& fleet = rules::OfSeat(world_.fleets, seat);
    if (!Try(position, rules::ConfirmFleet{seat, fleet}, now, true, secret_)) return false;
    position = std::move(left_.back());
    left_.pop_back();
    copy_.reset();
  }
  left_.push_back(std::move(position));
  return true;
}

bool Explorer::Visit(const Position& position) {
  ++explored_.positions;
  copy_.reset();
  const rules::Game& game = position.twins.game();
  std::set<absl::Time> times = {position.now};
  for (const std::optional<absl::Time> end : {game.deadline(), game.idle_deadline()}) {
    if (!end) continue;
    for (const int off : {-1, 0, 1}) times.insert(*end + absl::Nanoseconds(off));
  }
  for (const Seat seat : rules::kSeats) {
    if (!TryShots(position, seat)) return false;
    for (const absl::Time now : times) {
      if (!TryTheRest(position, seat, now)) return false;
    }
  }
  for (const absl::Time now : times) {
    if (!TryTicks(position, now)) return false;
  }
  return true;
}

// Known squares, too; in a volley also one shot too few and one too many.
bool Explorer::TryShots(const Position& position, Seat seat) {
  const rules::Game& game = position.twins.game();
  const int shots = ShotsOf(game, seat);
  std::vector<std::vector<Square>> volleys;
  AddSets(SquareSet::Board(kSize), shots, {}, volleys);
  volleys.push_back({});
  volleys.push_back(std::vector<Square>(static_cast<std::size_t>(shots), Square()));
  volleys.push_back(Next(game, shots + 1));
  for (const std::vector<Square>& squares : volleys) {
    const bool goes_on = GoesOn(position, seat, squares);
    if (!Try(position, rules::FireShots{seat, squares, game.round()}, position.now, goes_on,
             secret_)) {
      return false;
    }
  }
  return true;
}

// At the end of a clock the server draws each square that it can. On it goes with two of them, one
// of which hits something in each sea.
bool Explorer::TryTicks(const Position& position, absl::Time now) {
  const rules::Game& game = position.twins.game();
  const Seat seat = game.Awaits(Seat::kFirst) ? Seat::kFirst : Seat::kSecond;
  const int open = game.sea(rules::Rival(seat))->open().size();
  const int draws = now == game.deadline() ? open : 1;
  for (int drawn = 0; drawn < draws; ++drawn) {
    Scripted random(static_cast<std::uint64_t>(drawn), static_cast<std::uint64_t>(open));
    const bool goes_on = bounds_.clocks && (drawn == 0 || drawn == 5);
    if (!Try(position, rules::Tick{}, now, goes_on, random)) return false;
  }
  return true;
}

bool Explorer::TryTheRest(const Position& position, Seat seat, absl::Time now) {
  const rules::Game& game = position.twins.game();
  const rules::Fleet& fleet = rules::OfSeat(world_.fleets, seat);
  std::vector<Square> shots;
  for (const Square square : game.sea(rules::Rival(seat))->open()) {
    if (static_cast<int>(shots.size()) < ShotsOf(game, seat)) shots.push_back(square);
  }
  for (const rules::Command& command :
       {rules::Command(rules::FireShots{seat, shots, game.round()}),
        rules::Command(rules::FireShots{seat, shots, game.round() + 1}),
        rules::Command(rules::ClaimAbsence{seat}), rules::Command(rules::PlaceFleet{seat, {}}),
        rules::Command(rules::ProposeFleet{seat, {}}),
        rules::Command(rules::ConfirmFleet{seat, fleet}), rules::Command(rules::Resign{seat}),
        rules::Command(rules::Abort{})}) {
    if (!Try(position, command, now, false, secret_)) return false;
  }
  return true;
}

bool Explorer::Try(const Position& position, const rules::Command& command, absl::Time now,
                   bool goes_on, base::Random& open) {
  ++explored_.commands;
  // What is refused changes nothing: the copy serves again.
  if (!copy_) copy_ = position.twins;
  const std::string difference = copy_->Do(command, now, rules::Chance{secret_, open});
  const auto path = [&] {
    return absl::StrCat(position.path, "at ", absl::FormatDuration(now - absl::UnixEpoch()), " ",
                        Say(*world_.words, command), " -> ", oracle::Say(copy_->outcome()), "\n");
  };
  if (!difference.empty()) {
    explored_.difference = absl::StrCat(world_.name, "\n", path(), difference);
    return false;
  }
  if (copy_->outcome().events.empty()) return true;
  Position after = {*std::move(copy_), now, goes_on ? path() : ""};
  copy_.reset();
  const bool over = after.twins.game().phase() == rules::Phase::kOver;
  if (goes_on && !over && seen_.insert(KeyOf(after)).second) left_.push_back(std::move(after));
  return true;
}

int Explorer::ShotsOf(const rules::Game& game, Seat seat) const {
  if (!fires_volleys()) return 1;
  return rules::VolleySize(rules(), game.sea(seat), game.sea(rules::Rival(seat)));
}

std::vector<Square> Explorer::Next(const rules::Game& game, int shots) const {
  const rules::Sea& target = *game.sea(Seat::kFirst);
  const SquareSet ships = rules::FleetSquareSet(rules(), target.fleet());
  std::vector<Square> next;
  for (const SquareSet squares : {target.open() - ships, target.open() & ships}) {
    for (const Square square : squares) {
      if (static_cast<int>(next.size()) < shots) next.push_back(square);
    }
  }
  return next;
}

// Both orders in which volleys can come in are tried; on goes the one in which the explorer, who
// has more to choose from, is second.
bool Explorer::GoesOn(const Position& position, Seat seat,
                      const std::vector<Square>& squares) const {
  const rules::Game& game = position.twins.game();
  if (seat == Seat::kSecond) return squares == Next(game, ShotsOf(game, seat));
  if (fires_volleys() && game.Awaits(Seat::kSecond)) return false;
  const int fired = static_cast<int>(game.sea(Seat::kSecond)->shots().size());
  return fired + static_cast<int>(squares.size()) <= bounds_.shots;
}

Explorer::Key Explorer::KeyOf(const Position& position) {
  const rules::Game& game = position.twins.game();
  std::string seas, open, rest;
  for (const Seat seat : rules::kSeats) {
    const rules::Sea* sea = game.sea(seat);
    if (sea == nullptr) continue;
    SquareSet shots;
    for (const rules::ShotMark& mark : sea->shots()) shots.Add(mark.square);
    absl::StrAppend(&seas, shots.ToString(), ";");
    absl::StrAppend(&open, sea->open().ToString(), ";");
    absl::StrAppend(&rest, game.strikes(seat), " ",
                    game.volley(seat) ? game.volley(seat)->ToString() : "-", ";");
  }
  absl::StrAppend(&rest, game.turn() ? rules::SeatName(*game.turn()) : "-");
  return {seas, open, rest};
}

// ---- Worlds

// "hit again, ring, server plays"
void AddWorld(const rules::RuleSet& rules, const std::string& name,
              std::vector<SmallWorld>& worlds) {
  // The first seat's ships stand in two corners, the second's in the middle and at an edge.
  const rules::Fleet first = {{0, Square(0, 0), rules::Orientation::kHorizontal},
                              {1, Square(3, 3), rules::Orientation::kHorizontal}};
  const rules::Fleet second = {{0, Square(1, 1), rules::Orientation::kVertical},
                               {1, Square(3, 0), rules::Orientation::kHorizontal}};
  worlds.push_back(
      {name, std::make_shared<const Words>(rules, InOracleWords(rules)), {first, second}});
}

void AddClockEnds(rules::RuleSet rules, const std::string& name, std::vector<SmallWorld>& worlds) {
  AddWorld(rules, name + ", server plays", worlds);
  rules.clock_end = rules::ClockEnd::kLoses;
  AddWorld(rules, name + ", late loses", worlds);
  rules.clock_end = rules::ClockEnd::kMayBeClaimed;
  rules.idle_duration = absl::Seconds(60);
  AddWorld(rules, name + ", claim", worlds);
  rules.placement_duration.reset();
  rules.shot_duration.reset();
  AddWorld(rules, name + ", no clock but the idle one", worlds);
}

// Whatever may stand with whatever: a ring only where ships may not touch and squares are told.
void AddSingleShots(rules::TurnOrder order, const std::string& name,
                    std::vector<SmallWorld>& worlds) {
  rules::RuleSet rules = SmallRules({2, 1});
  rules.turn_order = order;
  AddClockEnds(rules, name + ", ring", worlds);
  rules.ring_closed = false;
  AddClockEnds(rules, name + ", no ring", worlds);
  rules.sunk_report = rules::SunkReport::kClass;
  AddClockEnds(rules, name + ", no ring, class", worlds);
  rules.ships_may_touch = true;
  AddClockEnds(rules, name + ", touching, class", worlds);
  rules.sunk_report = rules::SunkReport::kShip;
  AddClockEnds(rules, name + ", touching", worlds);
}

void AddVolleys(std::optional<int> shots, std::vector<SmallWorld>& worlds) {
  rules::RuleSet rules = SmallRules({2, 1});
  rules.turn_order = rules::TurnOrder::kVolley;
  rules.ring_closed = false;
  rules.sunk_report = rules::SunkReport::kClass;
  rules.shots_per_turn = shots;
  const std::string name = shots ? absl::StrCat("volleys of ", *shots) : "volleys by ships";
  AddClockEnds(rules, name, worlds);
  rules.ships_may_touch = true;
  AddClockEnds(rules, name + ", touching", worlds);
}

// The square after turning the board `turns` times by a quarter, and mirroring it before.
Square Turned(Square square, int turns, bool mirrored) {
  int column = mirrored ? kSize - 1 - square.column() : square.column();
  int row = square.row();
  for (; turns > 0; --turns) std::tie(column, row) = std::pair(kSize - 1 - row, column);
  return Square(column, row);
}

// The squares of both ships, the smallest of the eight ways to look at them.
std::pair<std::string, std::string> Shape(SquareSet a, SquareSet b) {
  std::pair<std::string, std::string> smallest;
  for (int way = 0; way < 8; ++way) {
    SquareSet turned_a, turned_b;
    for (const Square square : a) turned_a.Add(Turned(square, way / 2, way % 2 == 1));
    for (const Square square : b) turned_b.Add(Turned(square, way / 2, way % 2 == 1));
    const std::pair turned(turned_a.ToString(), turned_b.ToString());
    if (smallest.first.empty() || turned < smallest) smallest = turned;
  }
  return smallest;
}

}  // namespace

rules::RuleSet SmallRules(const std::vector<int>& lengths) {
  rules::RuleSet rules;
  rules.id = "small";
  rules.board_size = kSize;
  char id = 'a';
  for (const int length : lengths) {
    rules.ships.push_back({.id = std::string(1, id++), .length = length, .shots = length});
  }
  rules.placement_duration = absl::Seconds(90);
  rules.shot_duration = absl::Seconds(25);
  return rules;
}

std::vector<SmallWorld> SmallWorlds() {
  std::vector<SmallWorld> worlds;
  AddSingleShots(rules::TurnOrder::kHitAgain, "hit again", worlds);
  AddSingleShots(rules::TurnOrder::kAlternate, "alternate", worlds);
  for (const std::optional<int> shots : {std::optional<int>(1), std::optional<int>(2), {}}) {
    AddVolleys(shots, worlds);
  }
  return worlds;
}

std::vector<SmallWorld> WithEveryFleet(const SmallWorld& world) {
  const rules::RuleSet& rules = world.words->rules();
  std::vector<SmallWorld> worlds;
  std::set<std::pair<std::string, std::string>> shapes;
  for (const rules::ShipPlace& a : rules::ShipPlaces(rules, 0)) {
    for (const rules::ShipPlace& b : rules::ShipPlaces(rules, 1)) {
      const rules::Fleet fleet = {a.placement, b.placement};
      if (!rules::CheckFleet(rules, fleet).empty()) continue;
      if (!shapes.insert(Shape(a.squares, b.squares)).second) continue;
      worlds.push_back(world);
      worlds.back().fleets[1] = fleet;
    }
  }
  return worlds;
}

Explored Explore(const SmallWorld& world, const Bounds& bounds) {
  return Explorer(world, bounds).Run();
}

}  // namespace naval::comparison
