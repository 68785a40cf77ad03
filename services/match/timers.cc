#include "services/match/timers.h"

namespace naval::match {

Timers::~Timers() { Stop(); }

void Timers::Start(Fire fire) {
  thread_ =
      base::Thread("timers", [this, fire = std::move(fire)]() mutable { Run(std::move(fire)); });
}

void Timers::Arm(const std::string& key, std::optional<absl::Time> due) {
  base::MutexLock lock(mutex_);
  if (const auto it = due_.find(key); it != due_.end()) {
    queue_.erase({it->second, key});
    due_.erase(it);
  }
  if (!due.has_value()) return;
  due_[key] = *due;
  const auto [it, inserted] = queue_.insert({*due, key});
  if (it == queue_.begin()) changed_.NotifyOne();
}

void Timers::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

void Timers::Run(Fire fire) {
  while (true) {
    std::string key;
    {
      base::MutexLock lock(mutex_);
      while (!stopped_ && (queue_.empty() || queue_.begin()->first > clock_.Now())) {
        const absl::Time next = queue_.empty() ? absl::InfiniteFuture() : queue_.begin()->first;
        clock_.WaitUntil(changed_, mutex_, next);
      }
      if (stopped_) return;
      key = queue_.begin()->second;
      queue_.erase(queue_.begin());
      due_.erase(key);
    }
    fire(key);
  }
}

}  // namespace naval::match
