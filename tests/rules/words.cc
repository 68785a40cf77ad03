#include "tests/rules/words.h"

#include <cstddef>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/rules/test_match.h"

namespace naval::rules {
namespace {

absl::string_view ResultWord(ShotResult result) {
  switch (result) {
    case ShotResult::kWater:
      return "water";
    case ShotResult::kHit:
      return "hit";
    case ShotResult::kSunk:
      return "sunk";
    case ShotResult::kUnknown:
      return "unknown";
  }
  return "";
}

absl::string_view ReasonWords(EndReason reason) {
  switch (reason) {
    case EndReason::kFleetDestroyed:
      return "fleet destroyed";
    case EndReason::kResigned:
      return "resigned";
    case EndReason::kTimedOut:
      return "timed out";
    case EndReason::kIllegalFleet:
      return "illegal fleet";
    case EndReason::kTurnSkipped:
      return "turn skipped";
    case EndReason::kAbsenceClaimed:
      return "absence claimed";
    case EndReason::kIdle:
      return "idle";
    case EndReason::kBothAbsent:
      return "both absent";
    case EndReason::kAborted:
      return "aborted";
  }
  return "";
}

absl::string_view PhaseWord(Phase phase) {
  switch (phase) {
    case Phase::kCreated:
      return "created";
    case Phase::kPlacement:
      return "placement";
    case Phase::kBattle:
      return "battle";
    case Phase::kOver:
      return "over";
  }
  return "";
}

std::string Until(std::optional<absl::Time> deadline) {
  if (!deadline.has_value()) return "untimed";
  return absl::StrCat("until ", absl::FormatDuration(*deadline - absl::UnixEpoch()));
}

std::string OrNone(std::string words) { return words.empty() ? "none" : words; }

std::string ShipIds(const RuleSet& rules, const std::vector<int>& ships) {
  return absl::StrJoin(ships, " ", [&rules](std::string* out, int ship) {
    out->append(rules.ships[static_cast<std::size_t>(ship)].id);
  });
}

std::string EndWords(const RuleSet& rules, const MatchEnded& end) {
  const absl::string_view winner = end.winner.has_value() ? SeatName(*end.winner) : "nobody";
  std::string words = absl::StrCat(winner, " wins, ", ReasonWords(end.reason));
  if (end.reason == EndReason::kIllegalFleet) {
    absl::StrAppend(&words, " ", OrNone(FleetText(rules, end.illegal_fleet)));
  }
  return words;
}

// "acorazado 2, submarino 1, sunk submarino", or "none".
std::string AnswerWords(const RuleSet& rules, const VolleyAnswered& answer) {
  std::vector<std::string> words;
  const std::vector<absl::string_view> classes = ShipClasses(rules);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (answer.hits[i] > 0) words.push_back(absl::StrCat(classes[i], " ", answer.hits[i]));
  }
  for (const int ship : answer.sunk_ships) {
    words.push_back(absl::StrCat("sunk ", rules.ships[static_cast<std::size_t>(ship)].id));
  }
  return OrNone(absl::StrJoin(words, ", "));
}

// The words of one event of any kind.
class Describer {
 public:
  explicit Describer(const RuleSet& rules) : rules_(rules) {}

  std::string operator()(const PlacementStarted& event) const {
    return absl::StrCat("placement ", Until(event.deadline));
  }
  std::string operator()(const DraftChanged& event) const {
    return absl::StrCat("draft ", SeatName(event.seat), " ", Ships(event.draft));
  }
  std::string operator()(const OwnDraftChanged& event) const {
    return absl::StrCat("own draft ", Ships(event.draft));
  }
  std::string operator()(const FleetConfirmed& event) const {
    return absl::StrCat("confirmed ", SeatName(event.seat), Clock(event.by_clock), " ",
                        Ships(event.fleet));
  }
  std::string operator()(const OwnFleetConfirmed& event) const {
    return absl::StrCat("own fleet", Clock(event.by_clock), " ", Ships(event.fleet));
  }
  std::string operator()(const SeatReady& event) const {
    return absl::StrCat("ready ", SeatName(event.seat), Clock(event.by_clock));
  }
  std::string operator()(const BattleStarted& event) const {
    return absl::StrCat("battle ", SeatName(event.starter));
  }
  std::string operator()(const ShotDue& event) const {
    return absl::StrCat("due ", SeatName(event.seat), " ", Until(event.deadline));
  }
  std::string operator()(const ClockRanOut& event) const {
    return absl::StrCat("ran out ", SeatName(event.seat), " ", event.strikes);
  }
  std::string operator()(const ShotFired& event) const {
    std::string words = absl::StrCat(SeatName(event.seat), " fires ", event.square.ToString(),
                                     Clock(event.by_clock), ": ", ResultWord(event.impact.result));
    if (event.impact.sunk_ship.has_value()) {
      absl::StrAppend(&words, " ", FleetText(rules_, {*event.impact.sunk_ship}), ", ring ",
                      OrNone(event.impact.ring.ToString()));
    }
    return words;
  }
  std::string operator()(const ShotTold& event) const {
    std::string words = absl::StrCat(SeatName(event.seat), " fires ", event.square.ToString(),
                                     Clock(event.by_clock), ": ", ResultWord(event.result));
    if (event.sunk_placement.has_value()) {
      absl::StrAppend(&words, " ", FleetText(rules_, {*event.sunk_placement}), ", ring ",
                      OrNone(event.ring.ToString()));
    } else if (event.sunk_ship.has_value()) {
      absl::StrAppend(&words, " ", rules_.ships[static_cast<std::size_t>(*event.sunk_ship)].id);
    }
    return words;
  }
  std::string operator()(const VolleyDue& event) const {
    return absl::StrCat("round ", event.round, " of ", event.shots[0], " and ", event.shots[1], " ",
                        Until(event.deadline));
  }
  std::string operator()(const VolleyFired& event) const {
    return absl::StrCat("volley ", SeatName(event.seat), Clock(event.by_clock), " ",
                        event.squares.ToString());
  }
  std::string operator()(const OwnVolleyFired& event) const {
    return absl::StrCat("own volley", Clock(event.by_clock), " ", event.squares.ToString());
  }
  std::string operator()(const SeatFired& event) const {
    return absl::StrCat("volley ", SeatName(event.seat), Clock(event.by_clock));
  }
  std::string operator()(const VolleyAnswered& event) const {
    return absl::StrCat("answer ", event.round, " ", SeatName(event.seat), " ",
                        event.squares.ToString(), ": ", AnswerWords(rules_, event));
  }
  std::string operator()(const ClockAdjusted& event) const {
    return absl::StrCat("clock ", Until(event.deadline));
  }
  std::string operator()(const IdleClockSet& event) const {
    return absl::StrCat("idle ", Until(event.deadline));
  }
  std::string operator()(const MatchEnded& event) const { return EndWords(rules_, event); }
  std::string operator()(const MatchRevealed& event) const {
    std::string words = EndWords(rules_, event.end);
    if (!event.fleets.has_value()) return words;
    return absl::StrCat(words, ", fleets ", Ships((*event.fleets)[0]), " | ",
                        Ships((*event.fleets)[1]));
  }

 private:
  std::string Ships(const Fleet& fleet) const { return OrNone(FleetText(rules_, fleet)); }
  static absl::string_view Clock(bool by_clock) { return by_clock ? " by clock" : ""; }

  const RuleSet& rules_;
};

template <typename AnyEvent>
std::string Join(const RuleSet& rules, const std::vector<AnyEvent>& events) {
  if (events.empty()) return "nothing";
  return absl::StrJoin(events, "; ", [&rules](std::string* out, const AnyEvent& event) {
    out->append(std::visit(Describer(rules), event));
  });
}

absl::Status UnknownSight(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("nothing is called \"", what, "\" in a view"));
}

}  // namespace

std::string EventWords(const RuleSet& rules, const std::vector<Event>& events) {
  return Join(rules, events);
}

std::string EventWords(const RuleSet& rules, const std::vector<ViewerEvent>& events) {
  return Join(rules, events);
}

std::string RefusalWords(const absl::Status& refusal) {
  std::string words = absl::StrCat("refused ", base::ReasonOf(refusal));
  absl::string_view divider = ": ";
  for (const base::FieldViolation& violation : base::FieldViolationsOf(refusal)) {
    absl::StrAppend(&words, divider, violation.description);
    divider = "; ";
  }
  return words;
}

absl::StatusOr<std::string> SightWords(const GameView& view, absl::string_view what) {
  if (what == "phase") return std::string(PhaseWord(view.phase));
  if (what == "clock") return Until(view.deadline);
  if (what == "turn") return std::string(view.turn.has_value() ? SeatName(*view.turn) : "nobody");
  if (what == "round") return absl::StrCat(view.round);
  if (what == "result")
    return view.result.has_value() ? EndWords(view.rules, *view.result) : "none";
  if (what == "idle") return Until(view.idle_deadline);
  return UnknownSight(what);
}

absl::StatusOr<std::string> SightWords(const GameView& view, Seat seat, absl::string_view what) {
  const SeaView& sea = view.sea(seat);
  if (what == "ready") return std::string(sea.ready ? "yes" : "no");
  if (what == "fleet") return OrNone(FleetText(view.rules, sea.fleet));
  if (what == "ring") return OrNone(sea.ring.ToString());
  if (what == "open") return absl::StrCat(sea.open.size());
  if (what == "sunk" && view.rules.sunk_report == SunkReport::kShip) {
    return OrNone(FleetText(view.rules, sea.sunk_placements));
  }
  if (what == "sunk") return OrNone(ShipIds(view.rules, sea.sunk_ships));
  if (what == "volley") {
    return absl::StrCat(sea.volley_size, sea.volley_in ? " in " : " due ",
                        OrNone(sea.volley.ToString()));
  }
  if (what == "strikes") return absl::StrCat(sea.strikes);
  if (what == "shots") {
    return OrNone(absl::StrJoin(sea.shots, ", ", [&view](std::string* out, const SeenShot& shot) {
      absl::StrAppend(out, shot.square.ToString(), " ", ResultWord(shot.result));
      if (shot.sunk_ship.has_value())
        absl::StrAppend(out, " ", ShipIds(view.rules, {*shot.sunk_ship}));
    }));
  }
  if (what == "afloat") return OrNone(ShipIds(view.rules, sea.ships_afloat));
  return UnknownSight(what);
}

}  // namespace naval::rules
