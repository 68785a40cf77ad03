#include "tools/cli/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "lib/base/check.h"
#include "lib/base/error.h"
#include "tools/cli/text.h"

namespace naval::cli {
namespace {

constexpr int kUsualRows = 24;
constexpr int kUsualColumns = 80;

// A signal may come on any thread and at any moment: all that its handler does is write here.
std::atomic<int> signal_pipe = -1;

void OnSignal(int signal) {
  const int error = errno;
  const char byte = static_cast<char>(signal);
  // A full pipe holds enough signals.
  [[maybe_unused]] const ssize_t written = write(signal_pipe.load(), &byte, 1);
  errno = error;
}

// Handles the signal, unless whoever started this program wants it to be ignored. Returns the
// action that was set before.
struct sigaction Handle(int signal) {
  struct sigaction before = {};
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return before;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
  return before;
}

winsize SizeOf(int output) {
  winsize size = {};
  if (ioctl(output, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    size.ws_row = kUsualRows;
    size.ws_col = kUsualColumns;
  }
  return size;
}

// What is there to read; empty at the end of the file.
std::string ReadSome(int file) {
  char buffer[4096];
  const ssize_t count = read(file, buffer, sizeof(buffer));
  return count > 0 ? std::string(buffer, static_cast<size_t>(count)) : "";
}

}  // namespace

Keyboard::Keyboard(int input, Typing typing) : input_(input) {
  NAVAL_CHECK(pipe2(signals_, O_CLOEXEC | O_NONBLOCK) == 0);
  signal_pipe = signals_[1];
  for (size_t i = 0; i < kEndSignals.size(); ++i) actions_before_[i] = Handle(kEndSignals[i]);
  termios now;
  if (typing == Typing::kUsual || tcgetattr(input_, &now) != 0) return;
  before_ = now;
  now.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  if (typing == Typing::kKeys) now.c_lflag &= ~static_cast<tcflag_t>(ICANON);
  now.c_cc[VMIN] = 1;
  now.c_cc[VTIME] = 0;
  // Stopped, it would leave the terminal as it is now to the shell.
  now.c_cc[VSUSP] = _POSIX_VDISABLE;
  tcsetattr(input_, TCSADRAIN, &now);
}

Keyboard::~Keyboard() {
  if (before_.has_value()) tcsetattr(input_, TCSADRAIN, &*before_);
  for (size_t i = 0; i < kEndSignals.size(); ++i) {
    sigaction(kEndSignals[i], &actions_before_[i], nullptr);
  }
  signal_pipe = -1;
  close(signals_[0]);
  close(signals_[1]);
}

Keyboard::Input Keyboard::Wait(absl::Duration limit) {
  // An ended input would be ready for ever: poll passes over a file of -1.
  std::array<pollfd, 2> files = {pollfd{.fd = signals_[0], .events = POLLIN},
                                 pollfd{.fd = ended_ ? -1 : input_, .events = POLLIN}};
  const int count =
      poll(files.data(), files.size(), static_cast<int>(absl::ToInt64Milliseconds(limit)));
  Input input;
  if (count > 0 && files[0].revents != 0) {
    const std::string signals = ReadSome(signals_[0]);
    if (!signals.empty()) input.signal = static_cast<unsigned char>(signals[0]);
  }
  if (count > 0 && files[1].revents != 0) {
    input.keys = ReadSome(input_);
    ended_ = input.keys.empty();
  }
  input.ended = ended_;
  return input;
}

bool Screen::CanDraw(int input, int output) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return isatty(input) == 1 && isatty(output) == 1 &&
         (no_color == nullptr || no_color[0] == '\0') && term != nullptr &&
         std::strcmp(term, "dumb") != 0;
}

Screen::Screen(int output, bool drawing) : output_(output), drawing_(drawing) {
  if (drawing_) Write("\x1b[?1049h");
}

Screen::~Screen() {
  if (drawing_) Write("\x1b[?1049l");
}

int Screen::rows() const { return SizeOf(output_).ws_row; }

size_t Screen::columns() const {
  return static_cast<size_t>(std::max<int>(SizeOf(output_).ws_col, 2)) - 1;
}

void Screen::Draw(const std::vector<std::string>& lines, absl::string_view prompt) {
  const winsize size = SizeOf(output_);
  const auto fit = [&](absl::string_view line) {
    return Printable(line.substr(0, static_cast<size_t>(size.ws_col) - 1));
  };
  std::string frame = absl::StrCat(size.ws_row, "x", size.ws_col);
  for (const std::string& line : lines) absl::StrAppend(&frame, "\n", line);
  absl::StrAppend(&frame, "\n", prompt);
  if (frame == drawn_) return;
  drawn_ = frame;
  // From the top left, clearing the rest of each line and, at the end, of the screen.
  std::string bytes = "\x1b[H";
  for (const std::string& line : lines) absl::StrAppend(&bytes, fit(line), "\x1b[K\n");
  absl::StrAppend(&bytes, fit(prompt), "\x1b[J");
  Write(bytes);
}

void Screen::Print(absl::string_view line) { Write(absl::StrCat(Printable(line), "\n")); }

void Screen::Write(absl::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = write(output_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    // The terminal is gone; the end of the input tells that too.
    if (count < 0) return;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

absl::Status InterruptedBy(int signal) {
  return base::Error(absl::StatusCode::kCancelled, "INTERRUPTED",
                     absl::StrCat("ended by signal ", signal), {{"signal", absl::StrCat(signal)}});
}

}  // namespace naval::cli
