#pragma once

#include <spawn.h>
#include <sys/types.h>
#include <termios.h>

#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "lib/base/mutex.h"

namespace naval::testing {

// The path of a program of this build, such as "naval-cli". Ends the test program when it is not
// there.
std::string BinaryNamed(absl::string_view name);

// A program that a test starts, watches and stops. Killed when the object goes. For one thread.
class Subprocess {
 public:
  // A terminal for a program to run on, with its size.
  struct Terminal {
    unsigned short rows = 24;
    unsigned short columns = 80;
  };

  // Starts `arguments[0]` (a path) with the rest as its arguments and the environment of the test.
  // Ends the test program when that is impossible.
  explicit Subprocess(const std::vector<std::string>& arguments);
  // The same on a terminal of its own, which it may read from.
  Subprocess(const std::vector<std::string>& arguments, const Terminal& terminal);
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

  // For a program on a terminal: types on it, changes its size, tells how it is set.
  void Type(absl::string_view text);
  void Resize(const Terminal& terminal);
  termios TerminalSettings() const;

 private:
  // Starts the program with the files that `prepare` has ordered, on a terminal or not.
  void Start(const std::vector<std::string>& arguments,
             absl::FunctionRef<void(posix_spawn_file_actions_t*)> prepare, bool new_session);
  void ReadOutput();
  bool HasEnded();

  pid_t pid_ = 0;
  // Where its output is read; a terminal's other end.
  int output_ = -1;
  bool ended_ = false;
  int exit_code_ = 0;
  base::Mutex mutex_;
  std::string text_ NAVAL_GUARDED_BY(mutex_);
  bool closed_ NAVAL_GUARDED_BY(mutex_) = false;
  std::thread reader_;
};

}  // namespace naval::testing
