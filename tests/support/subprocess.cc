#include "tests/support/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tests/support/wait_for.h"

namespace naval::testing {
namespace {

[[noreturn]] void Die(absl::string_view what, int error) {
  std::fprintf(stderr, "Subprocess: %s: %s\n", std::string(what).c_str(), std::strerror(error));
  std::abort();
}

}  // namespace

// A test program lies in BUILD/tests/FOLDER, a tool beside what it starts, in BUILD/bin.
std::string BinaryNamed(absl::string_view name) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto binaries =
      folder.filename() == "bin" ? folder : folder.parent_path().parent_path() / "bin";
  const std::string binary = binaries / std::string(name);
  if (access(binary.c_str(), X_OK) != 0) Die(absl::StrCat(binary, ": build it first"), errno);
  return binary;
}

Subprocess::Subprocess(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) Die("pipe", errno);
  output_ = ends[0];
  Start(
      arguments,
      [&](posix_spawn_file_actions_t* actions) {
        posix_spawn_file_actions_adddup2(actions, ends[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(actions, ends[1], STDERR_FILENO);
      },
      /*new_session=*/false);
  close(ends[1]);
  reader_ = std::thread([this] { ReadOutput(); });
}

Subprocess::Subprocess(const std::vector<std::string>& arguments, const Terminal& terminal) {
  output_ = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  char name[64];
  if (output_ < 0 || grantpt(output_) != 0 || unlockpt(output_) != 0 ||
      ptsname_r(output_, name, sizeof(name)) != 0) {
    Die("terminal", errno);
  }
  Resize(terminal);
  // Who begins a session and opens a terminal gets the signals that are typed on it.
  Start(
      arguments,
      [&](posix_spawn_file_actions_t* actions) {
        posix_spawn_file_actions_addopen(actions, STDIN_FILENO, name, O_RDWR, 0);
        posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(actions, STDIN_FILENO, STDERR_FILENO);
      },
      /*new_session=*/true);
  reader_ = std::thread([this] { ReadOutput(); });
}

void Subprocess::Start(const std::vector<std::string>& arguments,
                       absl::FunctionRef<void(posix_spawn_file_actions_t*)> prepare,
                       bool new_session) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  prepare(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (new_session) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error = posix_spawn(&pid_, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) Die(arguments[0], error);
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

void Subprocess::Type(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(output_, text.data(), text.size());
    if (count < 0) Die("type", errno);
    text.remove_prefix(static_cast<size_t>(count));
  }
}

void Subprocess::Resize(const Terminal& terminal) {
  const winsize size = {.ws_row = terminal.rows, .ws_col = terminal.columns};
  if (ioctl(output_, TIOCSWINSZ, &size) != 0) Die("resize", errno);
}

termios Subprocess::TerminalSettings() const {
  termios settings = {};
  if (tcgetattr(output_, &settings) != 0) Die("terminal", errno);
  return settings;
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
