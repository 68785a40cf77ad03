#include "tools/cli/typing.h"

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "lib/rules/square.h"
#include "tools/cli/failure.h"

namespace naval::cli {
namespace {

constexpr size_t kLongestLine = 200;
constexpr char kEndOfInput = 0x04;
constexpr char kEraseLine = 0x15;
constexpr char kEscape = 0x1b;
constexpr char kBackspace = 0x08;
constexpr char kDelete = 0x7f;

// The squares that these words are; none when one of them is no square.
std::vector<std::string> Squares(absl::Span<const std::string> words) {
  std::vector<std::string> squares;
  for (const std::string& word : words) {
    const auto square = rules::Square::Parse(word);
    if (!square.ok()) return {};
    squares.push_back(square->ToString());
  }
  return squares;
}

}  // namespace

LineEditor::Typed LineEditor::Take(absl::string_view keys) {
  Typed typed;
  for (const char key : keys) {
    if (SkipSpecialKey(key)) continue;
    if (key == '\n' || key == '\r') {
      typed.lines.push_back(text_);
      text_.clear();
    } else if (key == kBackspace || key == kDelete) {
      if (!text_.empty()) text_.pop_back();
    } else if (key == kEraseLine) {
      text_.clear();
    } else if (key == kEndOfInput) {
      if (text_.empty()) typed.ended = true;
    } else if (key >= ' ' && key <= '~' && text_.size() < kLongestLine) {
      text_ += key;
    }
  }
  return typed;
}

bool LineEditor::SkipSpecialKey(char key) {
  switch (escape_) {
    case Escape::kNone:
      if (key != kEscape) return false;
      escape_ = Escape::kBegun;
      return true;
    case Escape::kBegun:
      // "ESC [" and "ESC O" go on; ESC with another key is that key with Alt.
      escape_ = key == '[' || key == 'O' ? Escape::kInside : Escape::kNone;
      // The escape key alone, then Enter.
      return key != '\n' && key != '\r';
    case Escape::kInside:
      if (key >= '@' && key <= '~') escape_ = Escape::kNone;
      return true;
  }
  return false;
}

absl::StatusOr<Move> ParseMove(absl::string_view line) {
  const std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (words.empty()) return ShowMove();
  const std::string verb = absl::AsciiStrToLower(words[0]);
  if (verb == "place" && words.size() > 1) {
    return PlaceMove{.ships = {words.begin() + 1, words.end()}};
  }
  if (verb == "confirm" && words.size() == 2 && words[1] == "--illegal") {
    return ConfirmMove{.illegal = true};
  }
  std::vector<std::string> squares =
      Squares(absl::MakeConstSpan(words).subspan(verb == "fire" ? 1 : 0));
  if (!squares.empty()) return FireMove{.squares = std::move(squares)};
  if (words.size() == 1) {
    if (verb == "random") return RandomMove();
    if (verb == "confirm") return ConfirmMove();
    if (verb == "resign") return ResignMove();
    if (verb == "claim") return ClaimMove();
    if (verb == "quit" || verb == "q" || verb == "exit") return QuitMove();
    if (verb == "help" || verb == "?") return HelpMove();
  }
  return UsageError(absl::StrCat("'", line, "' is no square and no command; 'help' lists them"));
}

}  // namespace naval::cli
