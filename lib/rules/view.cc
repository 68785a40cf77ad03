#include "lib/rules/view.h"

#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "lib/rules/volley.h"

namespace naval::rules {
namespace {

// T-14, A-07: an end after both fleets were confirmed shows both.
bool Revealed(const Game& game) {
  return game.phase() == Phase::kOver && game.confirmed(Seat::kFirst) &&
         game.confirmed(Seat::kSecond);
}

bool FiresVolleys(const Game& game) { return game.rules().turn_order == TurnOrder::kVolley; }

// The squares of a volley have no order, so none of them is the one that sank a ship. Before the
// end none is a hit either (S-09).
ShotResult ResultInVolley(ShotResult result, bool revealed) {
  if (!revealed) return ShotResult::kUnknown;
  return result == ShotResult::kSunk ? ShotResult::kHit : result;
}

std::vector<SeenShot> ShotsSeen(const Game& game, const Sea& sea) {
  std::vector<SeenShot> seen;
  seen.reserve(sea.shots().size());
  const bool revealed = Revealed(game);
  auto sunk = sea.sunk_ships().begin();
  for (const ShotMark& shot : sea.shots()) {
    SeenShot& here = seen.emplace_back(SeenShot{shot.square, shot.result, std::nullopt});
    if (FiresVolleys(game)) {
      here.result = ResultInVolley(shot.result, revealed);
    } else if (shot.result == ShotResult::kSunk) {
      here.sunk_ship = (sunk++)->ship;
    }
  }
  return seen;
}

// As it was told: of volleys the sea itself knows an order that nobody may see.
std::vector<int> SunkShips(const Game& game, absl::Span<const VolleyAnswered> volleys, Seat owner,
                           const Sea& sea) {
  std::vector<int> ships;
  if (!FiresVolleys(game)) {
    for (const ShipPlacement& sunk : sea.sunk_ships()) ships.push_back(sunk.ship);
    return ships;
  }
  for (const VolleyAnswered& volley : volleys) {
    if (volley.seat == owner) continue;
    ships.insert(ships.end(), volley.sunk_ships.begin(), volley.sunk_ships.end());
  }
  return ships;
}

// `volleys` are those of the game.
SeaView SeaOf(const Game& game, absl::Span<const VolleyAnswered> volleys, Seat owner,
              Viewer viewer) {
  SeaView view;
  view.ready = game.confirmed(owner);
  view.open = SquareSet::Board(game.rules().board_size);
  view.strikes = game.strikes(owner);
  if (SeatOf(viewer) == owner || Revealed(game)) view.fleet = game.fleet(owner);
  if (game.result().has_value() && game.result()->reason == EndReason::kIllegalFleet &&
      game.result()->winner == Rival(owner)) {
    view.fleet = game.result()->illegal_fleet;
  }
  const Sea* sea = game.sea(owner);
  if (sea != nullptr) {
    view.shots = ShotsSeen(game, *sea);
    view.ring = sea->ring();
    view.open = sea->open();
    view.sunk_ships = SunkShips(game, volleys, owner, *sea);
    if (game.rules().sunk_report == SunkReport::kShip) view.sunk_placements = sea->sunk_ships();
  }
  if (game.phase() == Phase::kBattle && game.round() > 0) {
    view.volley_size = VolleySize(game.rules(), sea, game.sea(Rival(owner)));
    view.volley_in = game.volley(owner).has_value();
    if (view.volley_in && SeatOf(viewer) == owner) view.volley = *game.volley(owner);
  }
  for (int ship = 0; ship < static_cast<int>(game.rules().ships.size()); ++ship) {
    if (sea == nullptr || sea->IsAfloat(ship)) view.ships_afloat.push_back(ship);
  }
  return view;
}

// One for each kind of event: what is not said here does not get out.
class Redactor {
 public:
  Redactor(const Game& game, Viewer viewer) : game_(game), viewer_(viewer) {}

  std::optional<ViewerEvent> operator()(const DraftChanged& event) const {
    if (SeatOf(viewer_) != event.seat) return std::nullopt;
    return OwnDraftChanged{event.draft};
  }
  std::optional<ViewerEvent> operator()(const FleetConfirmed& event) const {
    if (SeatOf(viewer_) == event.seat) return OwnFleetConfirmed{event.fleet, event.by_clock};
    return SeatReady{event.seat, event.by_clock};
  }
  // The same for all, the owner of the sea among them, who knows the ship from its own fleet.
  std::optional<ViewerEvent> operator()(const ShotFired& event) const {
    ShotTold told{event.seat,   event.square,      event.impact.result, std::nullopt,
                  std::nullopt, event.impact.ring, event.by_clock};
    if (!event.impact.sunk_ship.has_value()) return told;
    told.sunk_ship = event.impact.sunk_ship->ship;
    if (game_.rules().sunk_report == SunkReport::kShip) {
      told.sunk_placement = event.impact.sunk_ship;
    }
    return told;
  }
  std::optional<ViewerEvent> operator()(const VolleyFired& event) const {
    if (SeatOf(viewer_) == event.seat) return OwnVolleyFired{event.squares, event.by_clock};
    return SeatFired{event.seat, event.by_clock};
  }
  std::optional<ViewerEvent> operator()(const VolleyDue& event) const { return event; }
  std::optional<ViewerEvent> operator()(const VolleyAnswered& event) const { return event; }
  std::optional<ViewerEvent> operator()(const MatchEnded& event) const {
    MatchRevealed revealed{event, std::nullopt};
    if (Revealed(game_)) {
      revealed.fleets = {game_.fleet(Seat::kFirst), game_.fleet(Seat::kSecond)};
    }
    return revealed;
  }
  std::optional<ViewerEvent> operator()(const PlacementStarted& event) const { return event; }
  std::optional<ViewerEvent> operator()(const BattleStarted& event) const { return event; }
  std::optional<ViewerEvent> operator()(const ShotDue& event) const { return event; }
  std::optional<ViewerEvent> operator()(const ClockRanOut& event) const { return event; }
  std::optional<ViewerEvent> operator()(const ClockAdjusted& event) const { return event; }
  // Set by moves that all may see, never by a draft.
  std::optional<ViewerEvent> operator()(const IdleClockSet& event) const { return event; }

 private:
  const Game& game_;
  const Viewer viewer_;
};

}  // namespace

GameView ViewOf(const Game& game, Viewer viewer) {
  GameView view;
  view.viewer = viewer;
  view.rules = game.rules();
  view.phase = game.phase();
  // Once for all: the game replays them.
  view.volleys = game.volleys();
  for (const Seat seat : kSeats) {
    OfSeat(view.seas, seat) = SeaOf(game, view.volleys, seat, viewer);
  }
  view.starter = game.starter();
  view.turn = game.turn();
  view.round = game.round();
  view.deadline = game.deadline();
  view.idle_deadline = game.idle_deadline();
  view.result = game.result();
  return view;
}

std::optional<ViewerEvent> Redact(const Event& event, const Game& game, Viewer viewer) {
  return std::visit(Redactor(game, viewer), event);
}

}  // namespace naval::rules
