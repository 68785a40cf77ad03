#include "tools/cli/password.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/base/status_macros.h"
#include "tools/cli/failure.h"
#include "tools/cli/terminal.h"

namespace naval::cli {
namespace {

// The server takes 256 characters, each of at most four bytes.
constexpr size_t kMostBytes = 1024;

absl::StatusOr<base::Secret> ToPassword(std::string text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos && text.size() > kMostBytes) {
    return UsageError("this is too long for a password");
  }
  text.resize(std::min(end, text.size()));
  if (!text.empty() && text.back() == '\r') text.pop_back();
  if (text.empty()) return UsageError("the password is empty");
  return base::Secret(std::move(text));
}

absl::StatusOr<base::Secret> ReadFirstLine(const std::string& path) {
  const int file = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return UsageError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  const auto closer = absl::MakeCleanup([file] { close(file); });
  std::string text;
  char byte = '\0';
  while (text.size() <= kMostBytes && byte != '\n') {
    const ssize_t count = read(file, &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return UsageError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
    if (count == 0) break;
    text += byte;
  }
  return ToPassword(std::move(text));
}

absl::StatusOr<base::Secret> Ask(Keyboard& keyboard, absl::string_view prompt) {
  // Standard output is for answers.
  const auto say = [](absl::string_view text) {
    return write(STDERR_FILENO, text.data(), text.size()) >= 0;
  };
  if (!say(prompt)) return UsageError("no terminal to ask for the password on");
  std::string text;
  while (text.find('\n') == std::string::npos && text.size() <= kMostBytes) {
    const Keyboard::Input input = keyboard.Wait(absl::Hours(1));
    if (input.signal != 0) return InterruptedBy(input.signal);
    if (input.ended) break;
    text += input.keys;
  }
  // Enter was not shown either.
  say("\n");
  return ToPassword(std::move(text));
}

}  // namespace

absl::StatusOr<base::Secret> ReadPassword(const std::string& file, bool repeated) {
  if (!file.empty()) return ReadFirstLine(file);
  if (isatty(STDIN_FILENO) != 1) {
    return UsageError(
        "no terminal to ask for the password on: use --password-file FILE, or - for standard "
        "input");
  }
  Keyboard keyboard(STDIN_FILENO, Typing::kHidden);
  NAVAL_ASSIGN_OR_RETURN(base::Secret password, Ask(keyboard, "Password: "));
  if (repeated) {
    NAVAL_ASSIGN_OR_RETURN(const base::Secret again, Ask(keyboard, "The same again: "));
    if (!(again == password)) return UsageError("the two passwords differ");
  }
  return password;
}

}  // namespace naval::cli
