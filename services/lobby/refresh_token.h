#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/random.h"
#include "lib/base/secret.h"

namespace naval::lobby {

// A refresh token is "SESSION_ID.SESSION_KEY.SECRET". It names its session, so that a token of any
// age is known for what it is: one that was exchanged long ago is in the wrong hands. The session's
// id is no secret (access tokens hold it); the session's key, 128 random bits that all its tokens
// share, shows that a token is or was one, so that nobody can end a session with a token made up.
// The secret has 256 bits. Only the auth::HashToken of the key and of the whole token are stored.

// The first token of a session. `random` must be fit for secrets.
base::Secret NewRefreshToken(absl::string_view session_id, base::Random& random);

// The session that `token` names. Nothing when it has not the form of a refresh token.
std::optional<std::string> SessionIdOf(const base::Secret& token);

// The session's key in `token`, which has the right form.
base::Secret SessionKeyOf(const base::Secret& token);

// The token that `token`, which has the right form, is exchanged for. The same for the same `salt`:
// a client that lost the answer and two pages that refresh at once get one and the same token,
// though only hashes are stored. Without `token` nobody can tell its successor, not even from the
// database.
base::Secret SuccessorOf(const base::Secret& token, absl::string_view salt);

}  // namespace naval::lobby
