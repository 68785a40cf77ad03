#pragma once

#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace naval::cli {

// What a player types while a match is on. Pure.

// The line that is being typed, as the keys come: printable ASCII, backspace, Ctrl-U for the whole
// line. Other keys, arrows among them, do nothing. Lines are cut at 200 characters.
class LineEditor {
 public:
  struct Typed {
    // Lines that were finished.
    std::vector<std::string> lines;
    // Ctrl-D on an empty line.
    bool ended = false;
  };

  Typed Take(absl::string_view keys);

  // What stands in the unfinished line.
  const std::string& text() const { return text_; }

 private:
  // Whether the key belongs to the sequence of a special key such as an arrow: ESC [ 1 ; 5 A.
  bool SkipSpecialKey(char key);

  enum class Escape { kNone, kBegun, kInside };

  std::string text_;
  Escape escape_ = Escape::kNone;
};

// What a line asks for.
struct ShowMove {};
struct FireMove {
  std::vector<std::string> squares;
};
struct RandomMove {};
struct PlaceMove {
  // Each as ParseShip reads it.
  std::vector<std::string> ships;
};
struct ConfirmMove {
  // Also where that loses the match.
  bool illegal = false;
};
struct ResignMove {};
struct ClaimMove {};
struct QuitMove {};
struct HelpMove {};
using Move = std::variant<ShowMove, FireMove, RandomMove, PlaceMove, ConfirmMove, ResignMove,
                          ClaimMove, QuitMove, HelpMove>;

// Reads a line: "C7" or "fire C7", for a volley "A1 B2 C3" or "fire A1 B2 C3", "random", "place
// SHIP=A1-A5 ...", "confirm", "confirm --illegal", "resign", "claim", "quit", "help"; empty shows
// the match. An error of UsageError for anything else.
absl::StatusOr<Move> ParseMove(absl::string_view line);

}  // namespace naval::cli
