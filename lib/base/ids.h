#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "lib/base/clock.h"
#include "lib/base/random.h"

namespace naval::base {

// A new id: a UUIDv7 (RFC 9562, section 5.7) in canonical lower case, 36 characters. The first 48
// bits are the clock's milliseconds, so that ids made later sort later (to the millisecond).
std::string NewId(const Clock& clock, Random& random);

// Whether `text` is a UUID in canonical lower case ("018f3f5e-7b5a-7c3d-8a21-0f9b6c4d2e10"), of any
// version. Ids are compared as text, so no other spelling is let in.
bool IsId(absl::string_view text);

}  // namespace naval::base
