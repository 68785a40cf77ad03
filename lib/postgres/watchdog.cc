#include "lib/postgres/watchdog.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "lib/base/log.h"

namespace naval::postgres {

Watchdog::Line::Line(Watchdog& watchdog, int socket) : watchdog_(watchdog), socket_(socket) {
  base::MutexLock lock(watchdog_.mutex_);
  watchdog_.deadlines_[socket_] = absl::InfiniteFuture();
}

Watchdog::Line::~Line() {
  {
    base::MutexLock lock(watchdog_.mutex_);
    watchdog_.deadlines_.erase(socket_);
  }
  close(socket_);
}

void Watchdog::Line::CutAt(absl::Time deadline) {
  base::MutexLock lock(watchdog_.mutex_);
  const auto it = watchdog_.deadlines_.find(socket_);
  if (it == watchdog_.deadlines_.end()) return;
  it->second = deadline;
  // A later one than the thread waits for, which is nearly all of them, needs no wake-up.
  if (deadline < watchdog_.next_look_) watchdog_.changed_.NotifyOne();
}

bool Watchdog::Line::IsCut() const {
  base::MutexLock lock(watchdog_.mutex_);
  return !watchdog_.deadlines_.contains(socket_);
}

Watchdog::Watchdog(base::Clock& clock) : clock_(clock), thread_("watchdog", [this] { Watch(); }) {}

Watchdog::~Watchdog() {
  {
    base::MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyOne();
  }
  thread_.Join();
}

void Watchdog::CutAllAt(absl::Time end) {
  base::MutexLock lock(mutex_);
  end_ = std::min(end_, end);
  changed_.NotifyOne();
}

void Watchdog::Watch() {
  while (true) {
    int late = 0;
    {
      base::MutexLock lock(mutex_);
      late = CutDue();
      while (late == 0 && !stopped_) {
        clock_.WaitUntil(changed_, mutex_, next_look_);
        late = CutDue();
      }
      if (late == 0) return;
    }
    // Without the lock: every call to the database needs it, and a log may block.
    base::Log(base::LogLevel::kWarning, "database_calls_cut", {{"calls", late}});
  }
}

int Watchdog::CutDue() {
  const absl::Time now = clock_.Now();
  int late = 0;
  next_look_ = absl::InfiniteFuture();
  for (auto it = deadlines_.begin(); it != deadlines_.end();) {
    const auto [socket, deadline] = *it;
    const absl::Time due = std::min(deadline, end_);
    if (due > now) {
      next_look_ = std::min(next_look_, due);
      ++it;
      continue;
    }
    shutdown(socket, SHUT_RDWR);
    deadlines_.erase(it++);
    if (deadline <= now) ++late;
  }
  return late;
}

}  // namespace naval::postgres
