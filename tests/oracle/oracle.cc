// A match, command by command.
#include "tests/oracle/oracle.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace naval::oracle {
namespace {

int RivalOf(int seat) { return 1 - seat; }

size_t At(int seat) { return static_cast<size_t>(seat); }

Outcome Refused(std::set<Reason> reasons) { return {.reasons = std::move(reasons)}; }

Outcome BadChance(const std::string& detail) {
  return {.reasons = {Reason::kIllegalChance}, .detail = detail};
}

bool Contains(const std::vector<std::string>& squares, const std::string& square) {
  return std::find(squares.begin(), squares.end(), square) != squares.end();
}

bool Contains(const std::vector<Shot>& shots, const std::string& square) {
  for (const Shot& shot : shots) {
    if (shot.square == square) return true;
  }
  return false;
}

bool NamesAShipTwice(const Fleet& fleet) {
  std::set<std::string> ids;
  for (const PlacedShip& placed : fleet) ids.insert(placed.ship);
  return ids.size() < fleet.size();
}

// `squares` must be on the board; only there do those around lie.
std::set<std::string> Around(const OracleRules& rules, const std::vector<std::string>& squares) {
  std::set<std::string> around;
  for (const std::string& other : AllSquares(rules)) {
    for (const std::string& square : squares) {
      const int columns = std::abs(other[0] - square[0]);
      const int rows = std::abs(std::atoi(other.c_str() + 1) - std::atoi(square.c_str() + 1));
      if (columns <= 1 && rows <= 1) around.insert(other);
    }
  }
  for (const std::string& square : squares) around.erase(square);
  return around;
}

const Ship& ShipOf(const OracleRules& rules, const PlacedShip& placed) {
  for (const Ship& ship : rules.ships) {
    if (ship.id == placed.ship) return ship;
  }
  std::abort();  // no fleet has a ship the rules do not know
}

std::set<Infraction> InfractionsOf(const std::set<Violation>& violations) {
  std::set<Infraction> infractions;
  for (const Violation& violation : violations) {
    switch (violation.kind) {
      case ViolationKind::kMissing:
      case ViolationKind::kTwice:  // C-06
        infractions.insert(Infraction::kWrongNumberOfShips);
        break;
      case ViolationKind::kOverlap:
      case ViolationKind::kTouch:  // C-07
        infractions.insert(Infraction::kShipsTouch);
        break;
      case ViolationKind::kOutside:  // C-08
        infractions.insert(Infraction::kWrongBoard);
        break;
    }
  }
  return infractions;
}

}  // namespace

// T-03: both place at the same time.
OracleMatch::OracleMatch(OracleRules rules, std::optional<int> first, absl::Time now)
    : rules_(std::move(rules)), first_(first), due_since_(now), last_move_(now) {
  for (PlayerView& player : all_.players) {
    player.fleet = Fleet();
    player.open = AllSquares(rules_);
  }
}

// ---- Time

std::optional<absl::Time> OracleMatch::Deadline() const {
  // T-03, T-15: one clock for the placement of both; then one for each shot, or volley (S-12).
  const auto& time = all_.phase == Phase::kPlacement ? rules_.placement_time : rules_.shot_time;
  if (all_.phase == Phase::kOver || !time) return std::nullopt;
  return due_since_ + *time;
}

// M-15
std::optional<absl::Time> OracleMatch::IdleDeadline() const {
  if (all_.phase == Phase::kOver || !rules_.idle_time) return std::nullopt;
  return last_move_ + *rules_.idle_time;
}

// When something is to happen by itself: what comes first.
std::optional<absl::Time> OracleMatch::NextEnd() const {
  const std::optional<absl::Time> idle = IdleDeadline();
  // M-14, A-09: in correspondence the end of a time does nothing.
  if (!Deadline() || rules_.clock_end == ClockEnd::kClaim) return idle;
  return idle ? std::min(*idle, *Deadline()) : Deadline();
}

// M-14, A-09: only who waited may claim. One of two who were both away has not: for the other the
// time begins once more as the first comes back.
void OracleMatch::RestartForOther(int other, absl::Time now) {
  const PlayerView& player = all_.players[At(other)];
  const bool is_due = all_.phase == Phase::kPlacement ? !player.ready : !player.volley;
  const bool was_absent = rules_.clock_end == ClockEnd::kClaim && Deadline() && now > *Deadline();
  if (is_due && was_absent) due_since_ = now;
}

//
bool OracleMatch::IsLate(absl::Time now) const { return NextEnd() && now > *NextEnd(); }

// ---- Seas

// T-09, M-06: shot at, or closed as water.
void OracleMatch::Close(int seat, const std::string& square) {
  std::erase(all_.players[At(seat)].open, square);
}

// T-12: every cell of it was hit.
bool OracleMatch::IsSunk(int seat, const PlacedShip& placed) const {
  for (const std::string& square : SquaresOf(rules_, placed)) {
    if (!Contains(all_.players[At(seat)].shots, square)) return false;
  }
  return true;
}

// T-14
bool OracleMatch::IsDestroyed(int seat) const {
  for (const PlacedShip& placed : *all_.players[At(seat)].fleet) {
    if (!IsSunk(seat, placed)) return false;
  }
  return true;
}

int OracleMatch::ShotsOf(int seat) const {
  int shots = 0;
  if (rules_.shots_a_turn) {
    shots = *rules_.shots_a_turn;
  } else {  // S-06, S-10
    for (const PlacedShip& placed : *all_.players[At(seat)].fleet) {
      if (!IsSunk(seat, placed)) shots += ShipOf(rules_, placed).volley_shots;
    }
  }
  return std::min(shots, static_cast<int>(all_.players[At(RivalOf(seat))].open.size()));
}

// ---- Placement

std::set<Reason> OracleMatch::WhyNotPlace(int seat, const Fleet& fleet, absl::Time now) const {
  std::set<Reason> reasons = MistakesIn(rules_, fleet);
  if (reasons.contains(Reason::kInvalidSquare)) return {Reason::kInvalidSquare};
  if (all_.phase == Phase::kOver) reasons.insert(Reason::kMatchOver);
  if (all_.phase == Phase::kBattle) reasons.insert(Reason::kPlacementOver);
  if (IsLate(now)) {
    reasons.insert(Reason::kClockEnded);
    reasons.insert(Reason::kPlacementOver);
  }
  // T-06: after it nothing moves.
  if (all_.players[At(seat)].ready) reasons.insert(Reason::kFleetAlreadyConfirmed);
  return reasons;
}

Outcome OracleMatch::PlaceDraft(int seat, const Fleet& draft, absl::Time now) {
  Outcome outcome = {.reasons = WhyNotPlace(seat, draft, now)};
  if (NamesAShipTwice(draft)) outcome.reasons.insert(Reason::kShipPlacedTwice);
  if (!outcome.reasons.empty()) return outcome;
  all_.players[At(seat)].fleet = draft;
  // C-06: while a fleet is a draft, every violation is listed and nothing is lost.
  outcome.events.push_back(
      {.kind = EventKind::kDraftPlaced, .seat = seat, .violations = ViolationsOf(rules_, draft)});
  return outcome;
}

Outcome OracleMatch::Propose(int seat, const Fleet& kept, const std::optional<Fleet>& drawn,
                             absl::Time now) {
  Outcome outcome = {.reasons = WhyNotPlace(seat, kept, now)};
  if (NamesAShipTwice(kept)) outcome.reasons.insert(Reason::kShipPlacedTwice);
  if (!outcome.reasons.empty()) return outcome;
  if (drawn && MistakesIn(rules_, *drawn).empty() && Completes(rules_, kept, *drawn)) {
    return PlaceDraft(seat, *drawn, now);
  }
  if (drawn) return BadChance("this does not complete the ships kept");
  if (CanComplete(rules_, kept) == Completion::kExists) {
    return BadChance("a completion exists, and none was drawn");
  }
  return Refused({Reason::kNoLegalCompletion});
}

// A ship that is there twice is a mistake in a draft. Of what is confirmed the rules do not say
// whether that is no fleet at all or one with the wrong number of ships; the engine says the
// latter.
Outcome OracleMatch::ConfirmFleet(int seat, const Fleet& fleet, absl::Time now) {
  Outcome outcome = {.reasons = WhyNotPlace(seat, fleet, now)};
  const bool has_names = MistakesIn(rules_, fleet).empty();
  const std::set<Violation> violations =
      has_names ? ViolationsOf(rules_, fleet) : std::set<Violation>();
  if (!violations.empty() && !rules_.illegal_fleet_loses) {
    outcome.reasons.insert(Reason::kIllegalFleet);
    outcome.violations = violations;
  }
  if (!outcome.reasons.empty()) return outcome;
  if (violations.empty()) {
    Ready(seat, fleet, false, now, outcome);
    return outcome;
  }
  // C-06, C-07, C-08: whoever confirms such a fleet loses. C-11: it alone is revealed.
  all_.players[At(seat)].fleet = fleet;
  revealed_.insert(seat);
  Finish({.end = End::kInfraction,
          .winner = RivalOf(seat),
          .infractions = InfractionsOf(violations),
          .violations = violations},
         outcome);
  return outcome;
}

void OracleMatch::Ready(int seat, const Fleet& fleet, bool by_clock, absl::Time now,
                        Outcome& outcome) {
  all_.players[At(seat)].fleet = fleet;
  all_.players[At(seat)].ready = true;
  RestartForOther(RivalOf(seat), now);
  last_move_ = now;
  outcome.events.push_back({.kind = EventKind::kReady, .seat = seat, .by_clock = by_clock});
  if (!all_.players[At(RivalOf(seat))].ready) return;
  // T-06: the second "Listo" starts the match at once.
  all_.phase = Phase::kBattle;
  if (IsVolley()) {
    all_.round = 1;  // S-07
  } else {
    all_.turn = first_.value();  // T-08
  }
  due_since_ = now;
  outcome.events.push_back({.kind = EventKind::kBattleBegan, .seat = first_.value()});
}

// ---- Battle

std::set<Reason> OracleMatch::WhyNotFire(int seat, const std::vector<std::string>& squares,
                                         int round, absl::Time now) const {
  std::set<Reason> reasons;
  const std::vector<std::string>& open = all_.players[At(RivalOf(seat))].open;
  std::set<std::string> seen;
  for (const std::string& text : squares) {
    const std::optional<std::string> square = ParseSquare(rules_, text);
    if (!square) return {Reason::kInvalidSquare};
    if (!seen.insert(*square).second) reasons.insert(Reason::kSameSquareTwice);
    if (!Contains(open, *square)) reasons.insert(Reason::kCellAlreadyKnown);  // T-09, M-06, S-04
  }
  if (all_.phase == Phase::kOver) reasons.insert(Reason::kMatchOver);
  if (all_.phase == Phase::kPlacement) reasons.insert(Reason::kBattleNotStarted);
  if (IsLate(now)) reasons.insert(Reason::kClockEnded);
  if (all_.phase != Phase::kBattle) return reasons;
  const bool names_a_round = round >= 1;
  if (names_a_round != IsVolley() || round < 0) reasons.insert(Reason::kInvalidRound);
  // the end of a round's clock came first, so what was meant for that round is too late.
  if (names_a_round && IsVolley() && round != all_.round) reasons.insert(Reason::kOtherRound);
  if (!IsVolley() && all_.turn != seat) reasons.insert(Reason::kNotYourTurn);
  // S-07: a volley sent cannot be changed.
  if (all_.players[At(seat)].volley) reasons.insert(Reason::kVolleyAlreadySent);
  if (static_cast<int>(squares.size()) != ShotsOf(seat)) {
    reasons.insert(Reason::kWrongNumberOfShots);
  }
  return reasons;
}

Outcome OracleMatch::Fire(int seat, const std::vector<std::string>& squares, int round,
                          absl::Time now) {
  Outcome outcome = {.reasons = WhyNotFire(seat, squares, round, now)};
  if (!outcome.reasons.empty()) return outcome;
  std::vector<std::string> names;
  for (const std::string& text : squares) names.push_back(*ParseSquare(rules_, text));
  all_.players[At(seat)].strikes = 0;  // T-17: a shot by the player sets the count to zero
  if (!IsVolley()) {
    Shoot(seat, names, false, now, outcome);
    return outcome;
  }
  Send(seat, names, false, now, outcome);
  // S-07: neither volley is announced before both are in.
  if (all_.players[At(RivalOf(seat))].volley) AnswerRound(now, outcome);
  return outcome;
}

// One turn. Its shots are answered one after the other. The server's are moves as well: M-15 does
// not say, and the engine says that a shot is one.
void OracleMatch::Shoot(int seat, const std::vector<std::string>& squares, bool by_server,
                        absl::Time now, Outcome& outcome) {
  last_move_ = now;
  bool has_hit = false;
  for (const std::string& square : squares) {
    ShootOne(seat, square, by_server, outcome);
    if (outcome.events.back().shot->result != ShotResult::kWater) has_hit = true;
    if (IsDestroyed(RivalOf(seat))) {  // T-14: ends at the moment of the last hit
      Finish({.end = End::kFleetDestroyed, .winner = seat}, outcome);
      return;
    }
  }
  // T-10 to T-12, M-04: water passes the turn, a hit shoots again. T-18, S-03: always passes.
  if (rules_.turn_order == TurnOrder::kAlternate || !has_hit) all_.turn = RivalOf(seat);
  due_since_ = now;  // T-15: anew at every extra shot
}

void OracleMatch::ShootOne(int seat, const std::string& square, bool by_server, Outcome& outcome) {
  PlayerView& sea = all_.players[At(RivalOf(seat))];
  Event event = {.kind = EventKind::kShot,
                 .seat = seat,
                 .shot = Shot{.square = square, .by_server = by_server}};
  sea.shots.push_back(*event.shot);
  Close(RivalOf(seat), square);
  sea.ring.erase(square);  // closed by a shot of the same turn
  for (const PlacedShip& placed : *sea.fleet) {
    const std::vector<std::string> squares = SquaresOf(rules_, placed);
    if (!Contains(squares, square)) continue;
    event.shot->result = ShotResult::kHit;
    if (!IsSunk(RivalOf(seat), placed)) continue;
    event.shot->result = ShotResult::kSunk;  // C-04: also where nothing was hit before
    event.sunk = SunkShip{.class_name = ShipOf(rules_, placed).class_name};  // T-12, S-05
    if (rules_.sinking_tells == SinkingTells::kNameAndSquares) {
      event.sunk->squares = std::set<std::string>(squares.begin(), squares.end());
    }
    sea.sunk.push_back(*event.sunk);
    if (!rules_.ring) continue;
    for (const std::string& around : Around(rules_, squares)) {  // T-13, C-03, M-06
      if (Contains(sea.shots, around) || !sea.ring.insert(around).second) continue;
      event.ring.insert(around);
      Close(RivalOf(seat), around);
    }
  }
  sea.shots.back() = *event.shot;
  outcome.events.push_back(event);
}

// ---- Volleys

void OracleMatch::Send(int seat, const std::vector<std::string>& squares, bool by_server,
                       absl::Time now, Outcome& outcome) {
  last_move_ = now;
  all_.players[At(seat)].volley = squares;
  RestartForOther(RivalOf(seat), now);
  by_server_[At(seat)] = by_server;
  outcome.events.push_back({.kind = EventKind::kVolleyIn, .seat = seat, .by_clock = by_server});
}

// S-08: the first player's are answered, then the second's; both count.
void OracleMatch::AnswerRound(absl::Time now, Outcome& outcome) {
  const int first = first_.value();
  AnswerVolley(first, outcome);
  AnswerVolley(RivalOf(first), outcome);
  // S-11: when both fleets end in one round, the first announcer wins.
  for (const int seat : {first, RivalOf(first)}) {
    if (!IsDestroyed(RivalOf(seat))) continue;
    Finish({.end = End::kFleetDestroyed, .winner = seat}, outcome);
    return;
  }
  ++all_.round;
  due_since_ = now;
}

void OracleMatch::AnswerVolley(int seat, Outcome& outcome) {
  PlayerView& sea = all_.players[At(RivalOf(seat))];
  Volley volley = {.round = all_.round,
                   .squares = *all_.players[At(seat)].volley,
                   .by_server = by_server_[At(seat)]};
  all_.players[At(seat)].volley.reset();
  std::set<std::string> sunk_before;
  for (const PlacedShip& placed : *sea.fleet) {
    if (IsSunk(RivalOf(seat), placed)) sunk_before.insert(placed.ship);
  }
  for (const std::string& square : volley.squares) {
    sea.shots.push_back(
        {.square = square, .result = ShotResult::kCalled, .by_server = volley.by_server});
    Close(RivalOf(seat), square);
  }
  // S-09: the number of hits of that volley on each ship class, and which ships sank.
  for (const Ship& ship : rules_.ships) {
    for (const PlacedShip& placed : *sea.fleet) {
      if (placed.ship != ship.id) continue;
      for (const std::string& square : SquaresOf(rules_, placed)) {
        if (Contains(volley.squares, square)) ++volley.hits_by_class[ship.class_name];
      }
      if (!IsSunk(RivalOf(seat), placed) || sunk_before.contains(ship.id)) continue;
      volley.sunk.push_back({.class_name = ship.class_name});
      sea.sunk.push_back({.class_name = ship.class_name});
    }
  }
  sea.volleys.push_back(volley);
  outcome.events.push_back({.kind = EventKind::kVolleyAnswered, .seat = seat, .volley = volley});
}

// ---- Ends

// at any time after both joined; in or out of turn.
Outcome OracleMatch::Resign(int seat) {
  if (all_.phase == Phase::kOver) return Refused({Reason::kMatchOver});
  Outcome outcome;
  Finish({.end = End::kResigned, .winner = RivalOf(seat)}, outcome);
  return outcome;
}

// M-14, A-09
Outcome OracleMatch::ClaimAbsence(int seat, absl::Time now) {
  if (all_.phase == Phase::kOver) return Refused({Reason::kMatchOver});
  if (IsLate(now)) return Refused({Reason::kClockEnded});
  const PlayerView& player = all_.players[At(seat)];
  const PlayerView& rival = all_.players[At(RivalOf(seat))];
  bool has_waited = all_.turn == RivalOf(seat);
  if (all_.phase == Phase::kPlacement) has_waited = player.ready && !rival.ready;
  if (all_.phase == Phase::kBattle && IsVolley()) has_waited = player.volley && !rival.volley;
  // *More* than two days.
  const bool is_absent = rules_.clock_end == ClockEnd::kClaim && Deadline() && now > *Deadline();
  if (!has_waited || !is_absent) return Refused({Reason::kNothingToClaim});
  Outcome outcome;
  Finish({.end = End::kAbsenceClaimed, .winner = seat}, outcome);
  return outcome;
}

Outcome OracleMatch::Abort() {
  if (all_.phase == Phase::kOver) return Refused({Reason::kMatchOver});
  Outcome outcome;
  Finish({.end = End::kAborted}, outcome);
  return outcome;
}

Outcome OracleMatch::Tick(absl::Time now, const Chance& chance) {
  Outcome outcome;
  const bool acts = NextEnd() && now >= *NextEnd();
  const bool is_idle = acts && NextEnd() == IdleDeadline();
  if (acts && !is_idle && all_.phase == Phase::kPlacement) {
    EndPlacement(chance, now, outcome);
  } else if (acts && !is_idle) {
    EndShotTime(chance, now, outcome);
  } else if (!chance.fleets.empty() || !chance.shots.empty()) {
    return BadChance("nothing is to be drawn now");
  } else if (is_idle) {  // M-15
    Finish({.end = End::kIdle}, outcome);
  }
  return outcome;
}

// T-07, A-10
void OracleMatch::EndPlacement(const Chance& chance, absl::Time now, Outcome& outcome) {
  if (!chance.shots.empty()) {
    outcome = BadChance("no shot is to be drawn before the battle");
    return;
  }
  for (const int seat : {0, 1}) {
    const bool is_drawn = chance.fleets.contains(seat);
    std::string fault;
    if (all_.players[At(seat)].ready) {
      if (is_drawn) fault = "this fleet was confirmed";
    } else if (!is_drawn) {
      fault = "no fleet was given";
    } else {
      fault = FaultOfDrawnFleet(rules_, *all_.players[At(seat)].fleet, chance.fleets.at(seat));
    }
    if (fault.empty()) continue;
    outcome = BadChance(absl::StrCat("seat ", seat, ": ", fault));
    return;
  }
  for (const auto& [seat, fleet] : chance.fleets) Ready(seat, fleet, true, now, outcome);
}

void OracleMatch::EndShotTime(const Chance& chance, absl::Time now, Outcome& outcome) {
  std::set<int> late;  // S-12: in a volley, whoever sent none
  for (const int seat : {0, 1}) {
    const bool is_due = IsVolley() ? !all_.players[At(seat)].volley : all_.turn == seat;
    if (is_due) late.insert(seat);
  }
  if (rules_.clock_end == ClockEnd::kServerShoots) {
    Strike(late, chance, now, outcome);
    return;
  }
  if (!chance.fleets.empty() || !chance.shots.empty()) {
    outcome = BadChance("who skips a turn loses: nothing is to be drawn");
    return;
  }
  // The rules count ends for T-17 alone. Told all the same, as the engine does: an end is an end.
  for (const int seat : late) CountEnd(seat, outcome);
  if (late.size() == 2) {  // as S-12
    Finish({.end = End::kBothAbsent}, outcome);
  } else {  // C-10
    Finish({.end = End::kInfraction,
            .winner = RivalOf(*late.begin()),
            .infractions = {Infraction::kSkippedTurn}},
           outcome);
  }
}

// Empty, or what is wrong with the server's shots: each of `shooters` must have a whole turn of
// them.
std::string OracleMatch::FaultOfDrawnShots(const std::set<int>& shooters,
                                           const Chance& chance) const {
  if (!chance.fleets.empty()) return "no fleet is to be drawn in battle";
  for (const int seat : {0, 1}) {
    const bool is_drawn = chance.shots.contains(seat);
    if (is_drawn != shooters.contains(seat)) {
      return absl::StrCat("seat ", seat, ": shots must ", is_drawn ? "not " : "", "be drawn");
    }
    if (!is_drawn) continue;
    const std::vector<std::string>& squares = chance.shots.at(seat);
    const std::vector<std::string>& open = all_.players[At(RivalOf(seat))].open;
    std::set<std::string> different;
    for (const std::string& square : squares) {
      if (!Contains(open, square)) return absl::StrCat("'", square, "' is not an open square");
      different.insert(square);
    }
    if (different.size() != squares.size()) return "a square is drawn twice";
    if (static_cast<int>(squares.size()) != ShotsOf(seat)) return "wrong number of shots";
  }
  return "";
}

void OracleMatch::CountEnd(int seat, Outcome& outcome) {
  const int strikes = ++all_.players[At(seat)].strikes;
  outcome.events.push_back({.kind = EventKind::kStrike, .seat = seat, .strikes = strikes});
}

// T-16, T-17, S-12
void OracleMatch::Strike(const std::set<int>& late, const Chance& chance, absl::Time now,
                         Outcome& outcome) {
  std::set<int> losers;
  for (const int seat : late) {
    if (all_.players[At(seat)].strikes + 1 >= rules_.strikes_to_lose) losers.insert(seat);
  }
  // The third end loses at once, without another shot of the server.
  const std::string fault = FaultOfDrawnShots(losers.empty() ? late : std::set<int>(), chance);
  if (!fault.empty()) {
    outcome = BadChance(fault);
    return;
  }
  for (const int seat : late) CountEnd(seat, outcome);
  if (losers.size() == 2) {  // both in the same round
    Finish({.end = End::kBothAbsent}, outcome);
  } else if (losers.size() == 1) {
    Finish({.end = End::kTimedOut, .winner = RivalOf(*losers.begin())}, outcome);
  } else if (IsVolley()) {
    for (const auto& [seat, squares] : chance.shots) Send(seat, squares, true, now, outcome);
    AnswerRound(now, outcome);
  } else {
    Shoot(*late.begin(), chance.shots.at(*late.begin()), true, now, outcome);
  }
}

void OracleMatch::Finish(const Result& result, Outcome& outcome) {
  // whatever ends a match after both fleets are confirmed reveals both.
  if (all_.phase == Phase::kBattle) revealed_ = {0, 1};
  all_.phase = Phase::kOver;
  all_.turn.reset();
  for (PlayerView& player : all_.players) player.volley.reset();
  all_.result = result;
  outcome.events.push_back({.kind = EventKind::kEnded, .result = result});
}

// ---- Views

// S-09: which shot hit is told by nothing before the end. What the called squares were can be seen
// then in the fleet; which of a volley's hits sank a ship there is no saying.
void OracleMatch::TellResults(const Fleet& fleet, std::vector<Shot>& shots) const {
  for (Shot& shot : shots) {
    shot.result = ShotResult::kWater;
    for (const PlacedShip& placed : fleet) {
      if (Contains(SquaresOf(rules_, placed), shot.square)) shot.result = ShotResult::kHit;
    }
  }
}

// T-23: everything, then what this viewer may not see is taken away.
View OracleMatch::ViewOf(std::optional<int> viewer) const {
  View view = all_;
  view.deadline = Deadline();
  view.idle_deadline = IdleDeadline();
  for (const int seat : {0, 1}) {
    PlayerView& player = view.players[At(seat)];
    player.volley_in = player.volley.has_value();  // S-12: may be seen
    if (view.phase == Phase::kBattle) player.shots_a_turn = ShotsOf(seat);
    // T-24: of the fleet that is known to all, which were sunk.
    for (const Ship& ship : rules_.ships) ++player.afloat_by_class[ship.class_name];
    for (const SunkShip& sunk : player.sunk) --player.afloat_by_class[sunk.class_name];
    if (IsVolley() && revealed_.contains(seat)) TellResults(*player.fleet, player.shots);
    if (viewer == seat) continue;
    player.volley.reset();                                // S-07
    if (!revealed_.contains(seat)) player.fleet.reset();  // T-03, T-23
  }
  return view;
}

}  // namespace naval::oracle
