#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "lib/base/mutex.h"
#include "lib/base/thread.h"

namespace naval::base {

// A pool with a fixed number of threads and a bounded queue, run in the order of submission.
// Blocking work (Postgres, password hashes) goes here, never on a gRPC thread. Thread safe.
//
// Own code, because the pools at hand (Boost.Asio, oneTBB) queue without a limit, and a limit with
// a clear refusal is the point.
class Executor {
 public:
  struct Options {
    // Names the threads and the refusals; at most 15 characters.
    std::string name;
    size_t threads = 4;
    // How many tasks may wait; those that run are not counted.
    size_t max_queued = 256;
  };

  explicit Executor(Options options);
  // As Stop().
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Queues `task`. RESOURCE_EXHAUSTED (reason SERVER_BUSY, with a retry delay) when the queue is
  // full and UNAVAILABLE (reason SHUTTING_DOWN) after Stop; in both cases `task` is destroyed
  // unrun.
  absl::Status Submit(absl::AnyInvocable<void()> task) NAVAL_EXCLUDES(mutex_);

  // What it has to do at this moment, and how often it has refused more.
  struct Usage {
    size_t queued = 0;
    size_t running = 0;
    uint64_t refused = 0;
  };
  Usage usage() const NAVAL_EXCLUDES(mutex_);
  const std::string& name() const { return options_.name; }

  // Takes no new task, runs all that are queued, and returns when the last has ended. Must not be
  // called from a task. May be called more than once.
  void Stop() NAVAL_EXCLUDES(mutex_);

 private:
  void Work() NAVAL_EXCLUDES(mutex_);

  const Options options_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<absl::AnyInvocable<void()>> queue_ NAVAL_GUARDED_BY(mutex_);
  size_t running_ NAVAL_GUARDED_BY(mutex_) = 0;
  uint64_t refused_ NAVAL_GUARDED_BY(mutex_) = 0;
  bool stopped_ NAVAL_GUARDED_BY(mutex_) = false;
  std::vector<Thread> threads_;
};

}  // namespace naval::base
