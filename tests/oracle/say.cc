#include "tests/oracle/say.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"

namespace naval::oracle {
namespace {

template <typename Values>
std::string Joined(const Values& values, const char* between) {
  std::vector<std::string> texts;
  for (const auto& value : values) texts.push_back(Say(value));
  return absl::StrJoin(texts, between);
}

std::string Moment(const std::optional<absl::Time>& time) {
  return time ? absl::FormatTime(*time, absl::UTCTimeZone()) : "none";
}

}  // namespace

std::string Say(const Violation& violation) {
  static const auto& kinds =
      *new std::map<ViolationKind, std::string>{{ViolationKind::kMissing, "missing"},
                                                {ViolationKind::kTwice, "twice"},
                                                {ViolationKind::kOutside, "outside"},
                                                {ViolationKind::kOverlap, "overlap"},
                                                {ViolationKind::kTouch, "touch"}};
  return absl::StrCat(kinds.at(violation.kind), " ", absl::StrJoin(violation.ships, "+"));
}

std::string Say(const std::set<Violation>& violations) { return Joined(violations, ", "); }

std::string Say(Reason reason) {
  static const auto& reasons = *new std::map<Reason, std::string>{
      {Reason::kInvalidSquare, "invalid square"},
      {Reason::kUnknownShip, "unknown ship"},
      {Reason::kShipPlacedTwice, "ship placed twice"},
      {Reason::kIllegalFleet, "illegal fleet"},
      {Reason::kNoLegalCompletion, "no legal completion"},
      {Reason::kFleetAlreadyConfirmed, "fleet already confirmed"},
      {Reason::kPlacementOver, "placement over"},
      {Reason::kBattleNotStarted, "battle not started"},
      {Reason::kNotYourTurn, "not your turn"},
      {Reason::kInvalidRound, "invalid round"},
      {Reason::kOtherRound, "other round"},
      {Reason::kVolleyAlreadySent, "volley already sent"},
      {Reason::kWrongNumberOfShots, "wrong number of shots"},
      {Reason::kSameSquareTwice, "same square twice"},
      {Reason::kCellAlreadyKnown, "cell already known"},
      {Reason::kClockEnded, "clock ended"},
      {Reason::kMatchOver, "match over"},
      {Reason::kNothingToClaim, "nothing to claim"},
      {Reason::kIllegalChance, "illegal chance"}};
  return reasons.at(reason);
}

std::string Say(const std::set<Reason>& reasons) { return Joined(reasons, ", "); }

std::string Say(const SunkShip& sunk) {
  std::string text = sunk.class_name;
  if (sunk.squares) absl::StrAppend(&text, " ", absl::StrJoin(*sunk.squares, "-"));
  return text;
}

std::string Say(const Shot& shot) {
  static const auto& results =
      *new std::map<ShotResult, std::string>{{ShotResult::kWater, "water"},
                                             {ShotResult::kHit, "hit"},
                                             {ShotResult::kSunk, "sunk"},
                                             {ShotResult::kCalled, "called"}};
  return absl::StrCat(shot.square, " ", results.at(shot.result),
                      shot.by_server ? " by server" : "");
}

std::string Say(const Volley& volley) {
  std::string text = absl::StrCat("round ", volley.round, " ", absl::StrJoin(volley.squares, "-"));
  if (volley.by_server) text += " by server";
  for (const auto& [name, hits] : volley.hits_by_class)
    absl::StrAppend(&text, ", ", name, " ", hits);
  for (const SunkShip& sunk : volley.sunk) absl::StrAppend(&text, ", sunk ", Say(sunk));
  return text;
}

std::string Say(const Result& result) {
  static const auto& ends =
      *new std::map<End, std::string>{{End::kFleetDestroyed, "fleet destroyed"},
                                      {End::kResigned, "resigned"},
                                      {End::kTimedOut, "timed out"},
                                      {End::kInfraction, "infraction"},
                                      {End::kAbsenceClaimed, "absence claimed"},
                                      {End::kIdle, "idle"},
                                      {End::kBothAbsent, "both absent"},
                                      {End::kAborted, "aborted"}};
  static const auto& infractions =
      *new std::map<Infraction, std::string>{{Infraction::kWrongNumberOfShips, "number of ships"},
                                             {Infraction::kShipsTouch, "ships touch"},
                                             {Infraction::kWrongBoard, "board"},
                                             {Infraction::kSkippedTurn, "skipped turn"}};
  std::string text = ends.at(result.end);
  for (const Infraction infraction : result.infractions) {
    absl::StrAppend(&text, ", ", infractions.at(infraction));
  }
  absl::StrAppend(&text, result.winner ? absl::StrCat(", winner ", *result.winner) : ", void");
  return text;
}

std::string Say(const Event& event) {
  const std::string seat = event.seat ? absl::StrCat(*event.seat, " ") : "";
  const std::string by_clock = event.by_clock ? " by clock" : "";
  switch (event.kind) {
    case EventKind::kDraftPlaced:
      return absl::StrCat(seat, "draft: ", Say(event.violations));
    case EventKind::kReady:
      return absl::StrCat(seat, "ready", by_clock);
    case EventKind::kBattleBegan:
      return absl::StrCat(seat, "first");
    case EventKind::kShot: {
      std::string text = absl::StrCat(seat, Say(*event.shot));
      if (event.sunk) absl::StrAppend(&text, ": ", Say(*event.sunk));
      if (!event.ring.empty()) absl::StrAppend(&text, ", ring ", absl::StrJoin(event.ring, "-"));
      return text;
    }
    case EventKind::kVolleyIn:
      return absl::StrCat(seat, "volley in", by_clock);
    case EventKind::kVolleyAnswered:
      return absl::StrCat(seat, Say(*event.volley));
    case EventKind::kStrike:
      return absl::StrCat(seat, "strike ", event.strikes);
    case EventKind::kEnded:
      return absl::StrCat("over: ", Say(*event.result));
  }
  return "";
}

std::string Say(const Outcome& outcome) {
  const std::string events = Joined(outcome.events, "; ");
  if (outcome.reasons.empty()) return events;
  return absl::StrCat("refused: ", Say(outcome.reasons), events.empty() ? "" : " but ", events);
}

std::string Say(const Fleet& fleet) {
  return absl::StrJoin(fleet, ", ", [](std::string* out, const PlacedShip& placed) {
    absl::StrAppend(out, placed.ship, " ", placed.bow, placed.vertical ? "v" : ">");
  });
}

std::string Say(const PlayerView& player) {
  std::string text = player.ready ? "ready" : "not ready";
  absl::StrAppend(&text, ", fleet ", player.fleet ? Say(*player.fleet) : "hidden");
  absl::StrAppend(&text, "; shots ", Joined(player.shots, ", "));
  absl::StrAppend(&text, "; volleys ", Joined(player.volleys, ", "));
  absl::StrAppend(&text, "; ring ", absl::StrJoin(player.ring, " "));
  absl::StrAppend(&text, "; open ", absl::StrJoin(player.open, " "));
  absl::StrAppend(&text, "; sunk ", Joined(player.sunk, ", "), "; afloat");
  for (const auto& [name, ships] : player.afloat_by_class) {
    absl::StrAppend(&text, " ", name, " ", ships);
  }
  absl::StrAppend(&text, "; strikes ", player.strikes, ", shots a turn ", player.shots_a_turn,
                  player.volley_in ? ", volley in" : "");
  if (player.volley) absl::StrAppend(&text, " ", absl::StrJoin(*player.volley, "-"));
  return text;
}

std::string Say(const View& view) {
  static const auto& phases = *new std::map<Phase, std::string>{
      {Phase::kPlacement, "placement"}, {Phase::kBattle, "battle"}, {Phase::kOver, "over"}};
  std::string text = absl::StrCat(
      phases.at(view.phase), ", turn ", view.turn ? absl::StrCat(*view.turn) : "none", ", round ",
      view.round, ", until ", Moment(view.deadline), ", idle until ", Moment(view.idle_deadline));
  if (view.result) absl::StrAppend(&text, ", ", Say(*view.result));
  for (const PlayerView& player : view.players) absl::StrAppend(&text, "\n  ", Say(player));
  return text;
}

}  // namespace naval::oracle
