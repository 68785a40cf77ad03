#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "naval/ranking/v1/ranking_service.pb.h"
#include "tools/client/client.h"

namespace naval::client {

// Each blocks; errors are those of RankingService.

// The client's rating in Tablú. NOT_FOUND, reason NOT_RATED, before the first rated match.
absl::StatusOr<ranking::v1::Rating> RatingOf(Client& client);

// Waits until at least `matches` rated matches of the client have counted, for a result reaches the
// ranking some time after the end of its match; DEADLINE_EXCEEDED after a minute.
absl::StatusOr<ranking::v1::Rating> AwaitRating(Client& client, int64_t matches);

}  // namespace naval::client
