#pragma once

#include <memory>
#include <string>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "lib/base/scheduler.h"

namespace naval::base {

// The one thread of the project: a std::thread with a name, or what a Scheduler runs in its place.
// Not thread safe.
class Thread {
 public:
  // None.
  Thread() = default;
  // Starts to run `body`. `name` is what debuggers show; at most 15 characters.
  Thread(const std::string& name, absl::AnyInvocable<void()> body);
  // There must be nothing to join: who destroys a thread that runs ends the process.
  ~Thread() = default;
  Thread(Thread&&) = default;
  Thread& operator=(Thread&&) = default;

  // Returns when `body` has; at once when there is no thread, or none any more. Must not be called
  // from `body`.
  void Join();

 private:
  std::thread thread_;
  std::unique_ptr<Scheduler::Task> task_;
};

}  // namespace naval::base
