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

void Game::Apply(const Event& event) {
  NAVAL_CHECK(phase_ != Phase::kOver);
  std::visit([this](const auto& kind) { Take(kind); }, event);
}

void Game::Take(const PlacementStarted& event) {
  NAVAL_CHECK(phase_ == Phase::kCreated);
  phase_ = Phase::kPlacement;
  deadline_ = event.deadline;
}

void Game::Take(const DraftChanged& event) {
  NAVAL_CHECK(phase_ == Phase::kPlacement && !confirmed(event.seat));
  side(event.seat).draft = event.draft;
}

void Game::Take(const FleetConfirmed& event) {
  NAVAL_CHECK(phase_ == Phase::kPlacement && !confirmed(event.seat));
  NAVAL_CHECK(CheckFleet(rules(), event.fleet).empty());
  side(event.seat).sea.emplace(rules(), event.fleet);
  side(event.seat).draft = Fleet();
}

void Game::Take(const BattleStarted& event) {
  NAVAL_CHECK(phase_ == Phase::kPlacement && confirmed(Seat::kFirst) && confirmed(Seat::kSecond));
  phase_ = Phase::kBattle;
  starter_ = event.starter;
  deadline_.reset();
}

void Game::Take(const ShotDue& event) {
  NAVAL_CHECK(phase_ == Phase::kBattle);
  turn_ = event.seat;
  deadline_ = event.deadline;
}

void Game::Take(const ClockRanOut& event) {
  NAVAL_CHECK(phase_ == Phase::kBattle && turn_ == event.seat);
  side(event.seat).strikes = event.strikes;
  deadline_.reset();
}

void Game::Take(const ShotFired& event) {
  NAVAL_CHECK(phase_ == Phase::kBattle && turn_ == event.seat);
  Sea& target = *side(Rival(event.seat)).sea;
  NAVAL_CHECK(target.open().Contains(event.square));
  NAVAL_CHECK(target.Probe(event.square) == event.impact);
  target.Record(event.square, event.impact);
  if (!event.by_clock) side(event.seat).strikes = 0;
  deadline_.reset();
}

void Game::Take(const ClockAdjusted& event) {
  NAVAL_CHECK(deadline_.has_value());
  deadline_ = event.deadline;
}

void Game::Take(const MatchEnded& event) {
  NAVAL_CHECK(phase_ != Phase::kCreated);
  phase_ = Phase::kOver;
  result_ = event;
  turn_.reset();
  deadline_.reset();
}

}  // namespace naval::rules
