#include "lib/base/thread.h"

#include <pthread.h>

#include <utility>

namespace naval::base {

Thread::Thread(const std::string& name, absl::AnyInvocable<void()> body) {
  if (Scheduler* const scheduler = Scheduler::Current(); scheduler != nullptr) {
    task_ = scheduler->Start(name, std::move(body));
    return;
  }
  thread_ = std::thread(std::move(body));
  // The system takes no longer one; the name helps people only.
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

void Thread::Join() {
  if (task_ != nullptr) std::exchange(task_, nullptr)->Join();
  if (thread_.joinable()) thread_.join();
}

}  // namespace naval::base
