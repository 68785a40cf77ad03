#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "tools/client/client.h"
#include "tools/client/match_feed.h"

namespace naval::client {

// Plays one seat of one match by what its client sees, and checks on the way that every answer
// tells the events that the stream tells. For one thread.
class Player {
 public:
  // All must outlive the player; `random` may be shared when it is thread safe.
  Player(Client& client, base::Clock& clock, base::Random& random, std::string match_id);

  // Has a fleet drawn and confirms it.
  absl::Status LayFleet();

  // Waits until it is this player's turn or the match is over. False when it is over.
  absl::StatusOr<bool> AwaitTurn();

  // The shot that this player would fire now, with a request_id. It must be this player's turn.
  absl::StatusOr<match::v1::FireShotsRequest> NextShot();

  absl::StatusOr<match::v1::FireShotsResponse> Fire(const match::v1::FireShotsRequest& shot);

  // Waits and fires until the match is over; gives how it ended.
  absl::StatusOr<match::v1::MatchResult> PlayToTheEnd();

  // The match as this player knows it now.
  absl::StatusOr<match::v1::Match> State();

  MatchFeed& feed() { return feed_; }
  Client& client() { return client_; }
  const std::string& match_id() const { return match_id_; }

 private:
  Client& client_;
  base::Random& random_;
  const std::string match_id_;
  MatchFeed feed_;
};

}  // namespace naval::client
