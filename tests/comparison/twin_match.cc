#include "tests/comparison/twin_match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "lib/rules/view.h"
#include "tests/oracle/say.h"

namespace naval::comparison {
namespace {

using oracle::Reason;
using rules::Viewer;

std::optional<int> SeatAt(Viewer viewer) {
  const std::optional<rules::Seat> seat = rules::SeatOf(viewer);
  return seat ? std::optional<int>(rules::SeatIndex(*seat)) : std::nullopt;
}

std::string NameOf(Viewer viewer) {
  const std::optional<rules::Seat> seat = rules::SeatOf(viewer);
  return seat ? std::string(rules::SeatName(*seat)) : "spectator";
}

// The oracle's word for the reason of a refusal.
Reason ReasonNamed(const std::string& reason) {
  static const auto& reasons = *new std::map<std::string, Reason>{
      {"INVALID_SQUARE", Reason::kInvalidSquare},
      {"UNKNOWN_SHIP", Reason::kUnknownShip},
      {"SHIP_PLACED_TWICE", Reason::kShipPlacedTwice},
      {"ILLEGAL_FLEET", Reason::kIllegalFleet},
      {"NO_LEGAL_COMPLETION", Reason::kNoLegalCompletion},
      {"FLEET_ALREADY_CONFIRMED", Reason::kFleetAlreadyConfirmed},
      {"PLACEMENT_IS_OVER", Reason::kPlacementOver},
      {"BATTLE_NOT_STARTED", Reason::kBattleNotStarted},
      {"NOT_YOUR_TURN", Reason::kNotYourTurn},
      {"INVALID_ROUND", Reason::kInvalidRound},
      {"NOT_THIS_ROUND", Reason::kOtherRound},
      {"VOLLEY_ALREADY_FIRED", Reason::kVolleyAlreadySent},
      {"WRONG_NUMBER_OF_SHOTS", Reason::kWrongNumberOfShots},
      {"SQUARE_CALLED_TWICE", Reason::kSameSquareTwice},
      {"CELL_ALREADY_KNOWN", Reason::kCellAlreadyKnown},
      {"CLOCK_ENDED", Reason::kClockEnded},
      {"RIVAL_NOT_ABSENT", Reason::kNothingToClaim},
      {"MATCH_OVER", Reason::kMatchOver}};
  const auto found = reasons.find(reason);
  NAVAL_CHECK(found != reasons.end());
  return found->second;
}

std::vector<std::string> NamesOf(rules::SquareSet squares) {
  std::vector<std::string> names;
  for (const rules::Square square : squares) names.push_back(comparison::NameOf(square));
  return names;
}

// The last event of this kind among what was decided; null where there is none.
template <typename Event>
const Event* Find(const absl::StatusOr<std::vector<rules::Event>>& decided) {
  const Event* found = nullptr;
  if (!decided.ok()) return found;
  for (const rules::Event& event : *decided) {
    if (const auto* kind = std::get_if<Event>(&event)) found = kind;
  }
  return found;
}

// Whether what a player is told of the own fleet or volley is what the game holds now, which the
// views show and are compared by.
bool TellsWhatIsHeld(const rules::ViewerEvent& event, const rules::Game& game, Viewer viewer) {
  if (const auto* draft = std::get_if<rules::OwnDraftChanged>(&event)) {
    return draft->draft == game.fleet(rules::SeatOf(viewer).value());
  }
  if (const auto* own = std::get_if<rules::OwnFleetConfirmed>(&event)) {
    return own->fleet == game.fleet(rules::SeatOf(viewer).value());
  }
  if (const auto* own = std::get_if<rules::OwnVolleyFired>(&event)) {
    return own->squares == game.volley(rules::SeatOf(viewer).value());
  }
  return true;
}

template <typename Values>
std::string SayAll(const Values& values) {
  std::vector<std::string> texts;
  for (const auto& value : values) texts.push_back(oracle::Say(value));
  return absl::StrJoin(texts, "; ");
}

}  // namespace

TwinMatch::TwinMatch(std::shared_ptr<const Words> words, std::optional<rules::Seat> starter,
                     absl::Time now)
    : words_(std::move(words)),
      game_(rules::GameSettings{words_->rules(), starter}),
      oracle_(words_->oracle_rules(),
              starter ? std::optional<int>(rules::SeatIndex(*starter)) : std::nullopt, now) {
  for (const rules::Event& event : game_.Start(now)) game_.Apply(event);
}

std::string TwinMatch::DifferenceAtStart() const {
  std::string difference;
  for (const Viewer viewer : rules::kViewers) {
    if (difference.empty()) difference = DifferenceOfViews(viewer);
  }
  return difference;
}

std::string TwinMatch::Do(const rules::Command& command, absl::Time now, rules::Chance chance) {
  return Follow(command, now, game_.Decide(command, now, chance));
}

std::string TwinMatch::Follow(const rules::Command& command, absl::Time now,
                              const Decided& decided) {
  // Where the starter is given this tells nothing new: a wrong one shows as a difference of events.
  const auto* battle = Find<rules::BattleStarted>(decided);
  if (battle != nullptr && !game_.settings().starter) {
    oracle_.SetFirst(rules::SeatIndex(battle->starter));
  }
  outcome_ = std::visit([&](const auto& kind) { return Ask(kind, now, decided); }, command);
  if (!decided.ok() || !outcome_.reasons.empty()) {
    return DifferenceOfRefusals(command, decided.status());
  }
  std::array<std::vector<rules::ViewerEvent>, 3> told;
  for (const rules::Event& event : *decided) {
    game_.Apply(event);
    for (const Viewer viewer : rules::kViewers) {
      std::optional<rules::ViewerEvent> heard = rules::Redact(event, game_, viewer);
      if (heard && !TellsWhatIsHeld(*heard, game_, viewer))
        return "another fleet or volley is told";
      if (heard) rules::OfViewer(told, viewer).push_back(*std::move(heard));
    }
  }
  if (!game_.settled()) return "the engine waits for nobody";
  const oracle::View seen = oracle_.ViewOf(std::nullopt);
  std::string difference;
  for (const Viewer viewer : rules::kViewers) {
    if (difference.empty()) {
      difference = DifferenceOfEvents(rules::OfViewer(told, viewer), viewer, seen);
    }
    if (difference.empty() && !decided->empty()) difference = DifferenceOfViews(viewer);
  }
  return difference;
}

oracle::Outcome TwinMatch::Ask(const rules::PlaceFleet& command, absl::Time now, const Decided&) {
  return oracle_.PlaceDraft(rules::SeatIndex(command.seat), words_->FleetOf(command.draft), now);
}

oracle::Outcome TwinMatch::Ask(const rules::ProposeFleet& command, absl::Time now,
                               const Decided& decided) {
  std::optional<oracle::Fleet> drawn;
  if (const auto* draft = Find<rules::DraftChanged>(decided)) drawn = words_->FleetOf(draft->draft);
  return oracle_.Propose(rules::SeatIndex(command.seat), words_->FleetOf(command.kept), drawn, now);
}

oracle::Outcome TwinMatch::Ask(const rules::ConfirmFleet& command, absl::Time now, const Decided&) {
  return oracle_.ConfirmFleet(rules::SeatIndex(command.seat), words_->FleetOf(command.fleet), now);
}

oracle::Outcome TwinMatch::Ask(const rules::FireShots& command, absl::Time now, const Decided&) {
  std::vector<std::string> squares;
  for (const rules::Square square : command.squares) {
    squares.push_back(comparison::NameOf(square));
  }
  return oracle_.Fire(rules::SeatIndex(command.seat), squares, command.round, now);
}

oracle::Outcome TwinMatch::Ask(const rules::Resign& command, absl::Time, const Decided&) {
  return oracle_.Resign(rules::SeatIndex(command.seat));
}

oracle::Outcome TwinMatch::Ask(const rules::ClaimAbsence& command, absl::Time now, const Decided&) {
  return oracle_.ClaimAbsence(rules::SeatIndex(command.seat), now);
}

oracle::Outcome TwinMatch::Ask(const rules::Abort&, absl::Time, const Decided&) {
  return oracle_.Abort();
}

// Confirming exchanged the ids of ships of one class; here each ship that stands where one of the
// draft's stood gets its id back, so that the oracle can see what was kept of the draft.
oracle::Fleet TwinMatch::Renamed(rules::Fleet fleet, const rules::Fleet& draft) const {
  const auto class_of = [&](const rules::ShipPlacement& placement) {
    return rules::ClassOf(rules().ships[static_cast<std::size_t>(placement.ship)]);
  };
  std::set<int> renamed;
  for (const rules::ShipPlacement& placed : draft) {
    const auto same = std::find_if(fleet.begin(), fleet.end(), [&](const auto& other) {
      return other.bow == placed.bow && other.orientation == placed.orientation &&
             class_of(other) == class_of(placed) && !renamed.contains(other.ship);
    });
    if (same == fleet.end()) continue;
    const auto namesake = std::find_if(
        fleet.begin(), fleet.end(), [&](const auto& other) { return other.ship == placed.ship; });
    std::swap(same->ship, namesake->ship);
    renamed.insert(placed.ship);
  }
  return words_->FleetOf(fleet);
}

// What the clock drew: fleets, shots.
oracle::Outcome TwinMatch::Ask(const rules::Tick&, absl::Time now, const Decided& decided) {
  oracle::Chance chance;
  for (const rules::Event& event : decided.value()) {
    if (const auto* confirmed = std::get_if<rules::FleetConfirmed>(&event)) {
      chance.fleets[rules::SeatIndex(confirmed->seat)] =
          Renamed(confirmed->fleet, game_.fleet(confirmed->seat));
    } else if (const auto* shot = std::get_if<rules::ShotFired>(&event)) {
      chance.shots[rules::SeatIndex(shot->seat)] = {comparison::NameOf(shot->square)};
    } else if (const auto* volley = std::get_if<rules::VolleyFired>(&event)) {
      chance.shots[rules::SeatIndex(volley->seat)] = NamesOf(volley->squares);
    }
  }
  return oracle_.Tick(now, chance);
}

// The rules of the game know no outages.
oracle::Outcome TwinMatch::Ask(const rules::Resume&, absl::Time, const Decided&) {
  NAVAL_CHECK(false);
}

std::string TwinMatch::DifferenceOfRefusals(const rules::Command& command,
                                            const absl::Status& status) const {
  const std::string engine = status.ok() ? "takes it" : base::ReasonOf(status);
  std::string oracle = outcome_.reasons.empty() ? "takes it" : oracle::Say(outcome_.reasons);
  if (!outcome_.detail.empty()) absl::StrAppend(&oracle, " (", outcome_.detail, ")");
  const std::string difference = absl::StrCat("the engine: ", engine, "; the oracle: ", oracle);
  if (status.ok() || outcome_.reasons.empty()) return difference;
  const Reason reason = ReasonNamed(engine);
  if (!outcome_.reasons.contains(reason)) return difference;
  if (reason != Reason::kIllegalFleet) return "";
  const auto named = words_->ViolationsOf(std::get<rules::ConfirmFleet>(command).fleet);
  if (named == outcome_.violations && base::FieldViolationsOf(status).size() == named.size()) {
    return "";
  }
  return absl::StrCat("the engine finds: ", oracle::Say(named),
                      "; the oracle: ", oracle::Say(outcome_.violations));
}

std::string TwinMatch::DifferenceOfEvents(const std::vector<rules::ViewerEvent>& told,
                                          Viewer viewer, const oracle::View& seen) const {
  std::vector<oracle::Event> engine;
  for (const rules::ViewerEvent& event : told) {
    std::optional<oracle::Event> words = words_->EventOf(event, viewer);
    if (words) engine.push_back(words_->Aligned(*std::move(words)));
  }
  std::vector<oracle::Event> oracle;
  for (const oracle::Event& event : outcome_.events) {
    const bool hidden =
        event.kind == oracle::EventKind::kDraftPlaced && event.seat != SeatAt(viewer);
    if (!hidden) oracle.push_back(words_->Aligned(event));
  }
  if (engine != oracle) {
    return absl::StrCat(NameOf(viewer), " hears from the engine: ", SayAll(engine),
                        "; from the oracle: ", SayAll(oracle));
  }
  std::string difference = DifferenceOfDue(told, seen);
  if (difference.empty()) difference = DifferenceOfRevealed(told, seen);
  if (difference.empty()) return "";
  return absl::StrCat(NameOf(viewer), " hears from the engine ", difference);
}

// After a move that does not end the match the engine says who is due until when, and as its last
// word when the match ends if nobody moves.
std::string TwinMatch::DifferenceOfDue(const std::vector<rules::ViewerEvent>& told,
                                       const oracle::View& seen) const {
  using oracle::EventKind;
  bool moved = false;
  for (const oracle::Event& event : outcome_.events) {
    moved = moved || event.kind == EventKind::kBattleBegan || event.kind == EventKind::kShot ||
            event.kind == EventKind::kVolleyAnswered;
  }
  std::vector<rules::ViewerEvent> due;
  if (moved && seen.turn) {
    due.push_back(rules::ShotDue{rules::kSeats[*seen.turn], seen.deadline});
  } else if (moved && seen.phase == oracle::Phase::kBattle) {
    due.push_back(rules::VolleyDue{
        seen.round, {seen.players[0].shots_a_turn, seen.players[1].shots_a_turn}, seen.deadline});
  }
  std::vector<rules::ViewerEvent> heard;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (const auto* idle = std::get_if<rules::IdleClockSet>(&told[i])) {
      if (i + 1 < told.size()) return "when the match ends if nobody moves, and then more";
      if (idle->deadline != seen.idle_deadline) return "that it is idle at another time";
      continue;
    }
    if (!std::holds_alternative<rules::ShotDue>(told[i]) &&
        !std::holds_alternative<rules::VolleyDue>(told[i])) {
      continue;
    }
    const bool idle_follows =
        i + 2 == told.size() && std::holds_alternative<rules::IdleClockSet>(told[i + 1]);
    if (i + 1 < told.size() && !idle_follows) return "who is due, and then more";
    heard.push_back(told[i]);
  }
  return heard == due ? "" : "that another is due, or at another time";
}

std::string TwinMatch::DifferenceOfRevealed(const std::vector<rules::ViewerEvent>& told,
                                            const oracle::View& seen) const {
  if (told.empty()) return "";
  const auto* revealed = std::get_if<rules::MatchRevealed>(&told.back());
  if (revealed == nullptr) return "";
  const bool both = seen.players[0].fleet.has_value() && seen.players[1].fleet.has_value();
  if (revealed->fleets.has_value() != both) return "fleets that the oracle hides, or none";
  for (std::size_t seat = 0; both && seat < 2; ++seat) {
    if (words_->ByClass(words_->FleetOf((*revealed->fleets)[seat])) !=
        words_->ByClass(*seen.players[seat].fleet)) {
      return "another fleet than from the oracle";
    }
  }
  return "";
}

std::string TwinMatch::DifferenceOfViews(Viewer viewer) const {
  const rules::GameView seen = rules::ViewOf(game_, viewer);
  const oracle::View engine = words_->ViewOf(seen);
  const oracle::View oracle = words_->Aligned(oracle_.ViewOf(SeatAt(viewer)));
  if (engine == oracle && seen.viewer == viewer && seen.starter == game_.starter()) return "";
  return absl::StrCat(NameOf(viewer), " sees\nin the engine: ", oracle::Say(engine),
                      "\nin the oracle: ", oracle::Say(oracle));
}

std::string Say(const Words& words, const rules::Command& command) {
  const auto who = [](rules::Seat seat) { return absl::StrCat(rules::SeatName(seat), " "); };
  if (const auto* place = std::get_if<rules::PlaceFleet>(&command)) {
    return who(place->seat) + "places " + oracle::Say(words.FleetOf(place->draft));
  }
  if (const auto* propose = std::get_if<rules::ProposeFleet>(&command)) {
    return who(propose->seat) + "keeps " + oracle::Say(words.FleetOf(propose->kept));
  }
  if (const auto* confirm = std::get_if<rules::ConfirmFleet>(&command)) {
    return who(confirm->seat) + "confirms " + oracle::Say(words.FleetOf(confirm->fleet));
  }
  if (const auto* fire = std::get_if<rules::FireShots>(&command)) {
    const std::string round = fire->round == 0 ? "" : absl::StrCat(" for round ", fire->round);
    return who(fire->seat) + "fires" + round +
           absl::StrJoin(fire->squares, "", [](std::string* out, rules::Square square) {
             absl::StrAppend(out, " ", square.ToString());
           });
  }
  if (const auto* resign = std::get_if<rules::Resign>(&command))
    return who(resign->seat) + "resigns";
  if (const auto* claim = std::get_if<rules::ClaimAbsence>(&command)) {
    return who(claim->seat) + "claims the match";
  }
  if (std::holds_alternative<rules::Abort>(command)) return "the operator aborts the match";
  return std::holds_alternative<rules::Tick>(command) ? "the clock ticks" : "the match is resumed";
}

}  // namespace naval::comparison
