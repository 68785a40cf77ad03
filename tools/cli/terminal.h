#pragma once

#include <termios.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace naval::cli {

// How a terminal gives what is typed on it.
enum class Typing {
  // As it is: usually line by line, each shown by the terminal itself.
  kUsual,
  // Line by line, not shown.
  kHidden,
  // Each key at once, not shown.
  kKeys,
};

// What is typed, and the signals that end a program (SIGINT, SIGTERM, SIGHUP, SIGQUIT), which come
// as input while the object lives, but for those that were ignored before, as by nohup. The
// destructor puts the terminal and the signals' actions back. One at a time in a process, for one
// thread.
class Keyboard {
 public:
  // `typing` matters where `input` is a terminal only.
  Keyboard(int input, Typing typing);
  ~Keyboard();
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  struct Input {
    std::string keys;
    // Nothing more will come.
    bool ended = false;
    // The signal that wants the program to end; 0 for none.
    int signal = 0;
  };

  // Waits for input, for at most `limit`.
  Input Wait(absl::Duration limit);

 private:
  static constexpr std::array kEndSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

  const int input_;
  bool ended_ = false;
  int signals_[2] = {-1, -1};
  std::optional<termios> before_;
  // Of each signal, in the order of kEndSignals.
  std::array<struct sigaction, kEndSignals.size()> actions_before_ = {};
};

// Where lines are shown. A drawing screen redraws all of them in place, on the terminal's alternate
// screen, which the destructor leaves; it uses a handful of ANSI sequences that every terminal in
// use knows. Any other screen prints line below line and no escape code. Whatever is shown is
// Printable. For one thread.
class Screen {
 public:
  // Draws when both are terminals, and neither NO_COLOR is set nor TERM=dumb.
  static bool CanDraw(int input, int output);

  Screen(int output, bool drawing);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // How many lines Draw has room for, the prompt's included.
  int rows() const;

  // How many characters of a line Draw shows.
  size_t columns() const;

  // Shows the lines and below them the prompt with the cursor behind it. Does nothing when all is
  // on the screen already and its size is what it was.
  void Draw(const std::vector<std::string>& lines, absl::string_view prompt);

  // Prints one line below the others.
  void Print(absl::string_view line);

 private:
  void Write(absl::string_view bytes) const;

  const int output_;
  const bool drawing_;
  std::string drawn_;
};

// CANCELLED, reason INTERRUPTED: the error of a command that a signal ended.
absl::Status InterruptedBy(int signal);

}  // namespace naval::cli
