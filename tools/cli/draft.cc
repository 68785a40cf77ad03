#include "tools/cli/draft.h"

#include "absl/status/status.h"
#include "lib/base/error.h"
#include "lib/base/status_macros.h"
#include "tools/cli/ships.h"
#include "tools/cli/text.h"
#include "tools/client/match_state.h"

namespace naval::cli {
namespace {

namespace v1 = match::v1;
using MatchStub = v1::MatchService::Stub;

const Fleet& DraftOf(const v1::Match& match) {
  return client::SideOf(match, match.viewer_seat()).fleet();
}

absl::StatusOr<v1::PlaceFleetResponse> Place(client::Client& client, const v1::Match& match,
                                             const Fleet& fleet) {
  v1::PlaceFleetRequest request;
  request.set_match_id(match.match_id());
  *request.mutable_fleet() = fleet;
  return client.Call(&MatchStub::PlaceFleet, request);
}

// Storing the draft as it is tells what is wrong with it, and changes nothing.
absl::Status RefuseIfItLoses(client::Client& client, const v1::Match& match) {
  NAVAL_ASSIGN_OR_RETURN(const v1::PlaceFleetResponse placed, Place(client, match, DraftOf(match)));
  if (placed.violations().empty()) return absl::OkStatus();
  absl::Status refusal = base::Error(
      absl::StatusCode::kInvalidArgument, "ILLEGAL_FLEET",
      "the fleet breaks the rules, and confirming it loses the match: mend it, or confirm it with "
      "--illegal");
  for (const v1::FleetViolation& violation : placed.violations()) {
    refusal = base::WithFieldViolation(refusal, {"fleet", ViolationText(violation)});
  }
  return refusal;
}

}  // namespace

absl::StatusOr<v1::PlaceFleetResponse> PlaceShips(client::Client& client, const v1::Match& match,
                                                  const std::vector<std::string>& ships) {
  NAVAL_ASSIGN_OR_RETURN(const Fleet laid, ParseShips(ships, match.rule_set()));
  Fleet fleet = DraftOf(match);
  LayShips(laid, fleet);
  return Place(client, match, fleet);
}

absl::StatusOr<v1::ConfirmFleetResponse> ConfirmDraft(client::Client& client,
                                                      const v1::Match& match, bool illegal) {
  if (match.rule_set().illegal_fleet_loses() && !illegal) {
    NAVAL_RETURN_IF_ERROR(RefuseIfItLoses(client, match));
  }
  v1::ConfirmFleetRequest request;
  request.set_match_id(match.match_id());
  *request.mutable_fleet() = DraftOf(match);
  return client.Call(&MatchStub::ConfirmFleet, request);
}

}  // namespace naval::cli
