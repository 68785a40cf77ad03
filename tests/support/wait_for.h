#pragma once

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace naval::testing {

// Polls until `condition` holds, for at most `limit`; returns whether it came to hold. A test waits
// for what it expects, never for a length of time; the limit is only how long a broken program may
// take to be called broken:
//   ASSERT_TRUE(WaitFor([&] { return server_saw_the_call.load(); }));
bool WaitFor(absl::FunctionRef<bool()> condition, absl::Duration limit = absl::Seconds(20));

}  // namespace naval::testing
