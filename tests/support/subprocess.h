#pragma once

#include <sys/types.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"

namespace naval::testing {

// A program that a test starts, watches and stops. Killed when the object goes. For one thread.
class Subprocess {
 public:
  // Starts `arguments[0]` (a path) with the rest as its arguments and the environment of the test.
  // Ends the test program when that is impossible.
  explicit Subprocess(const std::vector<std::string>& arguments);
  ~Subprocess();
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;

  // Sends a signal, such as SIGTERM or SIGKILL.
  void Signal(int signal);

  // Waits for the end and gives the exit code, or minus the number of the signal that ended it.
  // When it has not ended after `limit` it is killed, which gives -SIGKILL.
  int Wait(absl::Duration limit = absl::Seconds(20));

  // The first line of output (standard output and standard error together) that holds `text`, once
  // it is there; empty when the program ended without it or `limit` passed.
  std::string WaitForLine(absl::string_view text, absl::Duration limit = absl::Seconds(20));

  // All that the program has put out so far.
  std::string Output();

 private:
  void ReadOutput();
  bool HasEnded();

  pid_t pid_ = 0;
  int output_ = -1;
  bool ended_ = false;
  int exit_code_ = 0;
  base::Mutex mutex_;
  std::string text_ NAVAL_GUARDED_BY(mutex_);
  bool closed_ NAVAL_GUARDED_BY(mutex_) = false;
  std::thread reader_;
};

}  // namespace naval::testing
