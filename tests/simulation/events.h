#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"
#include "tests/simulation/fibers.h"

namespace naval::simulation {

// What happens in the world at its time: a message arrives, a player moves, a process dies. All of
// it happens on one fiber, in order of time.
class Events {
 public:
  explicit Events(Fibers& fibers) : fibers_(fibers) {}

  // Of two at the same time the one that was said first comes first.
  void At(absl::Time time, absl::AnyInvocable<void()> event);
  void In(absl::Duration duration, absl::AnyInvocable<void()> event) {
    At(fibers_.now() + duration, std::move(event));
  }

  // Lets everything happen until `done` says so, which is asked after each event.
  void RunUntil(const std::function<bool()>& done);

 private:
  Fibers& fibers_;
  base::Mutex mutex_;
  base::CondVar earlier_;
  std::uint64_t said_ = 0;
  std::map<std::pair<absl::Time, std::uint64_t>, absl::AnyInvocable<void()>> queue_;
};

}  // namespace naval::simulation
