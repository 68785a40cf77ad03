#include "lib/base/clock.h"

#include <chrono>

#include "absl/time/clock.h"

namespace naval::base {
namespace {

absl::Duration SteadyNow() {
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
