#include "services/lobby/periodic_task.h"

#include <utility>

namespace naval::lobby {

PeriodicTask::PeriodicTask(base::Clock& clock, absl::Duration pause,
                           absl::AnyInvocable<void()> body)
    : clock_(clock), pause_(pause), body_(std::move(body)), thread_("periodic_task", [this] {
        do {
          body_();
        } while (Pause());
      }) {}

PeriodicTask::~PeriodicTask() { Stop(); }

void PeriodicTask::Stop() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  thread_.Join();
}

bool PeriodicTask::Pause() {
  base::MutexLock lock(mutex_);
  const absl::Time due = clock_.Now() + pause_;
  while (!stopped_) {
    if (clock_.WaitUntil(changed_, mutex_, due)) break;
  }
  return !stopped_;
}

}  // namespace naval::lobby
