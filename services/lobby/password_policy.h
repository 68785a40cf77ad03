#pragma once

#include "absl/status/status.h"
#include "lib/base/secret.h"

namespace naval::lobby {

// OK when `password` may guard an account: 15 to 256 characters (UTF-8 code points), and none that
// is guessed first. Else INVALID_ARGUMENT, reason WEAK_PASSWORD, for the field "password"; the
// password is not in the message.
//
// Lists of leaked passwords hold next to nothing of 15 characters and more: what people take at
// that length to get past a rule is a short thing repeated ("passwordpassword") or a walk over the
// keyboard or along the alphabet ("1qaz2wsx3edc4rfv", "abcdefghijklmnop"). So the shapes are
// refused, not a list. No other rule: which characters a password mixes says little of its strength
// (NIST SP 800-63B).
absl::Status CheckPassword(const base::Secret& password);

}  // namespace naval::lobby
