#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "lib/base/random.h"
#include "lib/rules/command.h"
#include "lib/rules/event.h"
#include "lib/rules/game_settings.h"
#include "lib/rules/placement.h"
#include "lib/rules/rule_set.h"
#include "lib/rules/sea.h"
#include "lib/rules/seat.h"

namespace naval::rules {

struct GameState;

// What a running clock has at least when a match is taken up again after an outage.
inline constexpr absl::Duration kLeastTimeAfterOutage = absl::Seconds(10);

// The chance that a decision may use, from two sources: what a player draws in secret (fleets) must
// not steer what everybody sees (who starts, shots by the clock), or the number of proposals a
// player asked for could be read from it (T-23). The sources may be one where nobody can know its
// state.
struct Chance {
  base::Random& secret;
  base::Random& open;
};

enum class Phase : std::uint8_t {
  // Before the first event.
  kCreated,
  kPlacement,
  kBattle,
  kOver,
};

// One match: a state that only events change. A new match is `Game game(settings)` and the events
// of Start; a stored one is `Game game(settings)` and every event of its log. Commands go through
// Decide, whose events the caller makes durable, then hands to Apply one by one, in order, before
// the next Decide. To be spared the long way through a log, keep a State and go on FromState.
//
// Clocks are rules: the time is handed in, the caller waits for NextDeadline and sends Tick. Times
// handed in must not decrease within a match. Commands are decided in the order of their arrival;
// a move stamped later than the running deadline is refused with CLOCK_ENDED, one stamped at or
// before it counts. Resigning is never late.
//
// Holds every secret of the match: nothing of it may leave the process but through view.h. Not
// thread safe; const calls may run in parallel.
class Game {
 public:
  explicit Game(GameSettings settings);

  // The game with these settings that stands like this. DATA_LOSS, naming the part at fault, when
  // none can: when no events that Accepts lets through lead there, each as Apply takes them.
  static absl::StatusOr<Game> FromState(GameSettings settings, const GameState& state);

  // What it takes to stand like this again. Requires settled(), and a match that is not over.
  GameState State() const;

  // The first events of a new match. Requires phase() == kCreated. Changes nothing.
  std::vector<Event> Start(absl::Time now) const;

  // The events that the command causes, or the refusal (see command.h for which, refusal.h for
  // their codes). Changes nothing. Requires phase() != kCreated.
  absl::StatusOr<std::vector<Event>> Decide(const Command& command, absl::Time now,
                                            Chance chance) const;

  // Whether the event can follow the ones before it. Start and Decide give no other; a stored log
  // is asked before it is believed.
  bool Accepts(const Event& event) const;

  // Whether the game waits for a player or a clock, as it does after all events of Start or of one
  // Decide. False before the first event and in the middle of the events of one command, where no
  // log ends.
  bool settled() const;

  // Takes an event from Start, Decide or the log of this match. Cannot fail: an event that cannot
  // follow the ones before it is a broken log or a bug, and ends the process.
  void Apply(const Event& event);

  // When Tick is due next; nullopt when no clock runs that ends anything by itself.
  std::optional<absl::Time> NextDeadline() const;

  const GameSettings& settings() const { return settings_; }
  const RuleSet& rules() const { return *settings_.rules; }
  Phase phase() const { return phase_; }
  // The seat's latest draft; the fleet itself once it is confirmed.
  const Fleet& fleet(Seat seat) const;
  bool confirmed(Seat seat) const { return side(seat).sea.has_value(); }
  // The sea of the seat's own fleet, the one that its rival fires at; null until the fleet is
  // confirmed.
  const Sea* sea(Seat seat) const;
  // How many ends of the seat's shot clock in a row.
  int strikes(Seat seat) const { return side(seat).strikes; }
  // Who shot, or is to shoot, first; nullopt before the battle.
  std::optional<Seat> starter() const { return starter_; }
  // Whose shot is due; nullopt outside the battle, and in one of volleys.
  std::optional<Seat> turn() const { return turn_; }
  // The round of volleys that is due or being answered, from 1; 0 before the first, and without
  // volleys.
  int round() const { return round_; }
  // The seat's volley that is in and not answered yet.
  const std::optional<SquareSet>& volley(Seat seat) const { return side(seat).volley; }
  // Every volley that was answered, in order: two for each round.
  std::vector<VolleyAnswered> volleys() const;
  // Whose shot is due after one of this seat (T-10, T-11, T-18, S-03).
  Seat NextToShoot(Seat seat, ShotResult result) const;
  // Whether the match waits for this seat: for its fleet, its shot or its volley.
  bool Awaits(Seat seat) const;
  // When the clock of what is awaited ends or ended; nullopt without one.
  std::optional<absl::Time> deadline() const { return deadline_; }
  // When the match ends if nobody moves; nullopt where the rules know no such end.
  std::optional<absl::Time> idle_deadline() const { return idle_deadline_; }
  // How the match ended; nullopt while it lasts.
  const std::optional<MatchEnded>& result() const { return result_; }

 private:
  struct Side {
    Fleet draft;
    std::optional<Sea> sea;
    std::optional<SquareSet> volley;
    int strikes = 0;
    // The shot clock ended, and the shot or volley that the server fires for it is still to come.
    bool clock_ended = false;
  };

  // One for each kind of event.
  bool CanTake(const PlacementStarted& event) const;
  void Take(const PlacementStarted& event);
  bool CanTake(const DraftChanged& event) const;
  void Take(const DraftChanged& event);
  bool CanTake(const FleetConfirmed& event) const;
  void Take(const FleetConfirmed& event);
  bool CanTake(const BattleStarted& event) const;
  void Take(const BattleStarted& event);
  bool CanTake(const ShotDue& event) const;
  void Take(const ShotDue& event);
  bool CanTake(const ClockRanOut& event) const;
  void Take(const ClockRanOut& event);
  bool CanTake(const ShotFired& event) const;
  void Take(const ShotFired& event);
  bool CanTake(const VolleyDue& event) const;
  void Take(const VolleyDue& event);
  bool CanTake(const VolleyFired& event) const;
  void Take(const VolleyFired& event);
  bool CanTake(const VolleyAnswered& event) const;
  void Take(const VolleyAnswered& event);
  bool CanTake(const ClockAdjusted& event) const;
  void Take(const ClockAdjusted& event);
  bool CanTake(const IdleClockSet& event) const;
  void Take(const IdleClockSet& event);
  bool CanTake(const MatchEnded& event) const;
  void Take(const MatchEnded& event);

  // The parts of FromState, from what is believed already to the rest. One that fails leaves a game
  // of no use.
  absl::Status RestoreFleets(const GameState& state);
  absl::Status RestoreBattle(const GameState& state);
  absl::Status RestoreShots(const GameState& state);
  absl::Status RestoreVolleys(const GameState& state);
  absl::Status RestoreVolleyIn(Seat seat, const GameState& state);
  absl::Status RestoreStrikes(Seat seat, const GameState& state);
  absl::Status RestoreClocks(const GameState& state);

  // Whether the match is at a point where it ends like this.
  bool CanBeVoid(const MatchEnded& event) const;
  bool CanEndBySinking(const MatchEnded& event) const;
  bool CanEndByTheClock(const MatchEnded& event) const;

  bool fires_volleys() const { return rules().turn_order == TurnOrder::kVolley; }
  // Whether neither volley of the round was answered yet. False before the first round.
  bool round_open() const {
    return round_ > 0 && volley_sizes_.size() == 2 * (static_cast<std::size_t>(round_) - 1);
  }

  const Side& side(Seat seat) const { return OfSeat(sides_, seat); }
  Side& side(Seat seat) { return OfSeat(sides_, seat); }

  GameSettings settings_;
  std::array<Side, 2> sides_;
  // Of every volley that was answered, in order. Its squares are the next ones of its target's
  // shots, and the answer follows from them.
  std::vector<std::uint8_t> volley_sizes_;
  std::optional<absl::Time> deadline_;
  std::optional<absl::Time> idle_deadline_;
  std::optional<MatchEnded> result_;
  std::optional<Seat> starter_;
  // Whose shot is due now, and between two shots whose is to be due next.
  std::optional<Seat> turn_;
  std::optional<Seat> next_turn_;
  Phase phase_ = Phase::kCreated;
  int round_ = 0;
};

}  // namespace naval::rules
