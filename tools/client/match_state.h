#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "google/protobuf/timestamp.pb.h"
#include "naval/match/v1/match.pb.h"
#include "naval/match/v1/match_service.pb.h"

namespace naval::client {

// The match as its viewer sees it, kept up by the viewer's own events. Pure; any thread.

// The side of `seat`, which must be SEAT_FIRST or SEAT_SECOND.
const match::v1::Side& SideOf(const match::v1::Match& match, match::v1::Seat seat);

// The other seat; SEAT_UNSPECIFIED stays what it is.
match::v1::Seat RivalOf(match::v1::Seat seat);

// Whether a shot or a volley of the viewer's own is due.
bool MayFire(const match::v1::Match& match);

// A point of time, to the nanosecond.
absl::Time TimeOf(const google::protobuf::Timestamp& time);

// Brings `match` up to `event`: afterwards it equals what GetMatch gave at that moment, but for
// server_time and who is present, which stay. DATA_LOSS, reason EVENT_MISSED, when the event is not
// the next one of this viewer, and UNKNOWN_EVENT for a kind that this client does not know; the
// match is then as it was.
absl::Status ApplyEvent(const match::v1::MatchEvent& event, match::v1::Match& match);

// Brings `match` up to what was told of a player; of a seat that it has not, nothing.
void ApplyPresence(const match::v1::PresenceChanged& change, match::v1::Match& match);

// Takes away what a match has of its moment and not of its events: the server's time and who is
// present.
void ClearMoment(match::v1::Match& match);

}  // namespace naval::client
