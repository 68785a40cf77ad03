#include "lib/rules/game.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "absl/types/span.h"
#include "lib/base/check.h"
#include "lib/rules/volley.h"

namespace naval::rules {

// What the events do to the state. What a command causes stands in decide.cc.

Game::Game(GameSettings settings) : settings_(std::move(settings)) {}

const Fleet& Game::fleet(Seat seat) const {
  const Side& owner = side(seat);
  return owner.sea.has_value() ? owner.sea->fleet() : owner.draft;
}

const Sea* Game::sea(Seat seat) const {
  const Side& owner = side(seat);
  return owner.sea.has_value() ? &*owner.sea : nullptr;
}

std::optional<absl::Time> Game::NextDeadline() const {
  if (rules().clock_end == ClockEnd::kMayBeClaimed || !deadline_.has_value()) {
    return idle_deadline_;
  }
  return idle_deadline_.has_value() ? std::min(*deadline_, *idle_deadline_) : *deadline_;
}

bool Game::Awaits(Seat seat) const {
  if (phase_ == Phase::kPlacement) return !confirmed(seat);
  if (phase_ == Phase::kBattle && fires_volleys()) {
    return round_open() && !side(seat).volley.has_value();
  }
  return turn_ == seat;
}

Seat Game::NextToShoot(Seat seat, ShotResult result) const {
  const bool again = rules().turn_order == TurnOrder::kHitAgain && result != ShotResult::kWater;
  return again ? seat : Rival(seat);
}

bool Game::Accepts(const Event& event) const {
  return phase_ != Phase::kOver &&
         std::visit([this](const auto& kind) { return CanTake(kind); }, event);
}

bool Game::settled() const {
  if (result_.has_value()) return true;
  if (idle_deadline_.has_value() != rules().idle_duration.has_value()) return false;
  switch (phase_) {
    case Phase::kCreated:
      return false;
    case Phase::kPlacement:
      return !(confirmed(Seat::kFirst) && confirmed(Seat::kSecond)) &&
             deadline_.has_value() == rules().placement_duration.has_value();
    case Phase::kBattle:
      return (Awaits(Seat::kFirst) || Awaits(Seat::kSecond)) && !side(Seat::kFirst).clock_ended &&
             !side(Seat::kSecond).clock_ended &&
             deadline_.has_value() == rules().shot_duration.has_value();
    case Phase::kOver:
      return true;
  }
  NAVAL_CHECK(false);
}

void Game::Apply(const Event& event) {
  NAVAL_CHECK(Accepts(event));
  std::visit([this](const auto& kind) { Take(kind); }, event);
}

bool Game::CanTake(const PlacementStarted&) const { return phase_ == Phase::kCreated; }

void Game::Take(const PlacementStarted& event) {
  phase_ = Phase::kPlacement;
  deadline_ = event.deadline;
}

bool Game::CanTake(const DraftChanged& event) const {
  return phase_ == Phase::kPlacement && !confirmed(event.seat);
}

void Game::Take(const DraftChanged& event) { side(event.seat).draft = event.draft; }

bool Game::CanTake(const FleetConfirmed& event) const {
  return phase_ == Phase::kPlacement && !confirmed(event.seat) &&
         CheckFleet(rules(), event.fleet).empty();
}

void Game::Take(const FleetConfirmed& event) {
  idle_deadline_.reset();
  side(event.seat).sea.emplace(rules(), event.fleet);
  side(event.seat).draft = Fleet();
}

bool Game::CanTake(const BattleStarted& event) const {
  return phase_ == Phase::kPlacement && confirmed(Seat::kFirst) && confirmed(Seat::kSecond) &&
         settings_.starter.value_or(event.starter) == event.starter;
}

void Game::Take(const BattleStarted& event) {
  phase_ = Phase::kBattle;
  starter_ = event.starter;
  next_turn_ = event.starter;
  deadline_.reset();
}

bool Game::CanTake(const ShotDue& event) const {
  return phase_ == Phase::kBattle && !fires_volleys() && next_turn_ == event.seat &&
         !sea(Seat::kFirst)->destroyed() && !sea(Seat::kSecond)->destroyed();
}

void Game::Take(const ShotDue& event) {
  turn_ = event.seat;
  next_turn_.reset();
  deadline_ = event.deadline;
}

bool Game::CanTake(const ClockRanOut& event) const {
  return phase_ == Phase::kBattle && deadline_.has_value() && Awaits(event.seat) &&
         rules().shot_duration.has_value() && rules().clock_end != ClockEnd::kMayBeClaimed &&
         !side(event.seat).clock_ended && event.strikes == strikes(event.seat) + 1;
}

// One clock may serve both seats, so it stays until what it ended is over.
void Game::Take(const ClockRanOut& event) {
  side(event.seat).strikes = event.strikes;
  side(event.seat).clock_ended = true;
}

bool Game::CanTake(const ShotFired& event) const {
  if (phase_ != Phase::kBattle || turn_ != event.seat) return false;
  const Sea& target = *sea(Rival(event.seat));
  return event.by_clock == side(event.seat).clock_ended && target.open().Contains(event.square) &&
         target.Probe(event.square) == event.impact;
}

void Game::Take(const ShotFired& event) {
  idle_deadline_.reset();
  side(Rival(event.seat)).sea->Record(event.square, event.impact);
  if (!event.by_clock) side(event.seat).strikes = 0;
  side(event.seat).clock_ended = false;
  turn_.reset();
  next_turn_ = NextToShoot(event.seat, event.impact.result);
  deadline_.reset();
}

bool Game::CanTake(const VolleyDue& event) const {
  return phase_ == Phase::kBattle && fires_volleys() && event.round == round_ + 1 &&
         volley_sizes_.size() == 2 * static_cast<std::size_t>(round_) &&
         !sea(Seat::kFirst)->destroyed() && !sea(Seat::kSecond)->destroyed() &&
         event.shots[0] == VolleySize(rules(), sea(Seat::kFirst), sea(Seat::kSecond)) &&
         event.shots[1] == VolleySize(rules(), sea(Seat::kSecond), sea(Seat::kFirst));
}

void Game::Take(const VolleyDue& event) {
  round_ = event.round;
  deadline_ = event.deadline;
}

bool Game::CanTake(const VolleyFired& event) const {
  if (phase_ != Phase::kBattle || !fires_volleys() || !Awaits(event.seat)) return false;
  const Sea& target = *sea(Rival(event.seat));
  return event.by_clock == side(event.seat).clock_ended &&
         target.open().ContainsAll(event.squares) &&
         event.squares.size() == VolleySize(rules(), sea(event.seat), &target);
}

void Game::Take(const VolleyFired& event) {
  idle_deadline_.reset();
  side(event.seat).volley = event.squares;
  if (!event.by_clock) side(event.seat).strikes = 0;
  side(event.seat).clock_ended = false;
}

bool Game::CanTake(const VolleyAnswered& event) const {
  if (phase_ != Phase::kBattle || round_ == 0 || !side(event.seat).volley.has_value()) return false;
  const bool first = event.seat == starter_;
  if (first != round_open()) return false;
  if (first && !side(Rival(event.seat)).volley.has_value()) return false;
  Sea target = *sea(Rival(event.seat));
  return event == AnswerVolley(rules(), target, event.seat, round_, *side(event.seat).volley);
}

void Game::Take(const VolleyAnswered& event) {
  AnswerVolley(rules(), *side(Rival(event.seat)).sea, event.seat, event.round, event.squares);
  side(event.seat).volley.reset();
  volley_sizes_.push_back(static_cast<std::uint8_t>(event.squares.size()));
  deadline_.reset();
}

std::vector<VolleyAnswered> Game::volleys() const {
  std::vector<VolleyAnswered> volleys;
  if (volley_sizes_.empty()) return volleys;
  // In the order in which a round is answered: the starter's volley into its rival's sea first.
  const std::array<Seat, 2> shooters = {*starter_, Rival(*starter_)};
  std::array<Sea, 2> targets = {Sea(rules(), sea(shooters[1])->fleet()),
                                Sea(rules(), sea(shooters[0])->fleet())};
  std::array<absl::Span<const ShotMark>, 2> shots = {sea(shooters[1])->shots(),
                                                     sea(shooters[0])->shots()};
  for (const std::uint8_t size : volley_sizes_) {
    const std::size_t turn = volleys.size() % 2;
    SquareSet squares;
    for (const ShotMark& shot : shots[turn].first(size)) squares.Add(shot.square);
    shots[turn].remove_prefix(size);
    const int round = static_cast<int>(volleys.size() / 2) + 1;
    volleys.push_back(AnswerVolley(rules(), targets[turn], shooters[turn], round, squares));
  }
  return volleys;
}

bool Game::CanTake(const ClockAdjusted&) const {
  return deadline_.has_value() && (Awaits(Seat::kFirst) || Awaits(Seat::kSecond)) &&
         !side(Seat::kFirst).clock_ended && !side(Seat::kSecond).clock_ended;
}

void Game::Take(const ClockAdjusted& event) { deadline_ = event.deadline; }

bool Game::CanTake(const IdleClockSet&) const {
  return phase_ != Phase::kCreated && rules().idle_duration.has_value();
}

void Game::Take(const IdleClockSet& event) { idle_deadline_ = event.deadline; }

bool Game::CanTake(const MatchEnded& event) const {
  if (phase_ == Phase::kCreated) return false;
  if (event.reason != EndReason::kIllegalFleet && !event.illegal_fleet.empty()) return false;
  if (!event.winner.has_value()) return CanBeVoid(event);
  const Seat loser = Rival(*event.winner);
  switch (event.reason) {
    case EndReason::kResigned:
      return true;
    case EndReason::kFleetDestroyed:
      return CanEndBySinking(event);
    case EndReason::kIllegalFleet:
      return phase_ == Phase::kPlacement && rules().illegal_fleet == IllegalFleet::kLoses &&
             !confirmed(loser) && !CheckFleet(rules(), event.illegal_fleet).empty();
    case EndReason::kAbsenceClaimed:
      return rules().clock_end == ClockEnd::kMayBeClaimed && deadline_.has_value() &&
             Awaits(loser) && !Awaits(*event.winner);
    case EndReason::kTimedOut:
    case EndReason::kTurnSkipped:
      return CanEndByTheClock(event);
    default:
      return false;
  }
}

bool Game::CanBeVoid(const MatchEnded& event) const {
  switch (event.reason) {
    case EndReason::kIdle:
      return rules().idle_duration.has_value();
    case EndReason::kBothAbsent:
      return CanEndByTheClock(event);
    default:
      return event.reason == EndReason::kAborted;
  }
}

bool Game::CanEndBySinking(const MatchEnded& event) const {
  const Sea* const sunk = sea(Rival(*event.winner));
  if (phase_ != Phase::kBattle || !sunk->destroyed()) return false;
  if (!fires_volleys()) return true;
  const bool round_over = volley_sizes_.size() == 2 * static_cast<std::size_t>(round_);
  return round_over && (event.winner == starter_ || !sea(*event.winner)->destroyed());
}

bool Game::CanEndByTheClock(const MatchEnded& event) const {
  for (const Seat seat : kSeats) {
    const bool loses = side(seat).clock_ended && (rules().clock_end == ClockEnd::kLoses ||
                                                  strikes(seat) >= rules().strikes_to_lose);
    if (loses == (event.winner == seat)) return false;
  }
  return !event.winner.has_value() ||
         (event.reason == EndReason::kTurnSkipped) == (rules().clock_end == ClockEnd::kLoses);
}

void Game::Take(const MatchEnded& event) {
  phase_ = Phase::kOver;
  result_ = event;
  turn_.reset();
  next_turn_.reset();
  deadline_.reset();
  idle_deadline_.reset();
}

}  // namespace naval::rules
