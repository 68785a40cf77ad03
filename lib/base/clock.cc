#include "lib/base/clock.h"

#include <time.h>

#include <chrono>

#include "absl/time/clock.h"

namespace naval::base {
namespace {

// Since the machine started, also while it was suspended where the system can tell (Linux).
absl::Duration SteadyNow() {
#ifdef CLOCK_BOOTTIME
  timespec now;
  if (clock_gettime(CLOCK_BOOTTIME, &now) == 0) return absl::DurationFromTimespec(now);
#endif
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

SystemClock::SystemClock() : wall_anchor_(absl::Now()), steady_anchor_(SteadyNow()) {}

absl::Time SystemClock::Now() const { return wall_anchor_ + (SteadyNow() - steady_anchor_); }

bool SystemClock::WaitUntil(CondVar& changed, Mutex& mutex, absl::Time deadline) {
  const absl::Duration remaining = deadline - Now();
  if (remaining <= absl::ZeroDuration()) return true;
  changed.WaitFor(mutex, remaining);
  return Now() >= deadline;
}

}  // namespace naval::base
