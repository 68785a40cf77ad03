// Battleship a second time: the referee that the engine's matches are compared with. It follows the
// rules of the game sentence by sentence, by loops over squares that are plain strings, and was
// written without sight of the engine. Ids such as T-09 name the rules.
//
// Chance is not drawn here. Whoever compares hands in what the engine drew (who is first, fleets,
// the server's shots), and the oracle says whether the rules allow it.
//
// Seats are 0 and 1. Squares are "A1" (top left) to "J10"; either case is read, upper case is given
// back. No value here is thread safe.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace naval::oracle {

struct Ship {
  std::string id;  // unique in its fleet
  std::string class_name;
  int length = 1;        // squares
  int volley_shots = 1;  // what it adds to its owner's shots while afloat (S-06); at least 1

  bool operator==(const Ship&) const = default;
};

enum class TurnOrder { kHitAgain, kAlternate, kVolley };

// What the shooter learns of a ship that sinks. In a volley it is always the name alone (S-09).
enum class SinkingTells { kName, kNameAndSquares };

// kServerShoots: T-16, T-17, S-12. kLoses: C-10. With both, the end of the placement time completes
// the fleets. kClaim: nothing happens by itself, neither at the end of the placement time
// nor of the shot time.
enum class ClockEnd { kServerShoots, kLoses, kClaim };

enum class Start { kDrawn, kCreator, kGuest };

// A whole rule set. Meaningless, and not looked for: a board of more than 10 by 10, ids that are
// not unique, a ring where ships may touch.
struct OracleRules {
  int columns = 10;
  int rows = 10;
  std::vector<Ship> ships;
  bool may_touch = false;
  bool ring = true;  // squares around a sunk ship are closed as water (T-13); never in a volley
  TurnOrder turn_order = TurnOrder::kHitAgain;
  SinkingTells sinking_tells = SinkingTells::kNameAndSquares;
  // Shots sent together in one turn; none: the sum of volley_shots over the shooter's ships afloat.
  // Never more than there are open squares.
  std::optional<int> shots_a_turn = 1;
  bool illegal_fleet_loses = false;  // true: C-06 to C-08; false: a confirmation is refused
  ClockEnd clock_end = ClockEnd::kServerShoots;
  int strikes_to_lose = 3;                       // for kServerShoots
  std::optional<absl::Duration> placement_time;  // none: no clock
  std::optional<absl::Duration> shot_time;       // none: no clock
  std::optional<absl::Duration> idle_time;       // without a move for so long: void (M-15)
  Start start = Start::kDrawn;

  bool operator==(const OracleRules&) const = default;
};

// The four rule sets with their options. kNone: no clock at all, for tables against a bot.
enum class Clock { kLive, kSlow, kCorrespondence, kNone };
OracleRules Tablu(bool one_shot_per_turn = false, Clock clock = Clock::kLive);
OracleRules Clasica(Clock clock = Clock::kLive, Start start = Start::kDrawn);
OracleRules Salvo(Clock clock = Clock::kLive, bool fleet_b = false, bool volley = false);
OracleRules Selminha(Clock clock = Clock::kCorrespondence);

// Whether `first` may start (in a volley: announce first). `creator` is none for a pair from the
// queue; `previous` is who was first in the match that this one is a rematch of.
bool MayBeFirst(const OracleRules& rules, std::optional<int> creator, std::optional<int> previous,
                int first);

enum class Reason {
  kInvalidSquare,
  kUnknownShip,
  kShipPlacedTwice,
  kIllegalFleet,
  kNoLegalCompletion,
  kFleetAlreadyConfirmed,
  kPlacementOver,
  kBattleNotStarted,
  kNotYourTurn,
  kInvalidRound,
  kOtherRound,  // a volley for another one than is due (S-07: each round has its number)
  kVolleyAlreadySent,
  kWrongNumberOfShots,
  kSameSquareTwice,
  kCellAlreadyKnown,  // shot or called before, or closed as ring (T-09)
  kClockEnded,        // an end of time came before: Tick is due
  kMatchOver,
  kNothingToClaim,
  kIllegalChance,  // of Tick and Propose: the rules do not allow what was drawn
};

// A ship on the board: its top or left square, and where the others follow: to the right, or down.
struct PlacedShip {
  std::string ship;  // Ship::id
  std::string bow;
  bool vertical = false;

  bool operator==(const PlacedShip&) const = default;
};
// In the order of placing. Complete or not, legal or not.
using Fleet = std::vector<PlacedShip>;

enum class ViolationKind {
  kMissing,  // a ship of the rule set is not in the fleet
  kTwice,    // a ship is there more than once; only its first place is looked at further
  kOutside,  // a ship runs past the edge
  kOverlap,  // two ships share a square; they are then not told to touch as well
  kTouch,    // two ships touch, by side or corner
};
struct Violation {
  ViolationKind kind = ViolationKind::kMissing;
  std::set<std::string> ships;  // one id; two of kOverlap and kTouch

  auto operator<=>(const Violation&) const = default;
};

// The squares of the board from A1 by rows: A1, B1, ... J10.
std::vector<std::string> AllSquares(const OracleRules& rules);
// `text` in upper case; none unless it names a square of the board.
std::optional<std::string> ParseSquare(const OracleRules& rules, absl::string_view text);
// Those on the board, from the bow on. `placed` must name a ship of the rules and a square.
std::vector<std::string> SquaresOf(const OracleRules& rules, const PlacedShip& placed);
// What keeps `fleet` from being one, even an illegal one: kInvalidSquare, kUnknownShip. The next
// three functions need a fleet without such mistakes.
std::set<Reason> MistakesIn(const OracleRules& rules, const Fleet& fleet);
// Everything wrong with `fleet`.
std::set<Violation> ViolationsOf(const OracleRules& rules, const Fleet& fleet);

// For proposals (T-05): whether `fleet` is legal and leaves each ship of `placed` where it is, and
// whether there is any such fleet. kGaveUp: 100,000 tries did not tell.
bool Completes(const OracleRules& rules, const Fleet& placed, const Fleet& fleet);
enum class Completion { kExists, kNone, kGaveUp };
Completion CanComplete(const OracleRules& rules, const Fleet& placed);

// Whether the rules allow `fleet` for a player whose draft was `draft` when the placement time
// ended (T-07): empty, or what is wrong. Where CanComplete gives up, that a ship had to be dropped
// is believed.
std::string FaultOfDrawnFleet(const OracleRules& rules, const Fleet& draft, const Fleet& fleet);

enum class ShotResult {
  kWater,
  kHit,
  kSunk,
  kCalled,  // in a volley, for every eye until the fleets are revealed: result unknown (S-09)
};

struct Shot {
  std::string square;
  ShotResult result = ShotResult::kWater;
  bool by_server = false;

  auto operator<=>(const Shot&) const = default;
};

// As much of a sunk ship as the rule set tells.
struct SunkShip {
  std::string class_name;
  std::optional<std::set<std::string>> squares;

  auto operator<=>(const SunkShip&) const = default;
};

// A volley with its answer (S-09).
struct Volley {
  int round = 0;  // from 1
  std::vector<std::string> squares;
  bool by_server = false;
  std::map<std::string, int> hits_by_class;  // without classes that were not hit
  std::vector<SunkShip> sunk;                // in the order of OracleRules::ships

  bool operator==(const Volley&) const = default;
};

// A-04, in its order. The last three and only they have no winner. kTimedOut is by strikes.
enum class End {
  kFleetDestroyed,
  kResigned,
  kTimedOut,
  kInfraction,
  kAbsenceClaimed,
  kIdle,
  kBothAbsent,
  kAborted,
};

enum class Infraction {
  kWrongNumberOfShips,  // C-06: ships are missing, or there twice
  kShipsTouch,          // C-07, and ships on the same square
  kWrongBoard,          // C-08: a ship runs past the edge
  kSkippedTurn,         // C-10
};

struct Result {
  End end = End::kAborted;
  std::optional<int> winner;
  std::set<Infraction> infractions;  // all the loser made, of kInfraction
  std::set<Violation> violations;    // of the fleet at fault

  bool operator==(const Result&) const = default;
};

enum class EventKind {
  kDraftPlaced,     // `seat`, `violations`; for that player alone, every other event is for all
  kReady,           // `seat`, `by_clock`
  kBattleBegan,     // `seat` is first
  kShot,            // `seat` shot `shot`; `sunk`, `ring` where the shot sank a ship
  kVolleyIn,        // `seat`; `by_clock` where the server drew it
  kVolleyAnswered,  // `seat` fired `volley`
  kStrike,          // `seat` let the time end for the `strikes`-th time in a row
  kEnded,           // `result`
};

// What happened; fields that the kind does not name are empty.
struct Event {
  EventKind kind = EventKind::kEnded;
  std::optional<int> seat;
  bool by_clock = false;
  std::set<Violation> violations;
  std::optional<Shot> shot;
  std::optional<SunkShip> sunk;
  std::set<std::string> ring;  // closed by this shot
  std::optional<Volley> volley;
  int strikes = 0;
  std::optional<Result> result;

  bool operator==(const Event&) const = default;
};

// The answer to a command. Refused: `reasons` has every reason that applies; the rules do not say
// which of them to name, but a square that is none comes before all others and then stands alone;
// nothing changed. Else `events` in their order.
struct Outcome {
  std::set<Reason> reasons;
  std::set<Violation> violations;  // all of them, with kIllegalFleet
  std::string detail;              // for people: what is wrong, of kIllegalChance
  std::vector<Event> events;
};

// What the engine drew as an end of time came.
struct Chance {
  std::map<int, Fleet> fleets;                    // of each player who had not confirmed
  std::map<int, std::vector<std::string>> shots;  // the server's, all of that turn or volley
};

enum class Phase { kPlacement, kBattle, kOver };

// A player's own sea, and how the player stands.
struct PlayerView {
  bool ready = false;
  // The draft, or the confirmed fleet: for the player always, for all once it is revealed.
  std::optional<Fleet> fleet;
  std::vector<Shot> shots;        // received, in their order
  std::vector<Volley> volleys;    // received
  std::set<std::string> ring;     // closed as water without a shot
  std::vector<std::string> open;  // may be shot at; in the order of AllSquares
  std::vector<SunkShip> sunk;     // in the order of sinking
  // T-24. Classes with none afloat stand with 0.
  std::map<std::string, int> afloat_by_class;
  int strikes = 0;
  int shots_a_turn = 0;  // what a turn or volley of the player has as things stand; 0 out of battle
  // Sent and not announced. Of a volley that an end came before nothing is left: no rule has use
  // for it.
  bool volley_in = false;
  // That volley: for the player alone.
  std::optional<std::vector<std::string>> volley;

  bool operator==(const PlayerView&) const = default;
};

// All that one viewer may see.
struct View {
  Phase phase = Phase::kPlacement;
  std::array<PlayerView, 2> players;
  std::optional<int> turn;  // in battle; none in a volley, where both are due
  int round = 0;            // of a volley battle, from 1; else 0
  // Of the placement, then of the shot due; in correspondence a claim needs it to have passed.
  std::optional<absl::Time> deadline;
  std::optional<absl::Time> idle_deadline;  // M-15
  std::optional<Result> result;

  bool operator==(const View&) const = default;
};

// One match, from the moment both have joined. `now` is the stamp of the command's arrival and must
// never go back. After a deadline that acts by itself, or the end of the idle time, moves are
// refused with kClockEnded until Tick has been called. Tick acts from that very moment on,
// but a move stamped with it still counts: the rules speak of what came before it and what came
// after, and the engine says that it is so. Resigning and Abort are no moves and never late: A-03
// says at any time.
class OracleMatch {
 public:
  // `first`: none where that is drawn only as the battle begins.
  OracleMatch(OracleRules rules, std::optional<int> first, absl::Time now);

  // Who was drawn. To be called before what begins the battle, unless the constructor was told.
  void SetFirst(int first) { first_ = first; }

  // Takes the place of the draft before.
  Outcome PlaceDraft(int seat, const Fleet& draft, absl::Time now);
  // "Al azar": `drawn` is proposed for the ships `kept`, and becomes the draft (T-05); none where
  // nothing could be.
  Outcome Propose(int seat, const Fleet& kept, const std::optional<Fleet>& drawn, absl::Time now);
  // "Listo". A refused fleet leaves the draft as it was.
  Outcome ConfirmFleet(int seat, const Fleet& fleet, absl::Time now);
  // All shots of a turn, or the volley of `round`, which is 0 where no volleys are fired.
  Outcome Fire(int seat, const std::vector<std::string>& squares, int round, absl::Time now);
  Outcome Resign(int seat);
  Outcome ClaimAbsence(int seat, absl::Time now);
  // By the operator.
  Outcome Abort();
  // The end of one time, if one has come by `now`, the earliest; no event otherwise. When the idle
  // time and another end at once, the match ends. Whatever becomes due runs from `now`. `chance`
  // must have what this end needs drawn, and nothing else.
  Outcome Tick(absl::Time now, const Chance& chance = {});

  // None: a spectator.
  View ViewOf(std::optional<int> viewer) const;

 private:
  bool IsVolley() const { return rules_.turn_order == TurnOrder::kVolley; }
  std::optional<absl::Time> Deadline() const;
  std::optional<absl::Time> IdleDeadline() const;
  std::optional<absl::Time> NextEnd() const;
  bool IsLate(absl::Time now) const;
  void RestartForOther(int other, absl::Time now);
  bool IsSunk(int seat, const PlacedShip& placed) const;
  bool IsDestroyed(int seat) const;
  int ShotsOf(int seat) const;

  std::set<Reason> WhyNotPlace(int seat, const Fleet& fleet, absl::Time now) const;
  std::set<Reason> WhyNotFire(int seat, const std::vector<std::string>& squares, int round,
                              absl::Time now) const;
  std::string FaultOfDrawnShots(const std::set<int>& shooters, const Chance& chance) const;
  void Close(int seat, const std::string& square);

  void Ready(int seat, const Fleet& fleet, bool by_clock, absl::Time now, Outcome& outcome);
  void Shoot(int seat, const std::vector<std::string>& squares, bool by_server, absl::Time now,
             Outcome& outcome);
  void ShootOne(int seat, const std::string& square, bool by_server, Outcome& outcome);
  void Send(int seat, const std::vector<std::string>& squares, bool by_server, absl::Time now,
            Outcome& outcome);
  void AnswerRound(absl::Time now, Outcome& outcome);
  void AnswerVolley(int seat, Outcome& outcome);
  void EndPlacement(const Chance& chance, absl::Time now, Outcome& outcome);
  void EndShotTime(const Chance& chance, absl::Time now, Outcome& outcome);
  void CountEnd(int seat, Outcome& outcome);
  void Strike(const std::set<int>& late, const Chance& chance, absl::Time now, Outcome& outcome);
  void Finish(const Result& result, Outcome& outcome);
  void TellResults(const Fleet& fleet, std::vector<Shot>& shots) const;

  OracleRules rules_;
  std::optional<int> first_;
  // Everything, secrets included, but for what ViewOf works out anew.
  View all_;
  std::array<bool, 2> by_server_ = {false, false};  // of the volleys that are in
  std::set<int> revealed_;                          // whose fleets all may see
  absl::Time due_since_;                            // the placement, then the shot
  absl::Time last_move_;
};

}  // namespace naval::oracle
