#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"

namespace naval::lobby {

// A refresh token is "SESSION_ID.SECRET" with 256 random bits. It names its session, so that a
// token of any age is known for what it is: one that was exchanged long ago is in the wrong hands.
// Only its auth::HashToken is stored.

// The first token of a session. `random` must be fit for secrets.
base::Secret NewRefreshToken(absl::string_view session_id, base::Random& random);

// The session that `token` names. Nothing when it has not the form of a refresh token.
std::optional<std::string> SessionIdOf(const base::Secret& token);

// The token that `token`, which has the right form, is exchanged for. The same for the same `salt`:
// a client that lost the answer and two pages that refresh at once get one and the same token,
// though only hashes are stored. Without `token` nobody can tell its successor, not even from the
// database.
base::Secret SuccessorOf(const base::Secret& token, absl::string_view salt);

}  // namespace naval::lobby
