#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"
#include "tools/client/client.h"
#include "tools/client/match_feed.h"

namespace naval::client {

// The match as GetMatch gives it to `client`.
absl::StatusOr<match::v1::Match> MatchOf(Client& client, const std::string& match_id);

// Plays one seat of one match by what its client sees, and checks on the way that every answer
// tells the events that the stream tells. For one thread.
class Player {
 public:
  // All must outlive the player; `random` may be shared when it is thread safe.
  Player(Client& client, base::Clock& clock, base::Random& random, std::string match_id);

  // Has a fleet drawn and confirms it.
  absl::Status LayFleet();

  // Waits until a shot or volley of this player's is due or the match is over. False when it is
  // over.
  absl::StatusOr<bool> AwaitTurn();

  // The shot or volley that this player would fire now, with a request_id. It must be due.
  absl::StatusOr<match::v1::FireShotsRequest> NextShot();

  absl::StatusOr<match::v1::FireShotsResponse> Fire(const match::v1::FireShotsRequest& shot);

  // Waits and fires until the match is over; gives how it ended.
  absl::StatusOr<match::v1::MatchResult> PlayToTheEnd();

  // The match as this player knows it now.
  absl::StatusOr<match::v1::Match> State();

  // Compares the match that the feed gathered event by event with the one that GetMatch gives as a
  // whole. DATA_LOSS, reason STATES_DIFFER, when they
  // are not the same.
  absl::Status CompareWithServer();

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
