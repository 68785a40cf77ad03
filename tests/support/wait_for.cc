#include "tests/support/wait_for.h"

#include "absl/time/clock.h"

namespace naval::testing {

bool WaitFor(absl::FunctionRef<bool()> condition, absl::Duration limit) {
  const absl::Time deadline = absl::Now() + limit;
  while (!condition()) {
    if (absl::Now() >= deadline) return condition();
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

}  // namespace naval::testing
