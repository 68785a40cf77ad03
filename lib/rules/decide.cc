#include <algorithm>
#include <array>
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
#include "lib/rules/volley.h"

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
  absl::Status Take(const ClaimAbsence& command);
  absl::Status Take(const Abort& command);
  absl::Status Take(const Tick& command);
  absl::Status Take(const Resume& command);

  // Starts the idle clock anew if the decision holds a move and the match goes on. Drafts are no
  // moves: who sees when a match ends must not learn of them (T-03).
  void RestartIdleClock();

  Events events() && { return std::move(events_); }

 private:
  // Whether the seat may still change or confirm its fleet, naming these ships.
  absl::Status MayPlace(Seat seat, const Fleet& placements) const;
  // `field` is what the command calls these ships, as the fields of the API do.
  absl::Status NamesEachShipOnce(const Fleet& placements, absl::string_view field) const;
  absl::Status MayShoot(const FireShots& command) const;
  // Whether the command is for the round that is due.
  absl::Status IsOfThisRound(int round) const;
  // Whether these are as many shots as the seat has now, at squares that it may call.
  absl::Status CanBeFired(const FireShots& command) const;
  absl::Status ClockStillRuns() const;

  void Confirm(Seat seat, Fleet fleet, bool by_clock);
  // The seat has moved, and its rival is awaited under the same clock still. Who comes back when
  // both were absent has not waited: a claim needs the whole time anew (M-14, A-09).
  void GiveRivalTheWholeTime();
  // Of the clock of what is awaited.
  std::optional<absl::Duration> ClockLength() const {
    return game_.phase() == Phase::kPlacement ? rules_.placement_duration : rules_.shot_duration;
  }
  bool fires_volleys() const { return rules_.turn_order == TurnOrder::kVolley; }
  // The volleys that are in, in the order of the seats.
  std::array<std::optional<SquareSet>, 2> VolleysIn() const {
    return {game_.volley(Seat::kFirst), game_.volley(Seat::kSecond)};
  }

  void EndPlacement();
  void StartBattle();
  void EndShotClock(Seat seat);
  void EndVolleyClock();
  // Whether the ends of these seats' clock end the match.
  bool EndsByClock(const std::vector<Seat>& late);
  // Both volleys are in, in the order of the seats.
  void AnswerRound(const std::array<SquareSet, 2>& volleys);
  void Shoot(Seat seat, Square square, bool by_clock);
  void DueShot(Seat seat);
  // A clock's end after an outage.
  absl::Time Resumed(absl::Time deadline, absl::Duration lost,
                     std::optional<absl::Duration> length) const;
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
  if (!violations.empty() && rules_.illegal_fleet == IllegalFleet::kRefused) {
    return RefuseFleet(rules_, violations);
  }
  if (!violations.empty()) {
    events_.push_back(MatchEnded{Rival(command.seat), EndReason::kIllegalFleet, command.fleet});
    return absl::OkStatus();
  }
  Confirm(command.seat, command.fleet, /*by_clock=*/false);
  if (game_.confirmed(Rival(command.seat))) {
    StartBattle();
  } else {
    GiveRivalTheWholeTime();
  }
  return absl::OkStatus();
}

absl::Status Decision::Take(const FireShots& command) {
  NAVAL_RETURN_IF_ERROR(MayShoot(command));
  NAVAL_RETURN_IF_ERROR(CanBeFired(command));
  if (!fires_volleys()) {
    Shoot(command.seat, command.squares.front(), /*by_clock=*/false);
    return absl::OkStatus();
  }
  std::array<std::optional<SquareSet>, 2> volleys = VolleysIn();
  SquareSet squares;
  for (const Square square : command.squares) squares.Add(square);
  OfSeat(volleys, command.seat) = squares;
  events_.push_back(VolleyFired{command.seat, squares, /*by_clock=*/false});
  if (volleys[0].has_value() && volleys[1].has_value()) {
    AnswerRound({*volleys[0], *volleys[1]});
  } else {
    GiveRivalTheWholeTime();
  }
  return absl::OkStatus();
}

absl::Status Decision::Take(const Resign& command) {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  events_.push_back(MatchEnded{Rival(command.seat), EndReason::kResigned});
  return absl::OkStatus();
}

// M-14, A-09.
absl::Status Decision::Take(const ClaimAbsence& command) {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  NAVAL_RETURN_IF_ERROR(ClockStillRuns());
  const bool claimable = rules_.clock_end == ClockEnd::kMayBeClaimed &&
                         game_.deadline().has_value() && now_ > *game_.deadline();
  if (!claimable || game_.Awaits(command.seat) || !game_.Awaits(Rival(command.seat))) {
    return Refuse(Refusal::kRivalNotAbsent);
  }
  events_.push_back(MatchEnded{command.seat, EndReason::kAbsenceClaimed});
  return absl::OkStatus();
}

absl::Status Decision::Take(const Abort&) {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  events_.push_back(MatchEnded{std::nullopt, EndReason::kAborted});
  return absl::OkStatus();
}

absl::Status Decision::Take(const Tick&) {
  const std::optional<absl::Time> deadline = game_.NextDeadline();
  if (!deadline.has_value() || now_ < *deadline) return absl::OkStatus();
  if (game_.idle_deadline() == deadline) {
    events_.push_back(MatchEnded{std::nullopt, EndReason::kIdle});
  } else if (game_.phase() == Phase::kPlacement) {
    EndPlacement();
  } else if (fires_volleys()) {
    EndVolleyClock();
  } else {
    EndShotClock(game_.turn().value());
  }
  return absl::OkStatus();
}

absl::Status Decision::Take(const Resume& command) {
  const std::optional<absl::Time> deadline = game_.deadline();
  const bool ended_before = rules_.clock_end == ClockEnd::kMayBeClaimed && deadline.has_value() &&
                            *deadline + command.lost < now_;
  if (deadline.has_value() && !ended_before) {
    const absl::Time adjusted = Resumed(*deadline, command.lost, ClockLength());
    if (adjusted != *deadline) events_.push_back(ClockAdjusted{adjusted});
  }
  if (const std::optional<absl::Time> idle = game_.idle_deadline()) {
    const absl::Time adjusted = Resumed(*idle, command.lost, rules_.idle_duration);
    if (adjusted != *idle) events_.push_back(IdleClockSet{adjusted});
  }
  return absl::OkStatus();
}

// A clock that runs has a length. The most holds when the machine's clock was set back, too.
absl::Time Decision::Resumed(absl::Time deadline, absl::Duration lost,
                             std::optional<absl::Duration> length) const {
  const absl::Time most = now_ + length.value_or(kLeastTimeAfterOutage);
  const absl::Time least = std::min(now_ + kLeastTimeAfterOutage, most);
  return std::clamp(deadline + lost, least, most);
}

void Decision::RestartIdleClock() {
  if (!rules_.idle_duration.has_value()) return;
  bool moved = false;
  for (const Event& event : events_) {
    if (std::holds_alternative<MatchEnded>(event)) return;
    moved = moved || std::holds_alternative<FleetConfirmed>(event) ||
            std::holds_alternative<ShotFired>(event) || std::holds_alternative<VolleyFired>(event);
  }
  if (moved) events_.push_back(IdleClockSet{now_ + *rules_.idle_duration});
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

absl::Status Decision::MayShoot(const FireShots& command) const {
  if (game_.phase() == Phase::kOver) return Refuse(Refusal::kMatchOver);
  if (game_.phase() == Phase::kPlacement) return Refuse(Refusal::kBattleNotStarted);
  NAVAL_RETURN_IF_ERROR(IsOfThisRound(command.round));
  if (!game_.Awaits(command.seat)) {
    return Refuse(fires_volleys() ? Refusal::kVolleyAlreadyFired : Refusal::kNotYourTurn);
  }
  return ClockStillRuns();
}

absl::Status Decision::IsOfThisRound(int round) const {
  if (fires_volleys() ? round < 1 : round != 0) {
    return base::InField(Refuse(Refusal::kInvalidRound, {{"round", absl::StrCat(round)}}), "round");
  }
  if (round == game_.round()) return absl::OkStatus();
  return Refuse(Refusal::kNotThisRound,
                {{"due", absl::StrCat(game_.round())}, {"round", absl::StrCat(round)}});
}

absl::Status Decision::CanBeFired(const FireShots& command) const {
  const Sea& target = *game_.sea(Rival(command.seat));
  const int required = fires_volleys() ? VolleySize(rules_, game_.sea(command.seat), &target) : 1;
  if (static_cast<int>(command.squares.size()) != required) {
    return base::InField(
        Refuse(Refusal::kWrongNumberOfShots, {{"required", absl::StrCat(required)},
                                              {"shots", absl::StrCat(command.squares.size())}}),
        "squares");
  }
  SquareSet called;
  for (std::size_t i = 0; i < command.squares.size(); ++i) {
    const Square square = command.squares[i];
    const base::Metadata about = {{"square", square.ToString()}};
    const std::string field = absl::StrCat("squares[", i, "]");
    if (!SquareSet::Board(rules_.board_size).Contains(square)) {
      return base::InField(Refuse(Refusal::kInvalidSquare, about), field);
    }
    if (called.Contains(square)) {
      return base::InField(Refuse(Refusal::kSquareCalledTwice, about), field);
    }
    if (!target.open().Contains(square)) return Refuse(Refusal::kCellAlreadyKnown, about);
    called.Add(square);
  }
  return absl::OkStatus();
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

void Decision::GiveRivalTheWholeTime() {
  const std::optional<absl::Time> deadline = game_.deadline();
  if (rules_.clock_end != ClockEnd::kMayBeClaimed || !deadline.has_value() || now_ <= *deadline) {
    return;
  }
  events_.push_back(ClockAdjusted{now_ + ClockLength().value()});
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
  if (fires_volleys()) {
    const int shots = VolleySize(rules_, nullptr, nullptr);
    events_.push_back(VolleyDue{1, {shots, shots}, DeadlineAfter(rules_.shot_duration)});
  } else {
    DueShot(starter);
  }
}

// T-16.
void Decision::EndShotClock(Seat seat) {
  if (EndsByClock({seat})) return;
  const SquareSet open = game_.sea(Rival(seat))->open();
  const std::uint64_t drawn = chance_.open.Uniform(static_cast<std::uint64_t>(open.size()));
  Shoot(seat, open.Nth(static_cast<int>(drawn)), /*by_clock=*/true);
}

// S-12.
void Decision::EndVolleyClock() {
  std::vector<Seat> late;
  for (const Seat seat : kSeats) {
    if (game_.Awaits(seat)) late.push_back(seat);
  }
  if (EndsByClock(late)) return;
  std::array<std::optional<SquareSet>, 2> volleys = VolleysIn();
  for (const Seat seat : late) {
    const Sea& target = *game_.sea(Rival(seat));
    SquareSet open = target.open();
    SquareSet drawn;
    for (int left = VolleySize(rules_, game_.sea(seat), &target); left > 0; --left) {
      const std::uint64_t nth = chance_.open.Uniform(static_cast<std::uint64_t>(open.size()));
      const Square square = open.Nth(static_cast<int>(nth));
      open.Remove(square);
      drawn.Add(square);
    }
    events_.push_back(VolleyFired{seat, drawn, /*by_clock=*/true});
    OfSeat(volleys, seat) = drawn;
  }
  AnswerRound({volleys[0].value(), volleys[1].value()});
}

// T-17, C-10, S-12: the end that loses brings no further shot.
bool Decision::EndsByClock(const std::vector<Seat>& late) {
  std::vector<Seat> losers;
  for (const Seat seat : late) {
    const int strikes = game_.strikes(seat) + 1;
    events_.push_back(ClockRanOut{seat, strikes});
    if (rules_.clock_end == ClockEnd::kLoses || strikes >= rules_.strikes_to_lose) {
      losers.push_back(seat);
    }
  }
  if (losers.empty()) return false;
  if (losers.size() > 1) {
    events_.push_back(MatchEnded{std::nullopt, EndReason::kBothAbsent});
  } else {
    events_.push_back(MatchEnded{Rival(losers.front()), rules_.clock_end == ClockEnd::kLoses
                                                            ? EndReason::kTurnSkipped
                                                            : EndReason::kTimedOut});
  }
  return true;
}

// S-08, S-11: both volleys count, and where both end a fleet, the one that was answered first wins.
void Decision::AnswerRound(const std::array<SquareSet, 2>& volleys) {
  std::array<Sea, 2> seas = {*game_.sea(Seat::kFirst), *game_.sea(Seat::kSecond)};
  std::optional<Seat> winner;
  const Seat first = game_.starter().value();
  for (const Seat seat : {first, Rival(first)}) {
    Sea& target = OfSeat(seas, Rival(seat));
    events_.push_back(AnswerVolley(rules_, target, seat, game_.round(), OfSeat(volleys, seat)));
    if (target.destroyed() && !winner.has_value()) winner = seat;
  }
  if (winner.has_value()) {
    events_.push_back(MatchEnded{winner, EndReason::kFleetDestroyed});
    return;
  }
  events_.push_back(
      VolleyDue{game_.round() + 1,
                {VolleySize(rules_, &seas[0], &seas[1]), VolleySize(rules_, &seas[1], &seas[0])},
                DeadlineAfter(rules_.shot_duration)});
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
  DueShot(game_.NextToShoot(seat, impact.result));
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
  std::vector<Event> events = {started};
  if (rules().idle_duration.has_value()) {
    events.push_back(IdleClockSet{now + *rules().idle_duration});
  }
  return events;
}

absl::StatusOr<std::vector<Event>> Game::Decide(const Command& command, absl::Time now,
                                                Chance chance) const {
  NAVAL_CHECK(phase_ != Phase::kCreated);
  Decision decision(*this, now, chance);
  NAVAL_RETURN_IF_ERROR(
      std::visit([&decision](const auto& kind) { return decision.Take(kind); }, command));
  decision.RestartIdleClock();
  return std::move(decision).events();
}

}  // namespace naval::rules
