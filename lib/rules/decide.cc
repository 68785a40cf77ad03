#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "lib/rules/game.h"
#include "lib/rules/refusal.h"

namespace naval::rules {
namespace {

using Events = std::vector<Event>;

// One decision: what a command causes in a game as it stands. Each method appends what it causes to
// the events of the decision, so that one happening may bring the next (a confirmation the battle,
// a shot the end).
class Decision {
 public:
  Decision(const Game& game, absl::Time now, Chance chance)
      : game_(game), rules_(game.rules()), now_(now), chance_(chance) {}

  absl::Status Take(const PlaceFleet& command);
  absl::Status Take(const ProposeFleet& command);
  absl::Status Take(const ConfirmFleet& command);
  absl::Status Take(const FireShots& command);
  absl::Status Take(const Resign& command);
  absl::Status Take(const Tick& command);
  absl::Status Take(const Resume& command);

  Events events() && { return std::move(events_); }

 private:
  // Whether the seat may still change or confirm its fleet, naming these ships.
  absl::Status MayPlace(Seat seat, const Fleet& placements) const;
  // `field` is what the command calls these ships, as the fields of the API do.
  absl::Status NamesEachShipOnce(const Fleet& placements, absl::string_view field) const;
  absl::Status MayShoot(Seat seat) const;
  absl::Status ClockStillRuns() const;

  void Confirm(Seat seat, Fleet fleet, bool by_clock);
  void EndPlacement();
  void StartBattle();
  void EndShotClock(Seat seat);
  void Shoot(Seat seat, Square square, bool by_clock);
  void DueShot(Seat seat);
  std::optional<absl::Time> DeadlineAfter(std::optional<absl::Duration> duration) const;

  const Game& game_;
  const RuleSet& rules_;
  const absl::Time now_;
  const Chance chance_;
  Events events_;
};

absl::Status Decision::Take(const PlaceFleet& command) {
  NAVAL_RETURN_IF_ERROR(MayPlace(command.seat, command.draft));
  NAVAL_RETURN_IF_ERROR(NamesEachShipOnce(command.draft, "fleet"));
  events_.push_back(DraftChanged{command.seat, command.draft});
  return absl::OkStatus();
}

absl::Status Decision::Take(const ProposeFleet& command) {
  NAVAL_RETURN_IF_ERROR(MayPlace(command.seat, command.kept));
  NAVAL_RETURN_IF_ERROR(NamesEachShipOnce(command.kept, "kept"));
  NAVAL_ASSIGN_OR_RETURN(Fleet fleet, CompleteFleet(rules_, command.kept, chance_.secret));
  events_.push_back(DraftChanged{command.seat, std::move(fleet)});
  return absl::OkStatus();
}

absl::Status Decision::Take(const ConfirmFleet& command) {
  NAVAL_RETURN_IF_ERROR(MayPlace(command.seat, command.fleet));
  const std::vector<Violation> violations = CheckFleet(rules_, command.fleet);
  if (!violations.empty()) return RefuseFleet(rules_, violations);
  Confirm(command.seat, command.fleet, /*by_clock=*/false);
  if (game_.confirmed(Rival(command.seat))) StartBattle();
  return absl::OkStatus();
}

absl::Status Decision::Take(const FireShots& command) {
  NAVAL_RETURN_IF_ERROR(MayShoot(command.seat));
  if (command.squares.size() != 1) {
    return base::InField(
        Refuse(Refusal::kWrongNumberOfShots,
               {{"required", "1"}, {"shots", absl::StrCat(command.squares.size())}}),
        "squares");
  }
  const Square square = command.squares.front();
  const base::Metadata about = {{"square", square.ToString()}};
  if (!SquareSet::Board(rules_.board_size).Contains(square)) {
    return base::InField(Refuse(Refusal::kInvalidSquare, about), "squares[0]");
  }
  if (!game_.sea(Rival(command.seat))->open().Contains(square)) {
    return Refuse(Refusal::kCellAlreadyKnown, about);
  }
  Shoot(command.seat, square, /*by_clock=*/false);
  return absl::OkStatus();
}

absl::Status Decision::Take(const Resign& command) {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  events_.push_back(MatchEnded{Rival(command.seat), EndReason::kResigned});
  return absl::OkStatus();
}

absl::Status Decision::Take(const Tick&) {
  const std::optional<absl::Time> deadline = game_.NextDeadline();
  if (!deadline.has_value() || now_ < *deadline) return absl::OkStatus();
  if (game_.phase() == Phase::kPlacement) {
    EndPlacement();
  } else {
    EndShotClock(game_.turn().value());
  }
  return absl::OkStatus();
}

absl::Status Decision::Take(const Resume& command) {
  const std::optional<absl::Time> deadline = game_.NextDeadline();
  if (!deadline.has_value()) return absl::OkStatus();
  // A clock runs, so it has a length. The most holds when the machine's clock was set back, too.
  const absl::Duration length = game_.phase() == Phase::kPlacement
                                    ? rules_.placement_duration.value_or(kLeastTimeAfterOutage)
                                    : rules_.shot_duration.value_or(kLeastTimeAfterOutage);
  const absl::Time most = now_ + length;
  const absl::Time least = std::min(now_ + kLeastTimeAfterOutage, most);
  const absl::Time adjusted = std::clamp(*deadline + command.lost, least, most);
  if (adjusted != *deadline) events_.push_back(ClockAdjusted{adjusted});
  return absl::OkStatus();
}

absl::Status Decision::MayPlace(Seat seat, const Fleet& placements) const {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  if (game_.phase() == Phase::kBattle) return Refuse(Refusal::kPlacementIsOver);
  if (game_.confirmed(seat)) return Refuse(Refusal::kFleetAlreadyConfirmed);
  NAVAL_RETURN_IF_ERROR(ClockStillRuns());
  for (const ShipPlacement& placement : placements) {
    if (placement.ship < 0 || placement.ship >= static_cast<int>(rules_.ships.size())) {
      return Refuse(Refusal::kUnknownShip, {{"ship", absl::StrCat(placement.ship)}});
    }
  }
  return absl::OkStatus();
}

absl::Status Decision::NamesEachShipOnce(const Fleet& placements, absl::string_view field) const {
  std::vector<bool> named(rules_.ships.size());
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const std::size_t ship = static_cast<std::size_t>(placements[i].ship);
    if (named[ship]) {
      return base::InField(Refuse(Refusal::kShipPlacedTwice, {{"ship", rules_.ships[ship].id}}),
                           absl::StrCat(field, "[", i, "].ship_id"));
    }
    named[ship] = true;
  }
  return absl::OkStatus();
}

absl::Status Decision::MayShoot(Seat seat) const {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  if (game_.phase() == Phase::kPlacement) return Refuse(Refusal::kBattleNotStarted);
  if (game_.turn() != seat) return Refuse(Refusal::kNotYourTurn);
  return ClockStillRuns();
}

absl::Status Decision::ClockStillRuns() const {
  const std::optional<absl::Time> deadline = game_.NextDeadline();
  if (deadline.has_value() && now_ > *deadline) return Refuse(Refusal::kClockEnded);
  return absl::OkStatus();
}

void Decision::Confirm(Seat seat, Fleet fleet, bool by_clock) {
  fleet = ShuffleAlike(rules_, std::move(fleet), chance_.secret);
  events_.push_back(FleetConfirmed{seat, std::move(fleet), by_clock});
}

// T-07, A-10: nobody loses by the placement clock.
void Decision::EndPlacement() {
  for (const Seat seat : kSeats) {
    if (game_.confirmed(seat)) continue;
    Confirm(seat, CompleteDraft(rules_, game_.fleet(seat), chance_.secret), /*by_clock=*/true);
  }
  StartBattle();
}

void Decision::StartBattle() {
  Seat starter = Seat::kFirst;
  if (game_.settings().starter.has_value()) {
    starter = *game_.settings().starter;
  } else if (chance_.open.Uniform(2) == 1) {
    starter = Seat::kSecond;
  }
  events_.push_back(BattleStarted{starter});
  DueShot(starter);
}

// T-16, T-17: the end that loses brings no further shot.
void Decision::EndShotClock(Seat seat) {
  const int strikes = game_.strikes(seat) + 1;
  events_.push_back(ClockRanOut{seat, strikes});
  if (strikes >= rules_.strikes_to_lose) {
    events_.push_back(MatchEnded{Rival(seat), EndReason::kTimedOut});
    return;
  }
  const SquareSet open = game_.sea(Rival(seat))->open();
  const std::uint64_t drawn = chance_.open.Uniform(static_cast<std::uint64_t>(open.size()));
  Shoot(seat, open.Nth(static_cast<int>(drawn)), /*by_clock=*/true);
}

void Decision::Shoot(Seat seat, Square square, bool by_clock) {
  const Sea& target = *game_.sea(Rival(seat));
  const Impact impact = target.Probe(square);
  events_.push_back(ShotFired{seat, square, impact, by_clock});
  const bool last_ship = target.sunk_ships().size() + 1 == target.fleet().size();
  if (impact.result == ShotResult::kSunk && last_ship) {
    events_.push_back(MatchEnded{seat, EndReason::kFleetDestroyed});
    return;
  }
  const bool again =
      rules_.turn_order == TurnOrder::kHitAgain && impact.result != ShotResult::kWater;
  DueShot(again ? seat : Rival(seat));
}

void Decision::DueShot(Seat seat) {
  events_.push_back(ShotDue{seat, DeadlineAfter(rules_.shot_duration)});
}

std::optional<absl::Time> Decision::DeadlineAfter(std::optional<absl::Duration> duration) const {
  if (!duration.has_value()) return std::nullopt;
  return now_ + *duration;
}

}  // namespace

std::vector<Event> Game::Start(absl::Time now) const {
  NAVAL_CHECK(phase_ == Phase::kCreated);
  PlacementStarted started;
  if (rules().placement_duration.has_value()) started.deadline = now + *rules().placement_duration;
  return {started};
}

absl::StatusOr<std::vector<Event>> Game::Decide(const Command& command, absl::Time now,
                                                Chance chance) const {
  NAVAL_CHECK(phase_ != Phase::kCreated);
  Decision decision(*this, now, chance);
  NAVAL_RETURN_IF_ERROR(
      std::visit([&decision](const auto& kind) { return decision.Take(kind); }, command));
  return std::move(decision).events();
}

}  // namespace naval::rules
