#pragma once

#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "lib/rules/placement.h"
#include "lib/rules/seat.h"
#include "lib/rules/square.h"

namespace naval::rules {

// What can be asked of a match. Game::Decide answers each with events or a refusal; the refusals
// are listed here with the command, besides MATCH_OVER, which each can get but Tick and Resume.

// Replaces the seat's draft by the one given. A draft may be incomplete or illegal. Refused:
// UNKNOWN_SHIP, SHIP_PLACED_TWICE, FLEET_ALREADY_CONFIRMED, PLACEMENT_IS_OVER, CLOCK_ENDED.
struct PlaceFleet {
  Seat seat;
  Fleet draft;
};

// Completes the kept ships at random; the result becomes the seat's draft (T-05). Refused: as
// PlaceFleet, and NO_LEGAL_COMPLETION.
struct ProposeFleet {
  Seat seat;
  Fleet kept;
};

// Confirms the given fleet, whatever the draft is (T-06). Refused: UNKNOWN_SHIP, ILLEGAL_FLEET with
// every violation (unless that loses, see rules::IllegalFleet), FLEET_ALREADY_CONFIRMED,
// PLACEMENT_IS_OVER, CLOCK_ENDED.
struct ConfirmFleet {
  Seat seat;
  Fleet fleet;
};

// Fires at the rival's sea: one shot, or the whole volley of a round, which is refused or taken as
// a whole (S-07). Refused: BATTLE_NOT_STARTED, INVALID_ROUND, NOT_THIS_ROUND, NOT_YOUR_TURN,
// VOLLEY_ALREADY_FIRED, CLOCK_ENDED, WRONG_NUMBER_OF_SHOTS, INVALID_SQUARE (outside a smaller
// board), SQUARE_CALLED_TWICE, CELL_ALREADY_KNOWN.
struct FireShots {
  Seat seat;
  std::vector<Square> squares;
  // The round that the volley is meant for, so that one that comes after the clock of its round
  // does not count for the next; 0 without volleys.
  int round = 0;
};

// Gives the match up.
struct Resign {
  Seat seat;
};

// Takes the win from a rival who is absent: whose clock has ended where that ends nothing by itself
// (M-14). Where both were absent, the move of the one who came back set the clock anew. Refused:
// RIVAL_NOT_ABSENT, CLOCK_ENDED (the match has been idle for too long).
struct ClaimAbsence {
  Seat seat;
};

// The operator of the service ends the match without a winner. It is no move and nobody's
// seat, so it is never late.
struct Abort {};

// The running clock may have ended. Before its end, without a clock and after the match it causes
// no events; it is never refused.
struct Tick {};

// An owner took the match up again after nobody could play it for a while. A running clock gets
// `lost` back, as far as that is known, and has at least kLeastTimeAfterOutage and at most its
// whole length from now on; no events where that changes nothing. One that had ended before, and
// may be claimed, stays ended. Never refused.
struct Resume {
  absl::Duration lost = absl::ZeroDuration();
};

using Command = std::variant<PlaceFleet, ProposeFleet, ConfirmFleet, FireShots, Resign,
                             ClaimAbsence, Abort, Tick, Resume>;

}  // namespace naval::rules
