#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace naval::server {

// Checks of request fields that mean the same in every service. Pure; any thread.

// OK for a UUID in canonical lower case. Else INVALID_ARGUMENT naming `field`, which is a path such
// as "players[0].account_id", with a reason made of its last name: INVALID_ACCOUNT_ID.
absl::Status CheckId(absl::string_view field, absl::string_view value);

// As above, for an id that a service made: it must be a UUIDv7, as base::NewId makes them, because
// what is stored under it is kept in the order of time.
absl::Status CheckUuidV7(absl::string_view field, absl::string_view value);

// OK for a handle, or the id of a bot, of 1 to 64 printable ASCII characters: what another service
// has let in is shorter and holds less. Else INVALID_ARGUMENT, reason INVALID_PLAYER.
absl::Status CheckName(absl::string_view field, absl::string_view value);

// The page sizes of every list method.
inline constexpr int kDefaultPageSize = 50;
inline constexpr int kMaxPageSize = 200;

// How many to return for a request's page_size: kDefaultPageSize for 0, at most kMaxPageSize.
// INVALID_ARGUMENT, reason INVALID_PAGE_SIZE, when it is negative.
absl::StatusOr<int> ReadPageSize(std::int32_t page_size);

// INVALID_ARGUMENT, reason PAGE_TOKEN_INVALID: what stands in page_token is no token of this list.
absl::Status PageTokenInvalid();

}  // namespace naval::server
