#include "lib/base/executor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/error.h"

namespace naval::base {

Executor::Executor(Options options) : options_(std::move(options)) {
  threads_.reserve(options_.threads);
  for (size_t i = 0; i < options_.threads; ++i) {
    threads_.emplace_back(options_.name, [this] { Work(); });
  }
}

Executor::~Executor() { Stop(); }

absl::Status Executor::Submit(absl::AnyInvocable<void()> task) {
  MutexLock lock(mutex_);
  if (stopped_) {
    return WithRetryDelay(Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN",
                                "the server is shutting down; try again"),
                          absl::Seconds(1));
  }
  if (queue_.size() >= options_.max_queued) {
    ++refused_;
    return WithRetryDelay(
        Error(absl::StatusCode::kResourceExhausted, "SERVER_BUSY",
              absl::StrCat("too much work is waiting (", options_.name, "); try again later"),
              {{"queue", options_.name}, {"limit", absl::StrCat(options_.max_queued)}}),
        absl::Seconds(1));
  }
  queue_.push_back(std::move(task));
  changed_.NotifyOne();
  return absl::OkStatus();
}

Executor::Usage Executor::usage() const {
  MutexLock lock(mutex_);
  return {.queued = queue_.size(), .running = running_, .refused = refused_};
}

void Executor::Stop() {
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  for (Thread& thread : threads_) thread.Join();
}

void Executor::Work() {
  while (true) {
    absl::AnyInvocable<void()> task;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopped_) changed_.Wait(mutex_);
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      ++running_;
    }
    task();
    MutexLock lock(mutex_);
    --running_;
  }
}

}  // namespace naval::base
