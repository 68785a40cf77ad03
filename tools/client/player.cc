#include "tools/client/player.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "tools/client/hunter.h"
#include "tools/client/match_state.h"

namespace naval::client {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

// A rival has 25 s for a shot and may begin anew after each hit; a server may be away for a while.
constexpr absl::Duration kLongestWait = absl::Minutes(2);

bool MayFireOrIsOver(const v1::Match& match) {
  return match.phase() == v1::PHASE_OVER || MayFire(match);
}

}  // namespace

absl::StatusOr<v1::Match> MatchOf(Client& client, const std::string& match_id) {
  v1::GetMatchRequest request;
  request.set_match_id(match_id);
  NAVAL_ASSIGN_OR_RETURN(const v1::GetMatchResponse response,
                         client.Call(&MatchStub::GetMatch, request));
  return response.match();
}

Player::Player(Client& client, base::Clock& clock, base::Random& random, std::string match_id)
    : client_(client),
      random_(random),
      match_id_(std::move(match_id)),
      feed_(client, clock, match_id_) {}

absl::Status Player::LayFleet() {
  // Nothing is sent before the feed has its first state: it is to see every event.
  NAVAL_RETURN_IF_ERROR(State().status());
  v1::ProposeFleetRequest proposal;
  proposal.set_match_id(match_id_);
  NAVAL_ASSIGN_OR_RETURN(const v1::ProposeFleetResponse proposed,
                         client_.Call(&MatchStub::ProposeFleet, proposal));
  NAVAL_RETURN_IF_ERROR(feed_.Confirm(proposed.events()));
  v1::ConfirmFleetRequest confirmation;
  confirmation.set_match_id(match_id_);
  *confirmation.mutable_fleet() = proposed.fleet();
  NAVAL_ASSIGN_OR_RETURN(const v1::ConfirmFleetResponse confirmed,
                         client_.Call(&MatchStub::ConfirmFleet, confirmation));
  return feed_.Confirm(confirmed.events());
}

absl::StatusOr<bool> Player::AwaitTurn() {
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, feed_.WaitFor(MayFireOrIsOver, kLongestWait));
  return match.phase() != v1::PHASE_OVER;
}

absl::StatusOr<v1::FireShotsRequest> Player::NextShot() {
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, State());
  v1::FireShotsRequest shot;
  shot.set_match_id(match_id_);
  shot.set_request_id(client_.NewRequestId());
  shot.set_round(match.round());
  for (const std::string& square : ChooseShots(match, random_)) shot.add_squares(square);
  return shot;
}

absl::StatusOr<v1::FireShotsResponse> Player::Fire(const v1::FireShotsRequest& shot) {
  NAVAL_ASSIGN_OR_RETURN(const v1::FireShotsResponse response,
                         client_.Call(&MatchStub::FireShots, shot));
  NAVAL_RETURN_IF_ERROR(feed_.Confirm(response.events()));
  return response;
}

absl::StatusOr<v1::MatchResult> Player::PlayToTheEnd() {
  while (true) {
    NAVAL_ASSIGN_OR_RETURN(const bool my_turn, AwaitTurn());
    if (!my_turn) break;
    NAVAL_ASSIGN_OR_RETURN(const v1::FireShotsRequest shot, NextShot());
    NAVAL_RETURN_IF_ERROR(Fire(shot).status());
  }
  NAVAL_ASSIGN_OR_RETURN(const v1::Match match, State());
  return match.result();
}

absl::StatusOr<v1::Match> Player::State() {
  return feed_.WaitFor([](const v1::Match&) { return true; });
}

absl::Status Player::CompareWithServer() {
  v1::Match whole;
  v1::Match gathered;
  do {
    NAVAL_ASSIGN_OR_RETURN(whole, MatchOf(client_, match_id_));
    NAVAL_ASSIGN_OR_RETURN(gathered, feed_.WaitFor([&](const v1::Match& match) {
      return match.seq() >= whole.seq();
    }));
    // Something has happened in between: they are not of the same moment.
  } while (gathered.seq() != whole.seq());
  ClearMoment(gathered);
  ClearMoment(whole);
  if (gathered.SerializeAsString() == whole.SerializeAsString()) return absl::OkStatus();
  return base::Error(absl::StatusCode::kDataLoss, "STATES_DIFFER",
                     absl::StrCat("the events do not add up to what GetMatch shows; by events:\n",
                                  gathered.DebugString(), "by GetMatch:\n", whole.DebugString()),
                     {{"match_id", match_id_}});
}

}  // namespace naval::client
