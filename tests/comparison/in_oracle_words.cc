#include "tests/comparison/in_oracle_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <variant>

#include "lib/base/check.h"
#include "lib/rules/seat.h"

namespace naval::comparison {
namespace {

std::size_t At(int index) { return static_cast<std::size_t>(index); }

std::set<std::string> NamesOf(rules::SquareSet squares) {
  std::set<std::string> names;
  for (const rules::Square square : squares) names.insert(NameOf(square));
  return names;
}

oracle::ShotResult ResultOf(rules::ShotResult result) {
  switch (result) {
    case rules::ShotResult::kWater:
      return oracle::ShotResult::kWater;
    case rules::ShotResult::kHit:
      return oracle::ShotResult::kHit;
    case rules::ShotResult::kSunk:
      return oracle::ShotResult::kSunk;
    case rules::ShotResult::kUnknown:
      return oracle::ShotResult::kCalled;
  }
  NAVAL_CHECK(false);
}

oracle::ViolationKind KindOf(rules::ViolationKind kind) {
  switch (kind) {
    case rules::ViolationKind::kDuplicateShip:
      return oracle::ViolationKind::kTwice;
    case rules::ViolationKind::kMissingShip:
      return oracle::ViolationKind::kMissing;
    case rules::ViolationKind::kOutOfBoard:
      return oracle::ViolationKind::kOutside;
    case rules::ViolationKind::kOverlap:
      return oracle::ViolationKind::kOverlap;
    case rules::ViolationKind::kTouching:
      return oracle::ViolationKind::kTouch;
  }
  NAVAL_CHECK(false);
}

oracle::End EndOf(rules::EndReason reason) {
  switch (reason) {
    case rules::EndReason::kFleetDestroyed:
      return oracle::End::kFleetDestroyed;
    case rules::EndReason::kResigned:
      return oracle::End::kResigned;
    case rules::EndReason::kTimedOut:
      return oracle::End::kTimedOut;
    case rules::EndReason::kIllegalFleet:
    case rules::EndReason::kTurnSkipped:
      return oracle::End::kInfraction;
    case rules::EndReason::kAbsenceClaimed:
      return oracle::End::kAbsenceClaimed;
    case rules::EndReason::kIdle:
      return oracle::End::kIdle;
    case rules::EndReason::kBothAbsent:
      return oracle::End::kBothAbsent;
    case rules::EndReason::kAborted:
      return oracle::End::kAborted;
  }
  NAVAL_CHECK(false);
}

oracle::TurnOrder TurnOrderOf(rules::TurnOrder order) {
  switch (order) {
    case rules::TurnOrder::kHitAgain:
      return oracle::TurnOrder::kHitAgain;
    case rules::TurnOrder::kAlternate:
      return oracle::TurnOrder::kAlternate;
    case rules::TurnOrder::kVolley:
      return oracle::TurnOrder::kVolley;
  }
  NAVAL_CHECK(false);
}

oracle::ClockEnd ClockEndOf(rules::ClockEnd end) {
  switch (end) {
    case rules::ClockEnd::kServerPlays:
      return oracle::ClockEnd::kServerShoots;
    case rules::ClockEnd::kLoses:
      return oracle::ClockEnd::kLoses;
    case rules::ClockEnd::kMayBeClaimed:
      return oracle::ClockEnd::kClaim;
  }
  NAVAL_CHECK(false);
}

oracle::Phase PhaseOf(rules::Phase phase) {
  switch (phase) {
    case rules::Phase::kPlacement:
      return oracle::Phase::kPlacement;
    case rules::Phase::kBattle:
      return oracle::Phase::kBattle;
    case rules::Phase::kOver:
      return oracle::Phase::kOver;
    case rules::Phase::kCreated:
      break;
  }
  NAVAL_CHECK(false);
}

oracle::Volley Aligned(oracle::Volley volley) {
  std::sort(volley.squares.begin(), volley.squares.end());
  std::sort(volley.sunk.begin(), volley.sunk.end());
  volley.by_server = false;
  return volley;
}

oracle::Result Aligned(oracle::Result result) {
  if (!result.violations.empty()) result.infractions.clear();
  return result;
}

oracle::Event EventAt(oracle::EventKind kind, rules::Seat seat, bool by_clock = false) {
  return {.kind = kind, .seat = rules::SeatIndex(seat), .by_clock = by_clock};
}

}  // namespace

oracle::OracleRules InOracleWords(const rules::RuleSet& rules) {
  oracle::OracleRules words;
  words.columns = words.rows = rules.board_size;
  for (const rules::Ship& ship : rules.ships) {
    words.ships.push_back({.id = ship.id,
                           .class_name = std::string(rules::ClassOf(ship)),
                           .length = ship.length,
                           .volley_shots = ship.shots});
  }
  words.may_touch = rules.ships_may_touch;
  words.ring = rules.ring_closed;
  words.turn_order = TurnOrderOf(rules.turn_order);
  words.sinking_tells = rules.sunk_report == rules::SunkReport::kShip
                            ? oracle::SinkingTells::kNameAndSquares
                            : oracle::SinkingTells::kName;
  words.shots_a_turn = rules.shots_per_turn;
  words.illegal_fleet_loses = rules.illegal_fleet == rules::IllegalFleet::kLoses;
  words.clock_end = ClockEndOf(rules.clock_end);
  words.strikes_to_lose = rules.strikes_to_lose;
  words.placement_time = rules.placement_duration;
  words.shot_time = rules.shot_duration;
  words.idle_time = rules.idle_duration;
  return words;
}

// Asked a hundred times a view: from a table.
const std::string& NameOf(rules::Square square) {
  static const auto& names = *new auto([] {
    std::array<std::string, rules::kMaxSquares> all;
    for (int i = 0; i < rules::kMaxSquares; ++i) {
      all[At(i)] = rules::Square::FromIndex(i).ToString();
    }
    return all;
  }());
  return names[At(square.index())];
}

Words::Words(rules::RuleSet rules, oracle::OracleRules oracle_rules)
    : rules_(std::move(rules)), oracle_rules_(std::move(oracle_rules)) {}

oracle::Fleet Words::FleetOf(const rules::Fleet& fleet) const {
  oracle::Fleet words;
  for (const rules::ShipPlacement& placement : fleet) {
    const bool known = placement.ship >= 0 && At(placement.ship) < oracle_rules_.ships.size();
    words.push_back({.ship = known ? oracle_rules_.ships[At(placement.ship)].id : "no such ship",
                     .bow = NameOf(placement.bow),
                     .vertical = placement.orientation == rules::Orientation::kVertical});
  }
  return words;
}

oracle::Fleet Words::ByClass(oracle::Fleet fleet) const {
  for (oracle::PlacedShip& placed : fleet) {
    for (const oracle::Ship& ship : oracle_rules_.ships) {
      if (ship.id != placed.ship) continue;
      placed.ship = ship.class_name;
      break;
    }
  }
  return fleet;
}

std::set<oracle::Violation> Words::ViolationsOf(const rules::Fleet& fleet) const {
  std::set<oracle::Violation> violations;
  for (const rules::Violation& violation : rules::CheckFleet(rules_, fleet)) {
    oracle::Violation words = {.kind = KindOf(violation.kind),
                               .ships = {oracle_rules_.ships[At(violation.ship)].id}};
    if (violation.other_ship) words.ships.insert(oracle_rules_.ships[At(*violation.other_ship)].id);
    violations.insert(words);
  }
  return violations;
}

const std::string& Words::ClassAt(int ship) const {
  return oracle_rules_.ships[At(ship)].class_name;
}

std::set<std::string> Words::SquaresOf(const rules::ShipPlacement& placement) const {
  return NamesOf(rules::ShipSquareSet(rules_, placement).value());
}

oracle::Volley Words::VolleyOf(const rules::VolleyAnswered& answered) const {
  oracle::Volley volley;
  volley.round = answered.round;
  for (const rules::Square square : answered.squares) volley.squares.push_back(NameOf(square));
  const std::vector<absl::string_view> classes = rules::ShipClasses(rules_);
  NAVAL_CHECK(answered.hits.size() == classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (answered.hits[i] != 0) volley.hits_by_class[std::string(classes[i])] = answered.hits[i];
  }
  for (const int ship : answered.sunk_ships) volley.sunk.push_back({.class_name = ClassAt(ship)});
  return comparison::Aligned(volley);
}

oracle::Result Words::ResultOf(const rules::MatchEnded& ended) const {
  oracle::Result result;
  result.end = EndOf(ended.reason);
  if (ended.winner) result.winner = rules::SeatIndex(*ended.winner);
  if (ended.reason == rules::EndReason::kTurnSkipped) {
    result.infractions = {oracle::Infraction::kSkippedTurn};
  }
  if (ended.reason == rules::EndReason::kIllegalFleet) {
    result.violations = ViolationsOf(ended.illegal_fleet);
  }
  return result;
}

std::optional<oracle::Event> Words::EventOf(const rules::ViewerEvent& event,
                                            rules::Viewer viewer) const {
  using oracle::EventKind;
  if (const auto* draft = std::get_if<rules::OwnDraftChanged>(&event)) {
    oracle::Event words = EventAt(EventKind::kDraftPlaced, rules::SeatOf(viewer).value());
    words.violations = ViolationsOf(draft->draft);
    return words;
  }
  if (const auto* own = std::get_if<rules::OwnFleetConfirmed>(&event)) {
    return EventAt(EventKind::kReady, rules::SeatOf(viewer).value(), own->by_clock);
  }
  if (const auto* ready = std::get_if<rules::SeatReady>(&event)) {
    return EventAt(EventKind::kReady, ready->seat, ready->by_clock);
  }
  if (const auto* battle = std::get_if<rules::BattleStarted>(&event)) {
    return EventAt(EventKind::kBattleBegan, battle->starter);
  }
  if (const auto* ran_out = std::get_if<rules::ClockRanOut>(&event)) {
    oracle::Event words = EventAt(EventKind::kStrike, ran_out->seat);
    words.strikes = ran_out->strikes;
    return words;
  }
  if (const auto* shot = std::get_if<rules::ShotTold>(&event)) {
    oracle::Event words = EventAt(EventKind::kShot, shot->seat);
    words.shot = oracle::Shot{.square = NameOf(shot->square),
                              .result = comparison::ResultOf(shot->result),
                              .by_server = shot->by_clock};
    if (shot->sunk_ship) words.sunk = oracle::SunkShip{.class_name = ClassAt(*shot->sunk_ship)};
    if (shot->sunk_placement) words.sunk.value().squares = SquaresOf(*shot->sunk_placement);
    words.ring = NamesOf(shot->ring);
    return words;
  }
  if (const auto* own = std::get_if<rules::OwnVolleyFired>(&event)) {
    return EventAt(EventKind::kVolleyIn, rules::SeatOf(viewer).value(), own->by_clock);
  }
  if (const auto* fired = std::get_if<rules::SeatFired>(&event)) {
    return EventAt(EventKind::kVolleyIn, fired->seat, fired->by_clock);
  }
  if (const auto* answered = std::get_if<rules::VolleyAnswered>(&event)) {
    oracle::Event words = EventAt(EventKind::kVolleyAnswered, answered->seat);
    words.volley = VolleyOf(*answered);
    return words;
  }
  if (const auto* revealed = std::get_if<rules::MatchRevealed>(&event)) {
    return oracle::Event{.kind = EventKind::kEnded, .result = ResultOf(revealed->end)};
  }
  return std::nullopt;
}

oracle::Event Words::Aligned(oracle::Event event) const {
  if (event.volley) event.volley = comparison::Aligned(*event.volley);
  if (event.result) event.result = comparison::Aligned(*event.result);
  return event;
}

std::vector<oracle::SunkShip> Words::SunkOf(const rules::SeaView& sea) const {
  std::vector<int> sunk_by_shots;
  for (const rules::SeenShot& shot : sea.shots) {
    if (shot.sunk_ship) sunk_by_shots.push_back(*shot.sunk_ship);
  }
  const bool volleys = rules_.turn_order == rules::TurnOrder::kVolley;
  NAVAL_CHECK(volleys ? sunk_by_shots.empty() : sunk_by_shots == sea.sunk_ships);
  std::vector<oracle::SunkShip> sunk;
  for (std::size_t i = 0; i < sea.sunk_ships.size(); ++i) {
    oracle::SunkShip& ship = sunk.emplace_back();
    ship.class_name = ClassAt(sea.sunk_ships[i]);
    if (rules_.sunk_report == rules::SunkReport::kClass) continue;
    NAVAL_CHECK(sea.sunk_placements.at(i).ship == sea.sunk_ships[i]);
    ship.squares = SquaresOf(sea.sunk_placements[i]);
  }
  NAVAL_CHECK(rules_.sunk_report == rules::SunkReport::kShip || sea.sunk_placements.empty());
  return sunk;
}

oracle::PlayerView Words::PlayerOf(const rules::SeaView& sea) const {
  oracle::PlayerView player;
  player.ready = sea.ready;
  if (!sea.fleet.empty()) player.fleet = FleetOf(sea.fleet);
  for (const rules::SeenShot& shot : sea.shots) {
    player.shots.push_back(
        {.square = NameOf(shot.square), .result = comparison::ResultOf(shot.result)});
  }
  player.ring = NamesOf(sea.ring);
  player.open.reserve(static_cast<std::size_t>(sea.open.size()));
  for (int row = 0; row < rules_.board_size; ++row) {
    for (int column = 0; column < rules_.board_size; ++column) {
      const rules::Square square(column, row);
      if (sea.open.Contains(square)) player.open.push_back(NameOf(square));
    }
  }
  NAVAL_CHECK(static_cast<int>(player.open.size()) == sea.open.size());
  player.sunk = SunkOf(sea);
  for (const rules::Ship& ship : rules_.ships)
    player.afloat_by_class[std::string(rules::ClassOf(ship))] = 0;
  for (const int ship : sea.ships_afloat) ++player.afloat_by_class[ClassAt(ship)];
  player.strikes = sea.strikes;
  player.shots_a_turn = sea.volley_size;
  player.volley_in = sea.volley_in;
  if (!sea.volley.empty()) {
    player.volley.emplace();
    for (const rules::Square square : sea.volley) player.volley->push_back(NameOf(square));
  }
  return player;
}

oracle::View Words::ViewOf(const rules::GameView& view) const {
  oracle::View words;
  words.phase = PhaseOf(view.phase);
  for (const rules::Seat seat : rules::kSeats) {
    oracle::PlayerView& player = rules::OfSeat(words.players, seat);
    player = PlayerOf(view.sea(seat));
    for (const rules::VolleyAnswered& answered : view.volleys) {
      if (answered.seat == rules::Rival(seat)) player.volleys.push_back(VolleyOf(answered));
    }
  }
  if (view.turn) words.turn = rules::SeatIndex(*view.turn);
  words.round = view.round;
  words.deadline = view.deadline;
  words.idle_deadline = view.idle_deadline;
  if (view.result) words.result = ResultOf(*view.result);
  return Aligned(std::move(words));
}

oracle::PlayerView Words::Aligned(oracle::PlayerView player) const {
  const bool volleys = rules_.turn_order == rules::TurnOrder::kVolley;
  if (player.fleet && player.fleet->empty()) player.fleet.reset();
  if (player.fleet && player.ready) player.fleet = ByClass(*player.fleet);
  for (oracle::Shot& shot : player.shots) {
    shot.by_server = false;
  }
  if (volleys) {
    std::sort(player.shots.begin(), player.shots.end());
  } else {
    player.shots_a_turn = 0;
  }
  for (oracle::Volley& volley : player.volleys) volley = comparison::Aligned(volley);
  if (player.volley) std::sort(player.volley->begin(), player.volley->end());
  return player;
}

oracle::View Words::Aligned(oracle::View view) const {
  for (oracle::PlayerView& player : view.players) player = Aligned(std::move(player));
  if (view.result) view.result = comparison::Aligned(*view.result);
  return view;
}

}  // namespace naval::comparison
