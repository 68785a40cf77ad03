#include "lib/rules/game.h"

#include <utility>
#include <variant>

#include "lib/base/check.h"

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

bool Game::Accepts(const Event& event) const {
  return phase_ != Phase::kOver &&
         std::visit([this](const auto& kind) { return CanTake(kind); }, event);
}

bool Game::settled() const {
  switch (phase_) {
    case Phase::kCreated:
      return false;
    case Phase::kPlacement:
      return !(confirmed(Seat::kFirst) && confirmed(Seat::kSecond)) &&
             deadline_.has_value() == rules().placement_duration.has_value();
    case Phase::kBattle:
      return turn_.has_value() && deadline_.has_value() == rules().shot_duration.has_value();
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
  side(event.seat).sea.emplace(rules(), event.fleet);
  side(event.seat).draft = Fleet();
}

bool Game::CanTake(const BattleStarted&) const {
  return phase_ == Phase::kPlacement && confirmed(Seat::kFirst) && confirmed(Seat::kSecond);
}

void Game::Take(const BattleStarted& event) {
  phase_ = Phase::kBattle;
  starter_ = event.starter;
  deadline_.reset();
}

bool Game::CanTake(const ShotDue&) const {
  return phase_ == Phase::kBattle && !turn_.has_value() && !sea(Seat::kFirst)->destroyed() &&
         !sea(Seat::kSecond)->destroyed();
}

void Game::Take(const ShotDue& event) {
  turn_ = event.seat;
  deadline_ = event.deadline;
}

bool Game::CanTake(const ClockRanOut& event) const {
  return phase_ == Phase::kBattle && turn_ == event.seat && deadline_.has_value() &&
         event.strikes == strikes(event.seat) + 1;
}

void Game::Take(const ClockRanOut& event) {
  side(event.seat).strikes = event.strikes;
  deadline_.reset();
}

bool Game::CanTake(const ShotFired& event) const {
  if (phase_ != Phase::kBattle || turn_ != event.seat) return false;
  const Sea& target = *sea(Rival(event.seat));
  return target.open().Contains(event.square) && target.Probe(event.square) == event.impact;
}

void Game::Take(const ShotFired& event) {
  side(Rival(event.seat)).sea->Record(event.square, event.impact);
  if (!event.by_clock) side(event.seat).strikes = 0;
  turn_.reset();
  deadline_.reset();
}

bool Game::CanTake(const ClockAdjusted&) const { return deadline_.has_value(); }

void Game::Take(const ClockAdjusted& event) { deadline_ = event.deadline; }

bool Game::CanTake(const MatchEnded&) const { return phase_ != Phase::kCreated; }

void Game::Take(const MatchEnded& event) {
  phase_ = Phase::kOver;
  result_ = event;
  turn_.reset();
  deadline_.reset();
}

}  // namespace naval::rules
