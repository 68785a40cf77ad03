#include "tests/support/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

[[noreturn]] void Die(absl::string_view what, int error) {
  std::fprintf(stderr, "Subprocess: %s: %s\n", std::string(what).c_str(), std::strerror(error));
  std::abort();
}

}  // namespace

Subprocess::Subprocess(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Die("pipe", errno);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int error = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) Die(arguments[0], error);
  close(ends[1]);
  output_ = ends[0];
  reader_ = std::thread([this] { ReadOutput(); });
}

Subprocess::~Subprocess() {
  if (!HasEnded()) {
    Signal(SIGKILL);
    Wait();
  }
  reader_.join();
  close(output_);
}

void Subprocess::Signal(int signal) {
  if (!ended_) kill(pid_, signal);
}

int Subprocess::Wait(absl::Duration limit) {
  if (!WaitFor([this] { return HasEnded(); }, limit)) {
    Signal(SIGKILL);
    WaitFor([this] { return HasEnded(); });
  }
  // So that Output() holds the last words too; a child of the program may keep the pipe open.
  WaitFor(
      [this] {
        base::MutexLock lock(mutex_);
        return closed_;
      },
      absl::Seconds(5));
  return exit_code_;
}

std::string Subprocess::WaitForLine(absl::string_view text, absl::Duration limit) {
  std::string found;
  WaitFor(
      [&] {
        base::MutexLock lock(mutex_);
        // The last piece is a line in the making, and no line at all once the output has ended.
        std::vector<absl::string_view> lines = absl::StrSplit(text_, '\n');
        lines.pop_back();
        for (const absl::string_view line : lines) {
          if (!absl::StrContains(line, text)) continue;
          found = std::string(line);
          return true;
        }
        return closed_;
      },
      limit);
  return found;
}

std::string Subprocess::Output() {
  base::MutexLock lock(mutex_);
  return text_;
}

void Subprocess::ReadOutput() {
  char buffer[4096];
  while (true) {
    const ssize_t count = read(output_, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    base::MutexLock lock(mutex_);
    if (count <= 0) {
      closed_ = true;
      return;
    }
    text_.append(buffer, static_cast<size_t>(count));
  }
}

bool Subprocess::HasEnded() {
  if (ended_) return true;
  int state = 0;
  if (waitpid(pid_, &state, WNOHANG) != pid_) return false;
  ended_ = true;
  exit_code_ = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
  return true;
}

}  // namespace naval::testing
