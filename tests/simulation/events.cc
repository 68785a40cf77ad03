#include "tests/simulation/events.h"

namespace naval::simulation {

void Events::At(absl::Time time, absl::AnyInvocable<void()> event) {
  const auto it = queue_.emplace(std::pair(time, ++said_), std::move(event)).first;
  if (it == queue_.begin()) earlier_.NotifyAll();
}

void Events::RunUntil(const std::function<bool()>& done) {
  while (!done()) {
    absl::AnyInvocable<void()> event;
    {
      base::MutexLock lock(mutex_);
      while (queue_.empty() || queue_.begin()->first.first > fibers_.now()) {
        const absl::Duration wait =
            queue_.empty() ? absl::InfiniteDuration() : queue_.begin()->first.first - fibers_.now();
        earlier_.WaitFor(mutex_, wait);
      }
      event = std::move(queue_.extract(queue_.begin()).mapped());
    }
    event();
  }
}

}  // namespace naval::simulation
